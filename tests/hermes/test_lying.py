"""A session that comes to a lying probe is an event, once; what was so from the beginning is none."""

from dataclasses import replace

from hermes_tui.core.event import LyingProbeDiagnosed
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.values import Kind
from tests.hermes.made import BENCHED, FREE, LEFT, NOW, POOLLESS, conversation, happening, reading
from tests.hermes.test_source import home

AGAIN = happening(Kind.SAME_AGAIN, 599)
AT_HOME = reading(FREE, spoken=conversation())
AWAY = reading(BENCHED, told=(*LEFT, POOLLESS))
LIES = reading(BENCHED, told=(*LEFT, POOLLESS, AGAIN))


async def told(*readings: Reading) -> list[tuple[str | None, str]]:
    """Return the lies that are told when a home reads like this, one after the other."""
    source, _ = home(*readings)
    for _ in readings:
        source.snapshot()
        await source._look()
    events = (event for _, event in source.snapshot().events if isinstance(event, LyingProbeDiagnosed))
    return [(event.session, f"{event.provider}/{event.model} {event.text}") for event in events]


async def test_a_session_that_comes_to_lie_is_told_once_with_its_primary_and_what_its_diagnosis_says() -> None:
    ((session, text),) = await told(AWAY, LIES, replace(LIES, at=NOW + 1))
    assert session == "weekly"
    assert text.startswith("openai-codex/gpt-5.5 ")
    assert "quota" in text


async def test_it_is_told_again_where_it_was_over_in_between() -> None:
    assert len(await told(AT_HOME, LIES, AT_HOME, LIES)) == 2


async def test_what_the_first_reading_says_is_no_news_nor_what_is_listed_late() -> None:
    assert await told(LIES, replace(LIES, at=NOW + 1)) == []
    assert await told(replace(LIES, conversations=()), LIES) == []
