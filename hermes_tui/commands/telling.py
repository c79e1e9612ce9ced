"""Telling the user of what the ledger newly holds, whoever wrote it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress

from hermes_tui.core.ports import Clock, Ledger
from hermes_tui.core.telling import Occasion
from hermes_tui.view.telling import Bursts, Notice, next_release, notices

Means = Callable[[Sequence[Notice]], Awaitable[None]]
"""Brings notices to the user; what happens before it is done waits, and is counted."""


class Teller:
    """Tells by one means what happens from now on, of the kinds in `on`; of no sessions but `sessions` where given."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        on: Collection[Occasion],
        means: Means,
        *,
        sessions: Collection[str] | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._on = on
        self._means = means
        self._sessions = sessions
        self._last = ledger.position
        self._bursts: Bursts = {}
        self._changed = asyncio.Event()
        self._ending = False

    async def run(self) -> None:
        """Tell until cancelled, or until `end`; of no kind at all it returns at once."""
        if not self._on:
            return
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
        release = next_release(self._bursts, now)
        if release is None:
            await self._changed.wait()
        else:
            with suppress(TimeoutError):
                async with self._clock.timeout(release - now):
                    await self._changed.wait()
        self._changed.clear()

    async def _tell(self) -> None:
        entries = self._ledger.tail(self._last)
        if entries:
            self._last = entries[-1][0]
        events = [event for _, event in entries if self._concerns(event.session)]
        told, self._bursts = notices(self._bursts, events, self._on, self._clock.now(), ending=self._ending)
        if told:
            await self._means(told)

    def _concerns(self, session: str | None) -> bool:
        return self._sessions is None or session is None or session in self._sessions
