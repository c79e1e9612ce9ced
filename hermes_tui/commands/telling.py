"""Telling the user what happens in the sessions that this process runs, and in those of a home that it shows."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress

from hermes_tui.core.event import Event
from hermes_tui.core.facts import Facts
from hermes_tui.core.ports import Clock, Ledger
from hermes_tui.core.session import Session
from hermes_tui.core.source import Source
from hermes_tui.core.telling import Wanted
from hermes_tui.view.reminding import Away, next_reminder, reminders, still_away
from hermes_tui.view.telling import Bursts, Notice, next_release, notices

Means = Callable[[Sequence[Notice]], Awaitable[None]]
"""Brings notices to the user; what happens before it is done waits, and is counted."""


class _Pace:
    """What was told when, and so what is due; `wanted` is what to tell, asked each time. Times are epoch seconds."""

    def __init__(self, wanted: Callable[[], Wanted], now: float) -> None:
        self._wanted = wanted
        self._bursts: Bursts = {}
        self._away: Away = {}
        self._looked_at = now

    def due_at(self, now: float) -> float | None:
        """Return when something is to be told though nothing new happens, None where nothing is."""
        due = (next_release(self._bursts, now), next_reminder(self._away, self._wanted().remind_seconds, now))
        return min((at for at in due if at is not None), default=None)

    def told(
        self, fresh: Iterable[Event], sessions: Iterable[Session], facts: Facts, now: float, *, ending: bool = False
    ) -> tuple[Notice, ...]:
        """Return what is to be told now: of new events, and again of those `sessions` that stay off their primary."""
        wanted = self._wanted()
        told, self._bursts = notices(self._bursts, fresh, wanted.on, now, ending=ending)
        return told + self._again(sessions, facts, wanted.remind_seconds, now)

    def _again(self, sessions: Iterable[Session], facts: Facts, every: float | None, now: float) -> tuple[Notice, ...]:
        """Return reminders of what was there when this was asked last, and is still: what came just now is seen."""
        before, looked_at = self._away, self._looked_at
        self._away, self._looked_at = still_away(before, sessions, now), now
        if every is None:
            return ()
        stays = {name: since for name, since in self._away.items() if name in before}
        return reminders(stays, facts, looked_at, every, now)


class Teller:
    """Tells by one means what happens from now on in the sessions that `runs` tells to be ours.

    Whoever runs a session tells of it, so that two processes on one state tell nothing twice. `wanted` is what to
    tell, asked each time: a changed file takes effect at once.
    """

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        means: Means,
        *,
        wanted: Callable[[], Wanted],
        runs: Callable[[str], bool],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._means = means
        self._runs = runs
        self._last = ledger.position
        self._pace = _Pace(wanted, clock.now())
        self._changed = asyncio.Event()
        self._ending = False

    async def run(self) -> None:
        """Tell until cancelled, or until `end`."""
        self._changed.set()  # something may have come since this was made
        unsubscribe = self._ledger.subscribe(self._changed.set)
        try:
            was_last = False
            while not was_last:
                await self._wait()
                was_last = self._ending
                await self._tell()
        finally:
            unsubscribe()

    def end(self) -> None:
        """Have `run` tell what is left, and return."""
        self._ending = True
        self._changed.set()

    async def _wait(self) -> None:
        """Wait for something new, or until something that was kept back may be told."""
        now = self._clock.now()
        due = self._pace.due_at(now)
        if due is None:
            await self._changed.wait()
        else:
            with suppress(TimeoutError):
                async with self._clock.timeout(due - now):
                    await self._changed.wait()
        self._changed.clear()

    async def _tell(self) -> None:
        entries, facts = self._ledger.tail(self._last), self._ledger.facts
        if entries:
            self._last = entries[-1][0]
        events = [event for _, event in entries if event.session is not None and self._runs(event.session)]
        ours = (session for session in facts.sessions.values() if self._runs(session.name))
        told = self._pace.told(events, ours, facts, self._clock.now(), ending=self._ending)
        if told:
            await self._means(told)


class HomeTeller:
    """Tells by one means what happens from now on in the sessions of a home, as long as somebody watches it.

    What its first reading tells is no news, nor what was read late: it is older. Reminded is of those that are open.
    """

    def __init__(self, home: Source, means: Means, *, wanted: Callable[[], Wanted]) -> None:
        shown = home.snapshot()
        self._home, self._means = home, means
        self._since, self._revision, self._last = shown.at, shown.revision, 0
        self._pace = _Pace(wanted, home.now())

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            await self._tell()
            await self._wait()

    async def _wait(self) -> None:
        """Wait for something new, or until something that was kept back may be told."""
        now = self._home.now()
        due = self._pace.due_at(now)
        with suppress(TimeoutError):
            async with asyncio.timeout(due - now if due is not None else None):
                await self._home.changed(self._revision)

    async def _tell(self) -> None:
        shown = self._home.snapshot()
        self._revision = shown.revision
        fresh = [event for number, event in shown.events if number > self._last and event.time >= self._since]
        self._last = max((self._last, *(number for number, _ in shown.events[-1:])))
        is_open = (state.row for state in shown.sessions if state.owner is not None)
        told = self._pace.told(fresh, is_open, shown.facts, self._home.now())
        if told:
            await self._means([notice.of(shown.source) for notice in told])
