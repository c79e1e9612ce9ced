"""The configuration file, watched while sessions run."""

from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from hermes_tui.config.load import Loaded
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.engine.fleet import Fleet


async def watch_configuration(fleet: Fleet, path: Path, load: Callable[[], Loaded], since: str) -> None:
    """Put each change of the file in force, or say why it cannot be; `since` is the digest of what is."""
    from hermes_tui.config.watch import changes  # noqa: PLC0415 - watchfiles costs 40 ms: after the first paint

    async with aclosing(changes(path, load, since=since)) as outcomes:
        async for outcome in outcomes:
            if isinstance(outcome, ConfigurationError):
                await fleet.reject(outcome)
            else:
                await fleet.configure(outcome)
