"""A turn is in flight while its lease runs and its process lives."""

from dataclasses import replace

from hermes_tui.core.text import PlainText
from hermes_tui.hermes.flights import Flights
from hermes_tui.hermes.values import Conversation

BUSY = Conversation("s1", PlainText("one"), "cli", busy_since=900.0, busy_until=1_200.0, busy_by=4711)
OTHER = replace(BUSY, id="s2")
GIVEN = (BUSY, OTHER)


def at_rest(left: tuple[Conversation, ...]) -> list[str]:
    return [one.id for one in left if (one.busy_since, one.busy_until, one.busy_by) == (None, None, None)]


def test_while_all_fly_the_very_same_are_given() -> None:
    assert Flights().left(GIVEN, frozenset(), 1_000.0) is GIVEN


def test_a_turn_whose_process_has_ended_is_none() -> None:
    left = Flights().left(GIVEN, {"s1"}, 1_000.0)
    assert at_rest(left) == ["s1"]
    assert left[1] is OTHER


def test_a_lease_that_ran_out_is_none_from_that_moment_on() -> None:
    flights = Flights()
    assert flights.left(GIVEN, frozenset(), 1_199.9) is GIVEN
    assert at_rest(flights.left(GIVEN, frozenset(), 1_200.0)) == ["s1", "s2"]


def test_the_same_answer_is_the_same_object() -> None:
    flights = Flights()
    first = flights.left(GIVEN, {"s1"}, 1_000.0)
    assert flights.left(GIVEN, {"s1"}, 1_001.0) is first
    assert flights.left((BUSY,), {"s1"}, 1_001.0) is not first
