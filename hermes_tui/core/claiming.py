"""Claiming sessions: one process runs a session, or changes what it is called and whether it is there."""

from typing import Final

from hermes_tui.core.acts import BringBack, NewSession, OnSession
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.ports import Owners

KEEPER: Final = "\nkeeper"
"""What the process owns that keeps all sessions of a state; no session can be called so."""


def claim(owners: Owners, *names: str) -> None:
    """Own the sessions `names` from now on. Raises RefusedError where another process has one; none is let go."""
    for name in names:
        if not owners.acquire(name):
            raise RefusedError(f"{process(owners.owner(name))} runs {name}; act there")


def process(owner: int | None) -> str:
    """Return what an owner is called; one that is just beginning has no number yet, nor one that has just let go."""
    return f"process {owner}" if owner else "another process"


def claimed(command: OnSession) -> str:
    """Return what the process owns that is to do `command`: the session, and of one that is not there yet all."""
    return KEEPER if isinstance(command, NewSession | BringBack) else command.session
