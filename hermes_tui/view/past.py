"""What a session went through, turn by turn, from its events."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, TypeVar

from hermes_tui.core.event import (
    CONCERN_ALL,
    AttemptFailed,
    Event,
    FallbackActivated,
    FallbackSkipped,
    RequestSent,
    TurnStarted,
)

E = TypeVar("E", bound=Event)

COLLAPSE_SECONDS: Final = 300.0
"""Turns, or events, within so much time that are alike are told once, with how many they are (C127)."""


@dataclass(slots=True, eq=False)
class Turn:
    """A turn and its events, oldest first; `started_at` in epoch seconds."""

    number: int
    started_at: float
    events: list[Event] = field(default_factory=list)

    def of(self, kind: type[E]) -> list[E]:
        """Return the turn's events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def newest(self, kind: type[E]) -> E | None:
        """Return the turn's newest event of a kind."""
        return next((event for event in reversed(self.events) if isinstance(event, kind)), None)

    @property
    def way(self) -> tuple[object, ...]:
        """How the turn left its route: what two turns that went the same way have in common."""
        hops = [(event.provider, event.model, event.reason) for event in self.of(FallbackActivated)]
        failures = [(event.provider, event.model, event.kind) for event in self.of(AttemptFailed)]
        skips = [(event.provider, event.model, event.kind) for event in self.of(FallbackSkipped)]
        return (*hops, *failures, *skips)


class Past:
    """The turns of one session. Events come with their journal numbers, oldest first, and may come twice."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.newest = 0
        self.taken = 0
        """How many events of the session are known: what is told of it changes with this number alone."""
        self._turns: list[Turn] = []
        self._begun: dict[float, Turn] = {}

    def add(self, events: Sequence[tuple[int, Event]]) -> None:
        """Take in what is newer than what is known."""
        fresh = list(takewhile(lambda entry: entry[0] > self.newest, reversed(events)))
        for number, event in reversed(fresh):
            self.newest = number
            if event.session == self.session and isinstance(event, TurnStarted):
                turn = self._begun[event.time] = Turn(event.turn, event.time)
                self._turns.append(turn)
                self.taken += 1
            elif self._turns and self._concerns(event):
                self._turns[-1].events.append(event)
                self.taken += 1

    def _concerns(self, event: Event) -> bool:
        """Tell whether an event is part of the turn: its own, or the fate of a credential that it has used."""
        if event.session == self.session:
            return True
        used = {(sent.provider, sent.credential) for sent in self._turns[-1].of(RequestSent)}
        what = (getattr(event, "provider", None), getattr(event, "credential", None))
        return event.type in CONCERN_ALL and what in used

    def turn_begun(self, at: float) -> Turn | None:
        """Return the turn that began at `at` (epoch seconds), as its prompt did; None where nothing is known of it."""
        return self._begun.get(at)

    def alike(self, turn: Turn) -> int:
        """Return how many turns the line of `turn` stands for: 0 where an earlier one's does."""
        way = turn.way
        index = first = self._turns.index(turn)
        while first and self._turns[first - 1].way == way:
            first -= 1
        while True:
            end = first + 1
            began = self._turns[first].started_at
            while end < len(self._turns) and self._turns[end].way == way:
                if self._turns[end].started_at - began > COLLAPSE_SECONDS:
                    break
                end += 1
            if index < end:
                return end - first if index == first else 0
            first = end
