"""The lines of a session as events: what the screen and the timeline tell of it."""

from collections.abc import Iterator

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import (
    AttemptFailed,
    CredentialBenched,
    Event,
    FallbackActivated,
    PrimaryRestored,
    PrimaryVerified,
    RestoreFailed,
    RestoreRefused,
    TurnCompleted,
    TurnStarted,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.timeline import UNNAMED, events
from hermes_tui.hermes.values import Happening, Kind
from tests.hermes.made import DAY, FALLBACK, ID, NOW, PRIMARY, happening

NAMES = {ID: "weekly"}
TURN = happening(Kind.TURN, 60, provider="openai-codex", model="gpt-5.5", text=PlainText("Go on."))
LIMIT = PlainText("HTTP 429: The usage limit has been reached")
LEAVES = (
    happening(Kind.BENCHED, 59, credential="oauth-1", code=429),
    happening(Kind.FAILED, 59, provider="openai-codex", model="gpt-5.5", code=429, text=LIMIT),
    happening(Kind.BACKOFF, 59, reason="provider reset", until=NOW + DAY),
    happening(Kind.FALLBACK, 58, model="gpt-5.5", to_provider="custom", to_model="small"),
)
BACK = happening(Kind.RESTORED, 61, provider="openai-codex", model="gpt-5.5")


def told(*happenings: Happening) -> Iterator[Event]:
    return (event for _, event in events(happenings, NAMES, (FALLBACK,)))


def test_a_switch_tells_who_failed_how_until_when_and_where_it_went() -> None:
    begun, failed, benched, left = sorted(told(TURN, *LEAVES), key=lambda event: (event.time, event.type))
    assert isinstance(begun, TurnStarted)
    assert (begun.turn, begun.prompt, begun.session) == (1, "Go on.", "weekly")
    assert isinstance(failed, AttemptFailed)
    assert (failed.credential, failed.status, failed.kind) == ("oauth-1", 429, FailureKind.USAGE_LIMIT)
    assert isinstance(benched, CredentialBenched)
    assert (benched.provider, benched.until, benched.source) == ("openai-codex", NOW + DAY, Said.PROVIDER)
    assert isinstance(left, FallbackActivated)
    assert (left.position, f"{left.provider}/{left.model}", left.reason) == (1, "custom/small", "usage limit")


def test_a_bench_whose_date_no_line_tells_is_left_out() -> None:
    assert not [event for event in told(TURN, LEAVES[0], LEAVES[1]) if isinstance(event, CredentialBenched)]


def test_a_dead_login_has_no_date() -> None:
    died = happening(Kind.DEAD, 59, credential="oauth-1", code=401, reason="token_revoked")
    (event,) = (event for event in told(TURN, died) if isinstance(event, CredentialBenched))
    assert (event.until, event.reason) == (None, FailureKind.AUTH_REVOKED)


def test_a_restore_is_verified_by_the_first_answer_of_the_primary_alone() -> None:
    called = happening(Kind.CALLED, 59, provider="openai-codex", model="gpt-5.5", text=PlainText("in=9 out=7"))
    again = happening(Kind.CALLED, 50, provider="openai-codex", model="gpt-5.5", text=PlainText("in=9 out=7"))
    found = list(told(BACK, TURN, called, again))
    assert [event.type for event in found] == ["primary_restored", "turn_started", "primary_verified"]
    assert isinstance(found[0], PrimaryRestored)
    assert isinstance(found[2], PrimaryVerified)


def test_a_restore_after_which_it_leaves_again_has_failed() -> None:
    assert [event.type for event in told(BACK, TURN, *LEAVES) if isinstance(event, RestoreFailed)] == ["restore_failed"]


def test_an_answer_tells_its_route_its_length_and_what_it_took() -> None:
    called = happening(Kind.CALLED, 58, provider=PRIMARY.provider, model=PRIMARY.model, text=PlainText("in=9 out=7"))
    answered = happening(Kind.ANSWERED, 57, model=PRIMARY.model)
    *_, event = told(TURN, called, answered)
    assert isinstance(event, TurnCompleted)
    assert (event.latency, event.input_tokens, event.output_tokens, event.credential) == (3.0, 9, 7, UNNAMED)


def test_a_wait_for_the_reset_tells_until_when() -> None:
    waits = happening(Kind.RESTORE_WAITS, 5, until=NOW + DAY, text=PlainText("staying on fallback"))
    (event,) = told(waits)
    assert isinstance(event, RestoreRefused)
    assert event.until == NOW + DAY


def test_what_concerns_no_session_that_is_shown_is_left_out() -> None:
    assert list(events((TURN,), {"another": "x"}, ())) == []


def test_a_route_that_is_no_longer_in_the_chain_stands_behind_it() -> None:
    (*_, left) = (event for _, event in events((TURN, LEAVES[-1]), NAMES, (PRIMARY,)))
    assert isinstance(left, FallbackActivated)
    assert left.position == 2
