"""Claiming sessions: one process runs a session, or changes what it is called and whether it is there."""

from hermes_tui.core.errors import RefusedError
from hermes_tui.core.ports import Owners


def claim(owners: Owners, *names: str) -> None:
    """Own the sessions `names` from now on. Raises RefusedError where another process has one; none is let go."""
    for name in names:
        if not owners.acquire(name):
            raise RefusedError(f"process {owners.owner(name)} runs {name}; act there")
