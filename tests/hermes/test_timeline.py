"""The lines of a session as events: what the screen and the timeline tell of it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import (
    ActPerformed,
    AttemptFailed,
    CredentialBenched,
    Event,
    FallbackActivated,
    FallbackSkipped,
    PrimaryRestored,
    PrimaryVerified,
    RestoreFailed,
    RestoreRefused,
    SessionInterrupted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import SkipReason
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


def test_a_failure_without_a_login_is_not_laid_to_the_one_that_failed_before_it() -> None:
    again = tuple(replace(line, time=line.time + 2) for line in (BACK, TURN, *LEAVES[1:]))
    found = list(told(TURN, *LEAVES, *again))
    assert [event.credential for event in found if isinstance(event, AttemptFailed)] == ["oauth-1", UNNAMED]
    assert len([event for event in found if isinstance(event, CredentialBenched)]) == 1


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


def test_what_the_user_did_by_a_bridge_is_told_of_its_session_or_of_the_login() -> None:
    restore = happening(Kind.ACT, 5, reason="force_restore", text=PlainText("the primary is asked."))
    clear = Happening(NOW, Kind.ACT, credential="openai-codex", reason="clear_cooldown", text=PlainText("Done."))
    assert list(told(restore, clear)) == [
        ActPerformed(time=restore.time, session="weekly", act="force_restore", target="weekly", effect=restore.text),
        ActPerformed(time=NOW, act="clear_cooldown", target="openai-codex", effect=clear.text),
    ]


def test_what_concerns_no_session_that_is_shown_is_left_out() -> None:
    assert list(events((TURN,), {"another": "x"}, ())) == []


def test_a_route_that_is_no_longer_in_the_chain_stands_behind_it() -> None:
    (*_, left) = (event for _, event in events((TURN, LEAVES[-1]), NAMES, (PRIMARY,)))
    assert isinstance(left, FallbackActivated)
    assert left.position == 2


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("credential pool is exhausted (every entry in cooldown)", SkipReason.COOLING),
        ("resolves to the same backend as the current one (custom)", SkipReason.ALREADY_TRIED),
        ("Model small has a context window of 8,192 tokens", SkipReason.TOO_SMALL),
        ("is not locally usable (nous_token_missing); suppressing for this session", SkipReason.NO_CREDENTIAL),
        ("provider not configured", SkipReason.NOT_CONFIGURED),
    ],
)
def test_an_entry_that_is_passed_over_tells_why_in_hermes_words(reason: str, kind: SkipReason) -> None:
    (event,) = told(happening(Kind.SKIPPED, 59, provider="custom", model="small", reason=reason))
    assert isinstance(event, FallbackSkipped)
    assert (event.position, event.provider, event.model) == (1, "custom", "small")
    assert (event.kind, event.reason, event.until) == (kind, reason, None)


def test_a_turn_without_an_answer_tells_once_why() -> None:
    spent = happening(Kind.ENDED, 58, reason="retries are used up", text=PlainText("HTTP 503: down"))
    end = happening(Kind.ENDED, 57, reason="all_retries_exhausted", text=PlainText("all_retries_exhausted"))
    later = (replace(TURN, time=NOW - 50), replace(spent, time=NOW - 48))
    found = [event for event in told(TURN, spent, end, *later) if isinstance(event, TurnFailed)]
    assert [(event.error, event.earliest, event.exhausted) for event in found] == [("HTTP 503: down", None, True)] * 2


def test_a_turn_that_ends_for_another_reason_has_not_used_up_its_routes() -> None:
    *_, event = told(TURN, happening(Kind.ENDED, 58, reason="max_iterations_reached"))
    assert isinstance(event, TurnFailed)
    assert not event.exhausted


@pytest.mark.parametrize("act", ["use_fallback", "take_chain"])
def test_a_switch_is_by_hand_where_it_was_asked_for_and_no_turn_has_begun_since(act: str) -> None:
    asked, done = (happening(Kind.ACT, ago, reason=act) for ago in (55, 49))
    switch = happening(Kind.FALLBACK, 50, model="gpt-5.5", to_provider="custom", to_model="small")
    turn, fails = replace(TURN, time=NOW - 48), replace(LEAVES[1], time=NOW - 41)
    lines = (TURN, asked, switch, done, turn, fails, replace(switch, time=NOW - 40))
    assert [event.by_user for event in told(*lines) if isinstance(event, FallbackActivated)] == [True, False]


def test_a_switch_for_a_failure_is_not_by_hand_though_one_was_asked_for_in_its_turn() -> None:
    asked = happening(Kind.ACT, 59.5, reason="use_fallback")
    assert [event.by_user for event in told(TURN, asked, *LEAVES) if isinstance(event, FallbackActivated)] == [False]


def test_a_switch_is_not_by_hand_where_something_else_was_asked_for() -> None:
    lines = (TURN, happening(Kind.ACT, 59, reason="force_restore"), LEAVES[-1])
    assert [event.by_user for event in told(*lines) if isinstance(event, FallbackActivated)] == [False]


def test_a_turn_that_was_interrupted_has_not_failed() -> None:
    *_, event = told(TURN, happening(Kind.ENDED, 58, reason="interrupted_by_user"))
    assert isinstance(event, SessionInterrupted)
    assert event.why == "interrupted_by_user"


def test_an_event_keeps_its_number_when_lines_follow_and_when_the_oldest_are_forgotten() -> None:
    lines = (BACK, TURN, *LEAVES)
    whole = dict(events(lines, NAMES, (FALLBACK,)))
    assert list(whole) == sorted(whole)
    for cut in range(len(lines)):
        assert dict(events(lines[:cut], NAMES, (FALLBACK,))).items() <= whole.items()
    assert dict(events(lines[1:], NAMES, (FALLBACK,), first=2)).keys() < whole.keys()
