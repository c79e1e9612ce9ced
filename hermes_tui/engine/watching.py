"""Watching what this process does not do itself: what others write and run, a clock that is set, entries grown old."""

from collections.abc import Callable
from functools import partial
from typing import Final

from hermes_tui.core.decision import Decision, nothing
from hermes_tui.core.errors import StateLockedError
from hermes_tui.core.event import ClockStepped
from hermes_tui.core.facts import Facts
from hermes_tui.core.lifecycle import step_clock
from hermes_tui.engine.clock import STEP_SECONDS, EngineClock
from hermes_tui.engine.elsewhere import Elsewhere
from hermes_tui.engine.roster import Roster
from hermes_tui.engine.surroundings import Surroundings

LOOK_SECONDS: Final = 1.0
PRUNE_SECONDS: Final = 3600.0
"""How often old journal entries are dropped."""


class Watch:
    """Looks around once a second; of a state that cannot be written it only reads.

    `roster` knows who runs which session, and begins what others have made; `elsewhere` is told who else runs one, and
    `on_change` called when that changed.
    """

    def __init__(
        self,
        around: Surroundings,
        clock: EngineClock,
        roster: Roster,
        elsewhere: Elsewhere | None,
        on_change: Callable[[], None],
    ) -> None:
        self._around = around
        self._clock = clock
        self._roster = roster
        self._elsewhere = elsewhere
        self._on_change = on_change
        self._seen_others: dict[str, int | None] = {}
        self._seen_entry = around.ledger.position
        self._prune_at = clock.now()

    async def run(self) -> None:
        """Look around until cancelled."""
        self.look_at_others()
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            self._around.ledger.refresh()
            self.look_at_others()
            if self._around.ledger.refusal is None:
                self._prune()
                await self._follow_clock()
                await self._roster.begin_new()

    def look_at_others(self) -> None:
        """See who runs what by now."""
        others = self._roster.others()
        if self._elsewhere is not None:
            self._elsewhere.owned(others)
        if others != self._seen_others:
            self._seen_others = others
            self._on_change()

    def _prune(self) -> None:
        """Drop old journal entries, a few at each look, until there are no more."""
        now = self._clock.now()
        if now < self._prune_at:
            return
        try:
            gone = self._around.ledger.prune(now)
        except StateLockedError:
            return
        if not gone:
            self._prune_at = now + PRUNE_SECONDS

    async def _follow_clock(self) -> None:
        """Carry durations over a wall clock that was set, once for all processes (M23)."""
        if step := self._clock.wall_step():
            await self._around.commit(partial(self._step, step, self._seen_entry))
        self._seen_entry = self._around.ledger.position

    def _step(self, step: float, since: int, facts: Facts) -> Decision[None]:
        """Carry over what of `step` others have not since the journal entry that the last look saw."""
        entries = self._around.ledger.tail(since)
        left = step - sum(event.step for _, event in entries if isinstance(event, ClockStepped))
        return nothing(None) if abs(left) < STEP_SECONDS else step_clock(facts, left, self._clock.now())
