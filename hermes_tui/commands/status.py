"""`status` and `why`: where every session stands and why, read from the state without a model call."""

import json
import os
import sys
from pathlib import Path
from typing import Final

from hermes_tui.commands.naming import session_named
from hermes_tui.commands.state import open_state
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import state_directory
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.status import is_off, needs_attention, status_document, status_lines, why_lines
from hermes_tui.view.trace import trace_lines

_LOOKED_BACK: Final = 5000
"""Events in which the skips of a session's last walk are looked for."""


def status(state: Path | None, *, as_json: bool, with_archived: bool = False) -> int:
    """Print the status, of archived sessions too where they are asked for.

    Return 0 when all is well, 1 when something needs attention.
    """
    directory = state_directory(state, os.environ)
    with open_state(directory) as ledger:
        document = status_document(ledger.facts, Ownership(directory).owner, now(), with_archived=with_archived)
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(status_lines(document, now()))
    return 1 if needs_attention(document) else 0


def why(state: Path | None, name: str) -> int:
    """Print why a session is where it is, and what became of each entry of its chain; facts say it when none is left.

    Return 0 on a primary that works, else 1. Raises UsageError for a session that is not there.
    """
    directory = state_directory(state, os.environ)
    with open_state(directory) as ledger:
        document = status_document(ledger.facts, Ownership(directory).owner, now())
        row = session_named(name, ledger.facts)
        events = [event for _, event in ledger.recent(_LOOKED_BACK)]
    sessions = {session["name"]: session for session in document["sessions"]}
    tried = "" if row.exhaustion is not None else trace_lines(row, events, now())
    show(why_lines(sessions[name], now()) + tried)
    return 1 if is_off(sessions[name]) else 0
