"""Which events are told, and how often: new events and a moved clock in, notices out."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import (
    CredentialBenched,
    Event,
    FallbackActivated,
    LyingProbeDiagnosed,
    PrimaryRestored,
    PrimaryVerified,
    QuestionAsked,
    TurnFailed,
    VerdictContradicted,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.telling import Occasion, occasion_of
from hermes_tui.core.text import PlainText
from hermes_tui.view.telling import NOTICE_LIMIT, QUIET_SECONDS, Bursts, Notice, next_release, notices
from tests.core.made import DAY, HOUR, NOW

WORDS = PlainText("usage limit reached")


def left(session: str = "docs", notice: str = "codex/gpt is left; backup/small answers now.") -> FallbackActivated:
    return FallbackActivated(
        time=NOW,
        session=session,
        position=1,
        provider="backup",
        model="small",
        left=PlainText("codex/gpt"),
        reason=WORDS,
        notice=PlainText(notice),
    )


def walk(*providers: str) -> list[Event]:
    """Return a turn's hops from the primary along `providers`."""
    names = ("codex", *providers)
    return [
        replace(left(), left=PlainText(f"{before}/small" if before != "codex" else "codex/gpt"), provider=after)
        for before, after in pairwise(names)
    ]


def verified(session: str = "docs") -> Event:
    return PrimaryVerified(time=NOW, session=session, provider="codex", model="gpt")


def restored() -> Event:
    return PrimaryRestored(time=NOW, session="docs", provider="codex", model="gpt", forced=False, notice=WORDS)


def failed(*, exhausted: bool) -> Event:
    return TurnFailed(time=NOW, session="docs", error=WORDS, earliest=None, exhausted=exhausted)


def benched(until: float | None) -> Event:
    return CredentialBenched(
        time=NOW,
        session="docs",
        provider="codex",
        credential="one",
        model=None,
        until=until,
        source=Said.PROVIDER,
        reason=FailureKind.AUTH_REVOKED,
        code=401,
        message=WORDS,
    )


def contradicted() -> Event:
    return VerdictContradicted(
        time=NOW, session="docs", provider="codex", account="acct", model="gpt", until=NOW + HOUR, count=1
    )


def asks(question: str = "May it run this?") -> Event:
    return QuestionAsked(time=NOW, session="docs", text=PlainText(question), about=PlainText("rm -r build"))


def lies() -> Event:
    return LyingProbeDiagnosed(time=NOW, session="docs", provider="codex", model="gpt", text=WORDS)


@dataclass
class Listener:
    """Somebody who is told, and a clock that the test moves."""

    on: Collection[Occasion] = tuple(Occasion)
    now: float = NOW
    bursts: Bursts = field(default_factory=dict)

    def hears(self, *events: Event, after: float = 0.0, ending: bool = False) -> list[Notice]:
        """Return what is told when `events` come `after` seconds."""
        self.now += after
        told, self.bursts = notices(self.bursts, events, self.on, self.now, ending=ending)
        return list(told)


@pytest.mark.parametrize(
    ("event", "occasion"),
    [
        (left(), Occasion.FALLBACK),
        (replace(left(), by_user=True), None),
        (verified(), Occasion.RESTORED),
        (restored(), None),
        (failed(exhausted=True), Occasion.EXHAUSTED),
        (failed(exhausted=False), None),
        (benched(None), Occasion.DEAD),
        (benched(NOW + HOUR), None),
        (contradicted(), Occasion.LYING_PROBE),
        (lies(), Occasion.LYING_PROBE),
        (asks(), Occasion.ASKS),
    ],
)
def test_what_is_worth_telling_and_what_is_not(event: Event, occasion: Occasion | None) -> None:
    assert occasion_of(event) is occasion
    assert [notice.about for notice in Listener().hears(event)] == ([occasion] if occasion else [])


def test_a_kind_that_is_not_asked_for_is_not_told() -> None:
    listener = Listener(on=(Occasion.RESTORED,))
    assert [notice.about for notice in listener.hears(left(), verified(), contradicted())] == [Occasion.RESTORED]
    assert listener.hears(after=QUIET_SECONDS) == []


def test_a_notice_says_which_session_and_what_happened() -> None:
    (notice,) = Listener().hears(left("nightly"))
    assert notice == (Occasion.FALLBACK, "nightly", "nightly: codex/gpt is left; backup/small answers now.")
    (notice,) = Listener().hears(failed(exhausted=True))
    assert notice == (Occasion.EXHAUSTED, "docs", f"docs failed: {WORDS}")


def test_the_first_is_told_at_once_and_what_follows_once_a_minute_with_a_count() -> None:
    listener = Listener()
    assert len(listener.hears(left())) == 1
    assert listener.hears(left(), after=1.0) == []
    assert listener.hears(left(notice="the last of them"), after=1.0) == []
    assert listener.hears(after=QUIET_SECONDS - 2.5) == []
    (notice,) = listener.hears(after=0.5)
    assert notice.text.startswith("2 times, the last: ")
    assert "the last of them" in notice.text
    assert listener.hears(left(), after=QUIET_SECONDS - 0.5) == []


def test_a_question_is_told_at_once_however_soon_it_follows_another() -> None:
    listener = Listener()
    (first,) = listener.hears(asks())
    assert first.text == "docs asks you: May it run this? rm -r build"
    (second,) = listener.hears(asks("Which colour?"), after=1.0)
    assert second.text.startswith("docs asks you: Which colour?")
    assert listener.hears(after=QUIET_SECONDS) == []
    assert listener.bursts == {}


def test_what_comes_together_is_one_notice() -> None:
    (notice,) = Listener().hears(*(left() for _ in range(40)))
    assert notice.text.startswith("40 times")


def test_c127_thirty_turns_that_each_walk_three_entries_are_one_line_a_minute_with_the_turns_counted() -> None:
    listener = Listener()
    told = [listener.hears(*walk("one", "two", "three"), after=10.0) for _ in range(30)]
    told.append(listener.hears(after=QUIET_SECONDS))
    assert [len(each) for each in told] == [1, *[0] * 5] * 5 + [1]
    counted = [notice.text.partition(" times")[0] for each in told for notice in each]
    assert [1, *map(int, counted[1:])] == [1, 6, 6, 6, 6, 5]


def test_kinds_and_sessions_do_not_silence_each_other() -> None:
    listener = Listener()
    assert len(listener.hears(left("docs"), left("triage"), verified("docs"))) == 3
    assert len(listener.hears(left("other"), contradicted(), after=1.0)) == 2


def test_the_next_release_is_when_what_waits_may_be_told() -> None:
    listener = Listener()
    assert next_release(listener.bursts, NOW) is None
    listener.hears(left())
    assert next_release(listener.bursts, NOW) is None
    listener.hears(left(), after=5.0)
    assert next_release(listener.bursts, listener.now) == NOW + QUIET_SECONDS
    assert len(listener.hears(after=QUIET_SECONDS - 5.0)) == 1


def test_nothing_is_remembered_of_what_was_told_long_ago() -> None:
    listener = Listener()
    listener.hears(*(left(f"s{number}") for number in range(100)))
    listener.hears(after=QUIET_SECONDS)
    assert listener.bursts == {}


def test_a_clock_that_is_set_back_silences_nobody() -> None:
    listener = Listener()
    listener.hears(left())
    assert len(listener.hears(left(), after=-DAY)) == 1


def test_at_the_end_nothing_is_kept_back() -> None:
    listener = Listener()
    listener.hears(left())
    listener.hears(left(), after=1.0)
    assert len(listener.hears(left(), ending=True)) == 1
    assert listener.hears(ending=True) == []


@pytest.mark.parametrize("make", [left, verified])
def test_a_notice_is_one_plain_line_whatever_the_event_holds(make: Callable[[str], Event]) -> None:
    (notice,) = Listener().hears(make("\x1b]0;owned\x07\n\u202e" + "x" * 2000))
    assert len(notice.text) <= NOTICE_LIMIT
    assert not set("\x1b\x07\n\u202e") & set(notice.text)
