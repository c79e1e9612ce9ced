"""Acts on a session that another process runs: handed over to it, from the command line."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hermes_tui.bridge.neighbours import StateNeighbours
from hermes_tui.commands.auth import ask
from hermes_tui.commands.edge import FINE
from hermes_tui.commands.naming import session_named
from hermes_tui.commands.state import open_state
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import state_directory
from hermes_tui.core.acts import ForceRestore, OnSession, ResetChain, RetryNow, StopTurn, UseFallback
from hermes_tui.core.claiming import claimed
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.preview import Confirm, Refused, preview
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.status import SOURCE

ACTS: Final[Mapping[str, Callable[[str], OnSession]]] = {
    "force-restore": ForceRestore,
    "reset-chain": ResetChain,
    "use-fallback": UseFallback,
    "stop-turn": StopTurn,
    "retry-now": RetryNow,
}
"""The acts that need no more than a session, by what they are called on the command line."""


def hand_over(directory: Path, command: OnSession) -> PlainText | None:
    """Have the process do `command` whose it is; return what it did, None where it is nobody's.

    Raises RefusedError with its reason, NothingReachableError where nobody knows whether it was done.
    """
    pid = Ownership(directory).owner(claimed(command))
    if pid is None:
        return None
    return StateNeighbours(directory).execute(pid, command)


def do(state: Path | None, command: OnSession, *, yes: bool) -> int:
    """Have the process that runs a session do `command`, after a question where it asks one; return 0.

    Raises RefusedError with the reason, UsageError where it must be asked first and nobody can be.
    """
    directory = state_directory(state, os.environ)
    with open_state(directory) as ledger:
        session_named(command.session, ledger.facts)
        if Ownership(directory).owner(command.session) is None:
            raise RefusedError(
                f"nobody runs {command.session} now: open the dashboard, or start `hermes-tui run --stay`"
            )
        answer = preview(command, _seen(ledger, command.session), now())
    if isinstance(answer, Refused):
        raise RefusedError(answer.reason)
    if isinstance(answer, Confirm) and not yes:
        ask(answer)
    told = hand_over(directory, command)
    if told is None:
        raise RefusedError(f"nobody runs {command.session} any more: nothing was done")
    sys.stdout.write(f"{told}\n")
    return FINE


def _seen(ledger: SqliteLedger, name: str) -> Snapshot:
    """Return what the ledger says of a session that this process runs no turn of."""
    state = SessionState(ledger.facts.sessions[name], SOURCE, ledger.messages(name))
    return Snapshot(revision=0, at=now(), source=SOURCE, facts=ledger.facts, sessions=(state,))
