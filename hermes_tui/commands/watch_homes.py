"""`status --hermes --watch`: where the sessions of a real Hermes stand, then a line for whatever changes."""

from collections.abc import Callable
from typing import Final

from hermes_tui.commands import wall_clock
from hermes_tui.commands.changes import Changes
from hermes_tui.commands.homes import Asked, Opened, opened
from hermes_tui.commands.watch_status import watch
from hermes_tui.core.text import PlainText
from hermes_tui.view.homes import homes_document, homes_lines
from hermes_tui.view.moment import next_boundary
from hermes_tui.view.status import Document

_NEVER: Final = float("-inf")


def watch_homes(asked: Asked, *, as_json: bool) -> int:
    """Print the status of the homes and what changes until somebody ends it, as `status --watch` does."""
    return watch(HomesWatch(asked, as_json=as_json).look)


class HomesWatch:
    """Prints what has changed in homes since it looked last. `now` is epoch seconds."""

    def __init__(self, asked: Asked, *, as_json: bool, now: Callable[[], float] = wall_clock.now) -> None:
        self._now = now
        self._changes = Changes(as_json=as_json)
        homes = opened(asked, now)
        self._homes = [
            _Watched(home, Changes(as_json=as_json, profile=home.profile if len(homes) > 1 else None)) for home in homes
        ]
        self._begun = False

    def look(self) -> None:
        """Print the status at the first look, then what changed."""
        now = self._now()
        if self._begun:
            for home in self._homes:
                home.look(now)
            return
        self._begun = True
        for home in self._homes:
            home.begin(now)
        document = homes_document([home.opened.shown() for home in self._homes], now)
        self._changes.status(document, homes_lines(document, now))


class _Watched:
    """One home, and what was told of it."""

    def __init__(self, opened: Opened, changes: Changes) -> None:
        self.opened = opened
        self._changes = changes
        self._revision = 0
        self._newest = _NEVER
        self._problem: PlainText | None = None
        self._notes: tuple[PlainText, ...] = ()
        self._sessions: dict[str, Document] = {}
        self._holds_until = _NEVER

    def begin(self, now: float) -> None:
        """Take what stands there now for told."""
        snapshot = self.opened.source.snapshot()
        self._revision, self._problem, self._notes = snapshot.revision, snapshot.problem, snapshot.notes
        self._newest = max((number for number, _ in snapshot.events), default=_NEVER)
        self._judge(now)

    def look(self, now: float) -> None:
        """Tell what is new."""
        snapshot = self.opened.source.look()
        if snapshot.revision != self._revision:
            self._revision = snapshot.revision
            for number, event in snapshot.events:
                if number > self._newest:
                    self._newest = number
                    self._changes.event(event)
            if snapshot.problem != self._problem:
                self._problem = snapshot.problem
                self._changes.problem(snapshot.problem, now)
            for note in snapshot.notes:
                if note not in self._notes:
                    self._changes.note(note, now)
            self._notes = snapshot.notes
        elif now < self._holds_until:
            return
        before = self._sessions
        self._judge(now)
        self._changes.standings(before, self._sessions, now)

    def _judge(self, now: float) -> None:
        document = homes_document([self.opened.shown()], now)
        self._sessions = {session["name"]: session for session in document["sessions"]}
        self._holds_until = next_boundary(self.opened.source.snapshot().facts, now)
