"""Snapshots: made from the ledger and the runners when asked, the same object while nothing has changed."""

import asyncio
from collections.abc import Callable, Iterable

from hermes_tui.core.event import Event, SessionRenamed
from hermes_tui.core.facts import Facts
from hermes_tui.core.ports import Ledger
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.verdict import VerdictKey

EVENTS_SHOWN = 500


class SnapshotMaker:
    """Counts changes, wakes who waits for one, and builds a snapshot only when it is asked for."""

    def __init__(
        self,
        ledger: Ledger,
        facts: Callable[[], Facts],
        source: str,
        states: Callable[[], Iterable[SessionState]],
        asking: Callable[[], frozenset[VerdictKey]],
    ) -> None:
        self._ledger = ledger
        self._current_facts = facts
        self._source = source
        self._states = states
        self._asking = asking
        self._revision = 1
        self._changed = asyncio.Event()
        self._made: Snapshot | None = None
        self._events: tuple[tuple[int, Event], ...] = ledger.recent(EVENTS_SHOWN)
        self._facts = facts().copy()
        self._facts_are_old = False
        self._problem: PlainText | None = None
        self._stopped = False
        self._locked: PlainText | None = None
        self._read_only = None if ledger.refusal is None else one_line(str(ledger.refusal))
        ledger.subscribe(self._ledger_changed)

    def _ledger_changed(self) -> None:
        self._facts_are_old = True
        self.touch()

    def touch(self) -> None:
        """Say that something which is shown has changed."""
        self._revision += 1
        self._changed.set()

    def problem(self, text: PlainText | None) -> None:
        """Say why numbers may be old, or that all runs and none is."""
        self._problem, self._stopped = text, self._stopped and text is not None
        self.touch()

    def stopped(self, why: PlainText) -> None:
        """Say that a part of the engine has died."""
        self._problem, self._stopped = why, True
        self.touch()

    def locked(self, why: PlainText | None) -> None:
        """Say that what is decided waits to be written, or that it does no more."""
        self._locked = why
        self.touch()

    def current(self, now: float) -> Snapshot:
        """Return the snapshot of this moment."""
        if self._made is not None and self._made.revision == self._revision:
            return self._made
        if self._facts_are_old:
            self._facts, self._facts_are_old = self._current_facts().copy(self._facts), False
            newest = self._events[-1][0] if self._events else 0
            new = self._ledger.recent(EVENTS_SHOWN, newest)
            renamed = any(isinstance(event, SessionRenamed) for _, event in new)
            known = self._ledger.recent(EVENTS_SHOWN) if renamed else (*self._events, *new)
            self._events = known[-EVENTS_SHOWN:]
        before = {state.name: state for state in self._made.sessions} if self._made else {}
        states = tuple(_same(before.get(state.name), state) for state in self._states())
        self._made = Snapshot(
            revision=self._revision,
            at=now,
            source=self._source,
            facts=self._facts,
            sessions=states,
            events=self._events,
            problem=self._problem,
            engine_stopped=self._stopped,
            locked=self._locked,
            read_only=self._read_only,
            asking=self._asking(),
        )
        return self._made

    async def wait(self, revision: int) -> None:
        """Wait until the revision is not `revision`."""
        while self._revision == revision:
            self._changed.clear()
            await self._changed.wait()


def _same(before: SessionState | None, now: SessionState) -> SessionState:
    """Return the object that was there before where nothing of it has changed."""
    if before is None:
        return now
    same_parts = before.row is now.row and before.messages is now.messages and before.live == now.live
    return before if same_parts and _who(before) == _who(now) else now


def _who(state: SessionState) -> tuple[object, ...]:
    """Return who runs a session, and whether it can be acted on from here."""
    return state.owner, state.mine, state.takes_acts, state.silence, state.abandoned
