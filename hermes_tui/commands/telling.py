"""Telling the user what happens in the sessions that this process runs."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from hermes_tui.core.ports import Clock, Ledger
from hermes_tui.core.telling import Wanted
from hermes_tui.view.reminding import Away, next_reminder, reminders, still_away
from hermes_tui.view.telling import Bursts, Notice, next_release, notices

Means = Callable[[Sequence[Notice]], Awaitable[None]]
"""Brings notices to the user; what happens before it is done waits, and is counted."""


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
        self._wanted = wanted
        self._runs = runs
        self._last = ledger.position
        self._bursts: Bursts = {}
        self._away: Away = {}
        self._looked_at = clock.now()
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
        due = (next_release(self._bursts, now), next_reminder(self._away, self._wanted().remind_seconds, now))
        times = [at for at in due if at is not None]
        if not times:
            await self._changed.wait()
        else:
            with suppress(TimeoutError):
                async with self._clock.timeout(min(times) - now):
                    await self._changed.wait()
        self._changed.clear()

    async def _tell(self) -> None:
        entries, wanted, now = self._ledger.tail(self._last), self._wanted(), self._clock.now()
        if entries:
            self._last = entries[-1][0]
        events = [event for _, event in entries if event.session is not None and self._runs(event.session)]
        told, self._bursts = notices(self._bursts, events, wanted.on, now, ending=self._ending)
        told += self._reminders(wanted.remind_seconds, now)
        if told:
            await self._means(told)

    def _reminders(self, every: float | None, now: float) -> tuple[Notice, ...]:
        """Return which sessions are to be told of again."""
        facts, looked_at, self._looked_at = self._ledger.facts, self._looked_at, now
        ours = (session for session in facts.sessions.values() if self._runs(session.name))
        self._away = still_away(self._away, ours, now)
        return reminders(self._away, facts, looked_at, every, now) if every is not None else ()
