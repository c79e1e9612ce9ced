"""`status` and `why`: where every session stands and why, read from the state without a model call."""

import json
import os
import sys
from pathlib import Path
from typing import Final

from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import state_directory
from hermes_tui.core.errors import UsageError
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.status import Document, needs_attention, status_document, status_lines, why_lines

NOTHING_REACHABLE: Final = 3


def status(state: Path | None, *, as_json: bool) -> int:
    """Print the status; return 0 when all is well, 1 when something needs attention, 3 without a state."""
    document = _read(state)
    if document is None:
        return NOTHING_REACHABLE
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(status_lines(document, now()))
    return 1 if needs_attention(document) else 0


def why(state: Path | None, name: str) -> int:
    """Print why a session is where it is; return 0 on its primary, 1 off it, 3 without a state.

    Raises UsageError for a session that is not there.
    """
    document = _read(state)
    if document is None:
        return NOTHING_REACHABLE
    session = next((session for session in document["sessions"] if session["name"] == name), None)
    if session is None:
        known = ", ".join(session["name"] for session in document["sessions"]) or "none"
        raise UsageError(f"there is no session {name}; the state has: {known}")
    sys.stdout.write(why_lines(session, now()))
    return 1 if session["fallback_active"] else 0


def _read(state: Path | None) -> Document | None:
    """Return the status document of a state, None (and say so) where there is no state yet."""
    directory = state_directory(state, os.environ)
    if not (directory / "state.db").exists():
        sys.stderr.write(f"hermes-tui: no state in {directory} yet: open the dashboard, or `hermes-tui run`.\n")
        return None
    ledger = SqliteLedger.open(directory, read_only=True)
    try:
        return status_document(ledger.facts, Ownership(directory).owner, now())
    finally:
        ledger.close()
