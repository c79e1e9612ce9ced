"""The state as the commands without an engine open it: only where there is one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.writable import STATE_FILE


@contextmanager
def open_state(directory: Path, *, read_only: bool = True) -> Iterator[SqliteLedger]:
    """Open the state in `directory`, and close it at the end. Raises NothingReachableError where there is none yet."""
    if not (directory / STATE_FILE).exists():
        raise NothingReachableError(f"no state in {directory} yet: open the dashboard, or `hermes-tui run`")
    ledger = SqliteLedger.open(directory, read_only=read_only)
    try:
        yield ledger
    finally:
        ledger.close()


def last_configuration(ledger: SqliteLedger) -> Configuration:
    """Return the configuration that was last in force. Raises NothingReachableError where none ever was."""
    configuration = ledger.facts.configuration
    if configuration is None:
        raise NothingReachableError("no configuration has been in force yet: open the dashboard, or `hermes-tui run`")
    return configuration
