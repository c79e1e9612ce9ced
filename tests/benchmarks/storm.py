"""A storm: sessions away from their primary, to which so much happens that a screen has to choose what it draws.

`python -m tests.benchmarks.storm ours|bare|naive ROWS RATE` shows it, with RATE events a second.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle
from typing import Final

from hermes_tui.core.acts import Command
from hermes_tui.core.event import AttemptFailed, Event, RequestSent, TurnCompleted, TurnStarted
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.preview import Preview, preview
from hermes_tui.core.session import Message, Phase, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.engine.snapshots import EVENTS_SHOWN
from hermes_tui.tui.app import HermesApp
from tests.benchmarks.bare import BareApp
from tests.benchmarks.naive import NaiveApp
from tests.benchmarks.staging import names
from tests.core.made import BACKUP, NOW, away, benched, facts, pool

KEYS: Final = 20
STEP_SECONDS: Final = 0.01
MOST_SECONDS: Final = 0.1
"""What happens in a longer time than this is left out."""

SAID: Final = PlainText("Three endpoints moved, and the tests that name them follow.")

Happening = tuple[Session, Event]
"""A session as it is from now on, and the event that made it so."""


def happenings(sessions: Sequence[Session], now: Callable[[], float]) -> Iterator[Happening]:
    """Yield what happens, without end: turns that begin, are sent, fail once, and are answered."""
    rows = {session.name: session for session in sessions}
    for number, name in zip(count(), cycle(rows)):
        event = _event(number // len(rows) % 4, name, now())
        row = rows[name]
        begins, ends = isinstance(event, TurnStarted), isinstance(event, TurnCompleted)
        phase = Phase.RUNNING if begins else Phase.IDLE if ends else row.phase
        rows[name] = replace(row, phase=phase, turns=row.turns + begins)
        yield rows[name], event


def _event(step: int, name: str, now: float) -> Event:
    by = {"provider": BACKUP.provider, "model": BACKUP.model, "credential": "one"}
    match step:
        case 0:
            return TurnStarted(time=now, session=name, turn=1, prompt=SAID)
        case 1:
            return RequestSent(time=now, session=name, attempt=1, **by)
        case 2:
            kind = FailureKind.OVERLOADED
            return AttemptFailed(time=now, session=name, status=529, kind=kind, message=SAID, latency=0.4, **by)
        case _:
            return TurnCompleted(
                time=now, session=name, text=SAID, latency=2.0, first_token=0.4, input_tokens=9, output_tokens=9, **by
            )


class Storm:
    """Implements `core.source.Source`: nothing can be done about it."""

    desk = None
    examiner = None

    def __init__(self, rows: int) -> None:
        labels = [f"key-{number:02}" for number in range(KEYS)]
        self.sessions = [away(name) for name in names(rows)]
        self._facts = facts(*self.sessions, *map(benched, labels), codex=pool("openai-codex", *labels))
        self._events: deque[tuple[int, Event]] = deque(maxlen=EVENTS_SHOWN)
        self._revision = 1
        self._changed = asyncio.Event()
        self._made: Snapshot | None = None

    def happen(self, happening: Happening) -> None:
        """Let something happen."""
        session, event = happening
        self._facts.put(session)
        self._events.append((self._revision, event))
        self._revision += 1
        self._changed.set()

    def now(self) -> float:
        """Return the time in epoch seconds."""
        return NOW + asyncio.get_running_loop().time()

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        if self._made is None or self._made.revision != self._revision:
            known = self._facts.copy(self._made.facts if self._made else None)
            states = tuple(SessionState(row, "own") for row in known.sessions.values())
            self._made = Snapshot(self._revision, self.now(), "own", known, states, tuple(self._events))
        return self._made

    async def changed(self, revision: int) -> Snapshot:
        """Wait until something has happened since `revision`."""
        while self._revision == revision:
            self._changed.clear()
            await self._changed.wait()
        return self.snapshot()

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:  # noqa: ARG002 - the source's
        """Return nothing: no screen of the storm asks."""
        return ()

    async def messages(self, session: str) -> tuple[Message, ...]:  # noqa: ARG002 - the source's
        """Return nothing: no screen of the storm asks."""
        return ()

    def preview(self, command: Command) -> Preview:
        """Return what the real preview says."""
        return preview(command, self.snapshot(), self.now())

    async def execute(self, command: Command) -> PlainText:
        """Do nothing."""
        return PlainText(f"{type(command).__name__} does nothing here")


async def blow(happen: Callable[[Happening], None], what: Iterator[Happening], rate: int) -> None:
    """Let `rate` things happen a second, as evenly as the loop allows; who cannot keep up is spared the rest."""
    loop = asyncio.get_running_loop()
    before = loop.time()
    while True:
        await asyncio.sleep(STEP_SECONDS)
        now = loop.time()
        for _ in range(round(min(now - before, MOST_SECONDS) * rate)):
            happen(next(what))
        before = now


def show(kind: str, rows: int, rate: int) -> None:
    """Show the storm until the terminal is closed."""
    storm = Storm(rows)
    what = happenings(storm.sessions, storm.now)
    if kind == "ours":
        HermesApp(storm, start=lambda _app: blow(storm.happen, what, rate)).run()
    elif kind == "bare":
        BareApp(lines=names(rows), start=lambda: blow(storm.happen, what, rate)).run()
    else:
        NaiveApp(storm.sessions, storm.now, lambda app: blow(app.happen, what, rate)).run()


if __name__ == "__main__":
    show(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
