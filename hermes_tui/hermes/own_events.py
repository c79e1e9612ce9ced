"""What this program itself did and heard in a home, numbered among what the logs tell."""

from collections import deque
from operator import itemgetter
from typing import Final

from hermes_tui.core.event import Event

Numbered = tuple[tuple[int, Event], ...]

_REMEMBERED: Final = 100
"""So many of the newest are kept."""


class OwnEvents:
    """The events of this process; each stands where it came in, for good."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, Event]] = deque(maxlen=_REMEMBERED)
        self._unnumbered: list[Event] = []
        self._told: tuple[Numbered, Numbered] = ((), ())

    def add(self, *events: Event) -> None:
        """Remember what happened just now."""
        self._unnumbered += events

    def told(self, heard: Numbered) -> Numbered:
        """Return the events of the logs with those of this process among them."""
        for event in self._unnumbered:
            before = (*heard[-1:], *list(self._events)[-1:])
            self._events.append((max((number for number, _ in before), default=0) + 1, event))
        if self._unnumbered or heard is not self._told[0]:
            self._unnumbered.clear()
            own = tuple(self._events)
            self._told = (heard, tuple(sorted((*heard, *own), key=itemgetter(0))) if own else heard)
        return self._told[1]
