"""Events in words, and their repetitions."""

from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from hermes_tui.core import codec
from hermes_tui.core.event import Event, FallbackActivated, GateState, RequestSent
from hermes_tui.core.text import plain
from hermes_tui.view.event_words import tell
from hermes_tui.view.events import entries, event_detail, events
from hermes_tui.view.line import ARROW, text_of
from hermes_tui.view.moment import Moment
from tests.tui.fakes import NOW, at, story_events


def example(kind: type[Event]) -> Event:
    """Return an event of `kind` with something in every field."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for field in fields(kind):
        hint = hints[field.name]
        values[field.name] = _value(hint, field.name)
    return kind(**values)


def _value(hint: Any, name: str) -> Any:
    text = str(hint)
    if "GateState" in text:
        return (GateState(name="pool", passed=False, changes_at=NOW, text=plain("waits")),)
    if text.startswith("tuple"):
        return ("a", "b")
    if "float" in text:
        return NOW if name in ("time", "until", "expires_at", "at", "earliest") else 1.5
    if "int" in text and "Plain" not in text:
        return 1
    if "bool" in text:
        return True
    if isinstance(hint, type) and hasattr(hint, "__members__"):
        return next(iter(hint.__members__.values()))
    return plain("[/]")


@pytest.mark.parametrize("kind", sorted(codec.EVENTS.values(), key=str))
def test_every_event_is_told_in_a_sentence_of_its_own(kind: type[Event]) -> None:
    told = tell(example(kind))
    assert told.topic != "event", kind
    assert 0 < len(told.topic) <= 7
    assert told.text


def test_the_events_are_newest_first_with_time_topic_and_sentence(afternoon: Moment) -> None:
    rows = [text_of(row.line) for row in events(afternoon, 110).rows]
    assert rows[0] == "14:06:30  you     reset chain triage: index back to 0"
    assert rows[2] == f"14:05:40  switch  nightly-docs {ARROW} 2 openai-codex/gpt-5 {ARROW} zai/glm-5: 429 usage limit"
    assert rows[-1] == "14:01:00  config  hermes-tui.toml loaded"


def switches(number: int, every: float) -> tuple[tuple[int, Event], ...]:
    """Return so many switches of one session, so many seconds apart."""
    switch = next(event for event in story_events() if isinstance(event, FallbackActivated))
    from dataclasses import replace  # noqa: PLC0415

    return tuple((index, replace(switch, time=NOW + index * every)) for index in range(number))


def test_m48_thirty_switches_within_the_interval_are_one_line_with_a_counter() -> None:
    (entry,) = entries(switches(30, 5.0))
    assert entry.times == 30
    assert entry.number == 29


def test_m48_switches_further_apart_than_the_interval_stand_alone() -> None:
    assert [entry.times for entry in entries(switches(3, 400.0))] == [1, 1, 1]


def test_what_happens_at_every_request_is_kept_out() -> None:
    sent = RequestSent(time=NOW, session="s", provider="zai", model="glm-5", credential="key-1", attempt=1)
    assert entries(((1, sent),)) == ()


def test_an_event_can_be_read_in_full(afternoon: Moment) -> None:
    rows = " ".join(text_of(row.line) for row in event_detail(6, afternoon, 50).rows)
    assert "not believed until 14:25:40" in rows
    assert str(at(14, 5, 40)) not in rows
