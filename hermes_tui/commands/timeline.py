"""`timeline`: the course of a session as sentences or as JSON, read from the state without a model call."""

import json
import os
import sys
from pathlib import Path

from hermes_tui.commands.naming import session_named
from hermes_tui.commands.state import open_state
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import state_directory
from hermes_tui.core.chronicle import Chronicle
from hermes_tui.view.course_document import course_document, course_lines


def timeline(state: Path | None, name: str, since: float | None, *, as_json: bool) -> int:
    """Print which route served a session when; `since` is how many seconds back, None for all that is recorded.

    Return 0 on a primary that works, else 1. Raises UsageError for a session that is not there.
    """
    at = now()
    with open_state(state_directory(state, os.environ)) as ledger:
        session = session_named(name, ledger.facts)
        begin = at - since if since is not None else None
        chronicle = Chronicle(begin)
        chronicle.add(event for _, event in ledger.history(None, begin or 0.0))
        course = chronicle.course(ledger.facts, session, at)
    if as_json:
        sys.stdout.write(json.dumps(course_document(course), indent=2, ensure_ascii=False) + "\n")
    else:
        show(course_lines(course))
    return 1 if session.on_fallback or session.exhaustion is not None else 0
