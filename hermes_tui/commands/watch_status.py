"""`status --watch`: the status once, then a line for whatever changes; nothing while nothing does."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from hermes_tui.commands import wall_clock
from hermes_tui.commands.changes import Changes
from hermes_tui.commands.edge import FINE
from hermes_tui.config.locate import state_directory
from hermes_tui.core.errors import StateLockedError
from hermes_tui.core.text import plain
from hermes_tui.storage.faults import NoStateError
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.moment import next_boundary
from hermes_tui.view.status import Document, status_document, status_lines

LOOK_SECONDS: Final = 1.0
"""How often the state is looked at."""


def watch_status(state: Path | None, *, as_json: bool, sleep: Callable[[float], None] = time.sleep) -> int:
    """Print the status and what changes until somebody ends it; `sleep` waits for so many seconds."""
    return watch(StatusWatch(state_directory(state, os.environ), as_json=as_json).look, sleep)


def watch(look: Callable[[], None], sleep: Callable[[float], None] = time.sleep) -> int:
    """Look once a second until somebody ends it: SIGTERM as a matter of course, with code 0.

    Raises BrokenPipeError when nobody reads any more, changes or none.
    """
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(FINE))
    try:
        while True:
            look()
            sys.stdout.flush()
            _unless_nobody_reads()
            sleep(LOOK_SECONDS)
    finally:
        signal.signal(signal.SIGTERM, before)


def _unless_nobody_reads() -> None:
    """Raise BrokenPipeError where standard output is a pipe whose reader is gone; a write would tell only later."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sys.stdout, 0)
        if any(seen & (select.POLLERR | select.POLLHUP) for _, seen in poll.poll(0)):
            raise BrokenPipeError


class StatusWatch:
    """Prints what has changed in the state of a folder since it looked last. `now` is epoch seconds."""

    def __init__(self, directory: Path, *, as_json: bool, now: Callable[[], float] = wall_clock.now) -> None:
        self._directory = directory
        self._owner = Ownership(directory).owner
        self._changes = Changes(as_json=as_json)
        self._now = now
        self._ledger: SqliteLedger | None = None
        self._told_to_wait = False
        self._newest = 0
        self._sessions: dict[str, Document] = {}
        self._holds_until = 0.0

    def look(self) -> None:
        """Print the status when the state is first seen, then what changed; say once where there is none yet."""
        with suppress(StateLockedError):  # the next look finds it free
            try:
                self._look()
            except NoStateError:
                self._wait_for_one()

    def _wait_for_one(self) -> None:
        self._ledger = None
        if not self._told_to_wait:
            sys.stderr.write(f"hermes-tui: no state in {plain(str(self._directory))} yet: waiting for one\n")
            self._told_to_wait = True

    def _look(self) -> None:
        if self._ledger is None:
            ledger = SqliteLedger.open(self._directory, read_only=True)
            self._begin(ledger)
            self._ledger = ledger
            return
        changed = self._ledger.refresh()
        if changed:
            self._tell_events(self._ledger)
        if changed or self._now() >= self._holds_until:
            self._tell_standings(self._ledger)

    def _begin(self, ledger: SqliteLedger) -> None:
        document = self._document(ledger)
        self._newest = ledger.position
        self._changes.status(document, status_lines(document, self._now()))

    def _document(self, ledger: SqliteLedger) -> Document:
        now = self._now()
        document = status_document(ledger.facts, self._owner, now)
        self._sessions = {session["name"]: session for session in document["sessions"]}
        self._holds_until = next_boundary(ledger.facts, now)
        return document

    def _tell_events(self, ledger: SqliteLedger) -> None:
        for number, event in ledger.tail(self._newest):
            self._newest = number
            self._changes.event(event)

    def _tell_standings(self, ledger: SqliteLedger) -> None:
        before = self._sessions
        self._document(ledger)
        self._changes.standings(before, self._sessions, self._now())
