"""Turns in flight: a lease that has run out, or whose process has ended, is none, though it stands in `state.db`."""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from hermes_tui.hermes.values import Conversation


class Flights:
    """Takes such leases off; gives the same object for the same answer, as who looks compares by that."""

    def __init__(self) -> None:
        self._given: tuple[Conversation, ...] = ()
        self._over: AbstractSet[str] = frozenset()
        self._left: tuple[Conversation, ...] = ()

    def left(self, given: tuple[Conversation, ...], given_up: AbstractSet[str], now: float) -> tuple[Conversation, ...]:
        """Return the conversations at `now`; `given_up` are the ids of those whose process has ended."""
        over = given_up | {one.id for one in given if one.busy_until is not None and one.busy_until <= now}
        if given is not self._given or over != self._over:
            self._given, self._over = given, over
            self._left = tuple(_at_rest(one) if one.id in over else one for one in given) if over else given
        return self._left


def _at_rest(conversation: Conversation) -> Conversation:
    return replace(conversation, busy_since=None, busy_until=None, busy_by=None)
