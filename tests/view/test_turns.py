"""Which route answered, how a turn went, and what it waits for: said in its place, quietly, in full on demand."""

from dataclasses import replace

import pytest

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import (
    AttemptAbandoned,
    ConversationCompacted,
    CredentialBenched,
    Event,
    RetryScheduled,
    SealedHistoryDropped,
    SessionInterrupted,
    TurnFailed,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import Exhaustion, Phase
from hermes_tui.core.snapshot import Live
from hermes_tui.core.text import plain
from hermes_tui.view.conversation import message_page
from hermes_tui.view.line import Style, text_of
from hermes_tui.view.past import COLLAPSE_SECONDS
from tests.tui.fakes import NOW, at, story_snapshot
from tests.view.talking import (
    BEGUN,
    NAME,
    asked,
    completed,
    failed,
    prompt,
    read,
    reply,
    seen,
    shown,
    speaking,
    started,
    turns,
    walked,
)

PRIMARY, FALLBACK = "openai-codex/gpt-5", "zai/glm-5"


def test_a_reply_says_its_route_when_how_long_and_how_many_tokens() -> None:
    events = (started(1, BEGUN), asked(BEGUN + 1, FALLBACK, "key-1"), completed(BEGUN + 20, FALLBACK, "key-1"))
    assert "zai/glm-5 · 13:07:42 · 21.5 s · 340 tokens" in seen(read(events), speaking(turns(1)))


def test_c124_a_reply_by_another_route_than_the_one_before_stands_out() -> None:
    said = (
        *turns(1),
        prompt(2, "?", 5.0),
        reply(3, "x", 6.0, PRIMARY),
        prompt(4, "?", 7.0),
        reply(5, "y", 8.0, PRIMARY),
    )
    body = shown(read(), speaking(said))
    heads = [row.line[0] for row in body.rows if row.line and "/" in row.line[0].text]
    assert [part.style for part in heads] == [Style.STRONG, Style.COOLING, Style.STRONG]
    assert "openai-codex/gpt-5 (before: zai/glm-5) · 1 Jan" in [text_of(row.line) for row in body.rows]


def test_c124_the_reply_that_streams_has_the_route_of_its_request() -> None:
    said = (prompt(0, "?", BEGUN),)
    events = (started(1, BEGUN), asked(BEGUN + 1, PRIMARY, "oauth-1"))
    moment = speaking(said, live=Live(plain("so far"), at(14, 7, 11)))
    assert "openai-codex/gpt-5 · asked 14:07:11" in seen(read(events), moment)
    assert "zai/glm-5 · asked 14:07:11" in seen(read((*events, asked(BEGUN + 2, FALLBACK, "key-1"))), moment)


def test_a_walk_is_one_quiet_line_and_every_request_on_demand() -> None:
    reading, moment = read(walked(1, BEGUN)), speaking(turns(1))
    assert "  openai-codex/gpt-5 › zai/glm-5: 429 usage limit · o shows all" in seen(reading, moment)
    reading.unfold()
    text = "\n".join(seen(reading, moment, 100))
    for told in (
        "Every request · o folds",
        "13:07:23  request asks openai-codex/gpt-5 with oauth-1, attempt 1",
        "13:07:24  fail    openai-codex/gpt-5 (oauth-1): 429 usage limit: no more today",
        "13:07:25  switch  › 1  openai-codex/gpt-5 › zai/glm-5: 429 usage limit",
        "13:07:25  request asks zai/glm-5 with key-1, attempt 1",
        "13:07:42  turn    answered by zai/glm-5 in 21.5 s, 340 tokens",
    ):
        assert told in text
    reading.unfold()
    assert "Every request" not in "\n".join(seen(reading, moment))


def test_the_fate_of_a_used_credential_is_part_of_the_turn_whoever_caused_it() -> None:
    fate = CredentialBenched(
        time=BEGUN + 5,
        session="triage",
        provider="openai-codex",
        credential="oauth-1",
        model=None,
        until=NOW,
        source=Said.PROVIDER,
        reason=FailureKind.USAGE_LIMIT,
        code=429,
        message=plain("limit"),
    )
    other = replace(fate, credential="oauth-2")
    reading, moment = read((*walked(1, BEGUN), fate, other)), speaking(turns(1))
    seen(reading, moment)
    reading.unfold()
    text = "\n".join(seen(reading, moment, 100))
    assert "openai-codex/oauth-1 cools down" in text
    assert "oauth-2" not in text


def test_c127_turns_that_went_the_same_way_are_told_once_with_their_number() -> None:
    said = turns(30)
    events = tuple(event for turn in range(30) for event in walked(turn + 1, BEGUN + 60.0 * turn))
    lines = seen(read(events), speaking(said), room=1000)
    told = [line for line in lines if "usage limit" in line]
    per_line = int(COLLAPSE_SECONDS // 60) + 1
    assert [line.rpartition(" · o")[0][-3:].strip() for line in told] == [f"×{per_line}"] * (30 // per_line)


ENDINGS: list[tuple[Event, str]] = [
    (
        TurnFailed(time=BEGUN + 9, session=NAME, error=plain("No route could answer. a/b: 429."), earliest=NOW + 60),
        "  Failed 13:07:31: No route could answer. a/b: 429. Earliest return 14:08:22.",
    ),
    (
        SessionInterrupted(time=BEGUN + 9, session=NAME, why=plain("you stopped it")),
        "  Stopped 13:07:31: you stopped it. What was written by then is not kept.",
    ),
    (
        AttemptAbandoned(time=BEGUN + 9, session=NAME, provider="a", model="b", credential="c", latency=3.0),
        "  a/b was left after 3.0 s. What it had written is not kept.",
    ),
    (
        ConversationCompacted(time=BEGUN + 9, session=NAME, left_out=1),
        "  1 older message left out so that the conversation fits.",
    ),
    (
        SealedHistoryDropped(time=BEGUN + 9, session=NAME, provider="a", model="b", messages=2),
        "  The sealed parts of 2 messages were dropped: a/b does not accept them.",
    ),
]


@pytest.mark.parametrize(("event", "told"), ENDINGS, ids=[event.type for event, _ in ENDINGS])
def test_what_became_of_a_turn_is_said_in_its_place(event: Event, told: str) -> None:
    said = (prompt(0, "First?", BEGUN), prompt(1, "Second?", BEGUN + 60))
    lines = seen(read((started(1, BEGUN), event, started(2, BEGUN + 60))), speaking(said), 90)
    assert lines.index("  First?") < lines.index(told) < lines.index("  Second?")


def test_a_turn_whose_events_are_gone_says_so_when_asked() -> None:
    reading, moment = read(), speaking(turns(1))
    seen(reading, moment)
    reading.unfold()
    assert "  What happened in this turn is not known." in seen(reading, moment)


def test_a_message_opens_as_a_page_with_everything_about_its_turn() -> None:
    reading, moment = read(walked(1, BEGUN)), speaking(turns(2))
    seen(reading, moment)
    body = message_page(reading, 1, moment, 90)
    lines = [text_of(row.line) for row in body.rows]
    assert body.title == "Message 2 of 4 of nightly-docs"
    assert lines[1] == "  Answer 0 of many."
    assert "Turn 1, since 13:07:22" in lines


def waiting(room: int, cells: int = 76) -> list[str]:
    """Return the panel while nightly-docs waits before its third attempt."""
    state = story_snapshot().sessions[0]
    events = (
        started(1, BEGUN),
        asked(BEGUN + 1, PRIMARY, "oauth-1"),
        failed(BEGUN + 2, PRIMARY, "oauth-1", FailureKind.RATE_LIMIT),
        RetryScheduled(time=BEGUN + 2, session=NAME, provider="openai-codex", model="gpt-5", until=NOW + 12, attempt=3),
    )
    row = replace(state.row, phase=Phase.WAITING)
    moment = speaking((prompt(0, "?", BEGUN),), row=row, live=Live(waiting_until=NOW + 12))
    return seen(read(events), moment, cells, room)


def test_a_wait_says_until_when_which_attempt_after_what_and_offers_its_acts() -> None:
    lines = waiting(20, 110)
    assert lines[-2] == (
        "Waits 0:12 (until 14:07:34) for zai/glm-5: attempt 3, after 429 rate limit of openai-codex/oauth-1."
    )
    assert lines[-1] == "w Retry now   f Use the fallback now   x Stop (asks)"


def test_in_the_smallest_panel_a_wait_still_has_a_line_of_words_and_one_of_buttons() -> None:
    lines = waiting(7, 38)
    assert lines[-2].startswith("Waits 0:12 (until 14:07:34)")
    assert lines[-1].startswith("w Retry now   f Use the fallback now")
    assert all(len(line) <= 38 for line in lines)


def test_an_exhausted_session_says_when_the_earliest_route_returns_and_why_an_act_is_refused() -> None:
    state = story_snapshot().sessions[0]
    row = replace(state.row, phase=Phase.IDLE, exhaustion=Exhaustion(NOW - 60, (), NOW + 761))
    body = shown(read(), speaking((prompt(0, "?", 1.0),), row=row), 110)
    told, buttons = (text_of(line) for line in body.foot[:2])
    assert told == "No route could answer at 14:06:22; the earliest returns in 12:41 (14:20:03)."
    assert "w Retry now: nightly-docs is not waiting" in buttons
    acts = {part.act for line in body.foot for part in line if part.style is Style.KEY}
    assert acts == {"use_fallback"}
