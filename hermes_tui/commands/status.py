"""`status` and `why`: where every session stands and why, read from the state without a model call."""

import json
import os
import sys
from pathlib import Path

from hermes_tui.commands.state import open_state
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import state_directory
from hermes_tui.core.errors import UsageError
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.status import Document, needs_attention, status_document, status_lines, why_lines


def status(state: Path | None, *, as_json: bool) -> int:
    """Print the status; return 0 when all is well, 1 when something needs attention."""
    document = _read(state)
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(status_lines(document, now()))
    return 1 if needs_attention(document) else 0


def why(state: Path | None, name: str) -> int:
    """Print why a session is where it is; return 0 on its primary, 1 off it.

    Raises UsageError for a session that is not there.
    """
    sessions = {session["name"]: session for session in _read(state)["sessions"]}
    if name not in sessions:
        from hermes_tui.config.problems import did_you_mean  # noqa: PLC0415 - only a mistyped name needs it

        hint = did_you_mean(name, sessions) or "."
        raise UsageError(f'there is no session "{name}"{hint} There are: {", ".join(sessions) or "none"}')
    sys.stdout.write(why_lines(sessions[name], now()))
    return 1 if sessions[name]["fallback_active"] else 0


def _read(state: Path | None) -> Document:
    """Return the status document of a state. Raises NothingReachableError where there is no state yet."""
    directory = state_directory(state, os.environ)
    with open_state(directory) as ledger:
        return status_document(ledger.facts, Ownership(directory).owner, now())
