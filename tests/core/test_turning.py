"""After a failed request: retry, rotate, recover, compact, go on, or give up (M2 ... M9)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.configuration import OnRefusal, Settings
from hermes_tui.core.credential import Failed, TokenKey
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.turning import (
    Compact,
    GiveUp,
    NextRoute,
    RecoverPrimary,
    Retry,
    Rotate,
    Step,
    TurnState,
    after_failure,
    backoff_seconds,
    understood,
)
from tests.core.made import BACKUP, HOUR, NOW, PRIMARY, failure

RETRYABLE = (
    FailureKind.CONNECTION,
    FailureKind.TIMEOUT,
    FailureKind.SERVER_ERROR,
    FailureKind.OVERLOADED,
    FailureKind.INVALID_RESPONSE,
    FailureKind.BLOCKED,
    FailureKind.UNKNOWN,
)
TRANSPORT = RETRYABLE[:3]
LIMITS = (FailureKind.RATE_LIMIT, FailureKind.USAGE_LIMIT)
TOKEN = TokenKey("openai-codex", "one", "f-one")


def _state(**fields: Any) -> TurnState:
    return TurnState(**({"deadline": NOW + 1800.0} | fields))


def _step(said: Failure, state: TurnState | None = None, *, on_primary: bool = True, **settings: Any) -> Step:
    return after_failure(
        said, state or _state(), Settings(**settings), on_primary=on_primary, now=NOW, dice=lambda: 0.5
    )


@pytest.mark.parametrize("kind", RETRYABLE)
def test_m2_a_retryable_failure_is_retried_until_the_attempts_are_used_up(kind: FailureKind) -> None:
    steps = [_step(failure(kind), _state(retry_count=count), on_primary=False) for count in range(3)]
    assert steps == [Retry(2.0), Retry(4.0), NextRoute()]


def test_m2_max_retries_counts_attempts() -> None:
    assert _step(failure(FailureKind.UNKNOWN), max_retries=1) == NextRoute()
    assert isinstance(_step(failure(FailureKind.UNKNOWN), _state(retry_count=3), max_retries=5), Retry)


def test_m2_a_retry_after_within_the_range_is_honoured() -> None:
    assert _step(failure(FailureKind.OVERLOADED, retry_after=30.0)) == Retry(30.0)


@pytest.mark.parametrize("retry_after", [0.0, 1.9, 120.1, 86400.0])
def test_m2_a_retry_after_outside_the_range_is_not(retry_after: float) -> None:
    assert _step(failure(FailureKind.OVERLOADED, retry_after=retry_after)) == Retry(2.0)


def test_m11_a_wait_beyond_the_turns_deadline_is_not_begun() -> None:
    assert _step(failure(FailureKind.UNKNOWN), _state(deadline=NOW + 2.0)) == NextRoute()
    assert _step(failure(FailureKind.UNKNOWN), _state(deadline=NOW + 2.1)) == Retry(2.0)


@pytest.mark.parametrize("kind", TRANSPORT)
def test_m3_the_primary_is_recovered_once_when_its_attempts_are_used_up(kind: FailureKind) -> None:
    assert _step(failure(kind), _state(retry_count=2)) == RecoverPrimary()
    assert _step(failure(kind), _state(retry_count=2, primary_recovery_attempted=True)) == NextRoute()


@pytest.mark.parametrize("kind", [FailureKind.INVALID_RESPONSE, FailureKind.OVERLOADED, FailureKind.UNKNOWN])
def test_m3_what_a_new_connection_cannot_help_skips_the_recovery(kind: FailureKind) -> None:
    assert _step(failure(kind), _state(retry_count=2)) == NextRoute()


@pytest.mark.parametrize("kind", TRANSPORT)
def test_m3_a_fallback_route_is_not_recovered(kind: FailureKind) -> None:
    assert _step(failure(kind), _state(retry_count=2), on_primary=False) == NextRoute()


@pytest.mark.parametrize("kind", [*LIMITS, FailureKind.BILLING, FailureKind.AUTH, FailureKind.AUTH_REVOKED])
@pytest.mark.parametrize("on_primary", [True, False])
def test_m5_limits_billing_and_sign_in_rotate_at_once(kind: FailureKind, on_primary: bool) -> None:
    assert _step(failure(kind, retry_after=5.0), on_primary=on_primary) == Rotate()


@pytest.mark.parametrize("reset_in", [-5.0, 0.0, 0.5, 5.0])
def test_m5_nothing_is_waited_for_while_min_switch_reset_seconds_is_off(reset_in: float) -> None:
    assert _step(failure(FailureKind.USAGE_LIMIT, reset_in=reset_in)) == Rotate()


@pytest.mark.parametrize("kind", LIMITS)
def test_m5_a_near_reset_is_waited_out_on_the_primary(kind: FailureKind) -> None:
    near = failure(kind, reset_in=20.0)
    assert _step(near, min_switch_reset_seconds=20) == Retry(20.0)
    assert _step(near, min_switch_reset_seconds=19) == Rotate()
    assert _step(near, min_switch_reset_seconds=20, on_primary=False) == Rotate()


def test_m5_a_limit_without_a_reset_or_that_is_none_is_not_waited_out() -> None:
    assert _step(failure(FailureKind.USAGE_LIMIT), min_switch_reset_seconds=60) == Rotate()
    assert _step(failure(FailureKind.BILLING, reset_in=5.0), min_switch_reset_seconds=60) == Rotate()


@pytest.mark.parametrize("kind", [FailureKind.MODEL_UNAVAILABLE, FailureKind.WRONG_ENDPOINT, FailureKind.NO_CREDENTIAL])
def test_m9_what_no_retry_mends_goes_on_at_once(kind: FailureKind) -> None:
    assert _step(failure(kind)) == NextRoute()


def test_m9_a_malformed_request_fails_the_turn() -> None:
    assert _step(failure(FailureKind.BAD_REQUEST)) == GiveUp()


def test_m9_a_content_refusal_stops_by_default_and_goes_on_where_wanted() -> None:
    assert _step(failure(FailureKind.REFUSED)) == GiveUp()
    assert _step(failure(FailureKind.REFUSED), on_refusal=OnRefusal.FALLBACK) == NextRoute()


def test_m9_an_overflow_is_compacted_at_most_three_times() -> None:
    steps = [_step(failure(FailureKind.CONTEXT_OVERFLOW), _state(compression_attempts=count)) for count in range(4)]
    assert steps == [Compact(), Compact(), Compact(), NextRoute()]


def test_m6_a_new_route_starts_with_every_counter_at_zero() -> None:
    used = _state(retry_count=2, compression_attempts=3, primary_recovery_attempted=True, tried=(PRIMARY,))
    fresh = used.on_new_route(BACKUP)
    assert (fresh.retry_count, fresh.compression_attempts, fresh.primary_recovery_attempted) == (0, 0, False)
    assert fresh.tried == (PRIMARY, BACKUP)
    assert fresh.deadline == used.deadline


def test_m18_a_rotation_remembers_what_failed_and_gives_the_next_its_own_attempts() -> None:
    state = _state(retry_count=2, primary_recovery_attempted=True).without(frozenset({Failed(TOKEN, None)}))
    assert (state.retry_count, state.primary_recovery_attempted) == (0, True)
    assert state.on_new_route(BACKUP).failed_for("small") == frozenset({TOKEN})


CUT = failure(FailureKind.INVALID_RESPONSE, scope=Scope.REQUEST)


def test_c25_a_second_cut_after_the_same_text_says_why_and_is_not_asked_for_again() -> None:
    first, state = understood(CUT, "Once upon", _state())
    assert (first, state.cut_again) == (CUT, False)
    assert isinstance(_step(first, state), Retry)
    second, state = understood(CUT, "Once upon", state)
    assert (second.kind, second.scope) == (CUT.kind, CUT.scope)
    assert "output filter" in second.message
    assert CUT.message in second.message
    assert _step(second, state) == NextRoute()


@pytest.mark.parametrize(
    ("said", "received"),
    [
        (CUT, "Once"),
        (CUT, ""),
        (failure(FailureKind.TIMEOUT), "Once upon"),
        (failure(FailureKind.CONNECTION), "Once upon"),
    ],
)
def test_c25_another_text_none_at_all_or_another_failure_is_what_it_is(said: Failure, received: str) -> None:
    _, state = understood(CUT, "Once upon", _state())
    assert understood(said, received, state)[0] == said


def test_c25_two_cuts_before_any_text_are_two_invalid_responses() -> None:
    _, state = understood(CUT, "", _state())
    assert understood(CUT, "", state)[0] == CUT


def test_c25_another_route_has_cut_nothing_yet() -> None:
    _, state = understood(CUT, "Once upon", _state())
    assert understood(CUT, "Once upon", state.on_new_route(BACKUP))[0] == CUT


def test_m17_c56_what_failed_for_one_model_may_serve_the_next_route_with_another() -> None:
    state = _state().without(frozenset({Failed(TOKEN, "gpt")})).on_new_route(BACKUP)
    assert state.failed_for("gpt") == frozenset({TOKEN})
    assert state.failed_for("mini") == frozenset()


@given(
    st.integers(0, 10_000),
    st.floats(0, 1, exclude_max=True),
    st.floats(-10, HOUR) | st.none(),
    st.floats(0.1, 60),
    st.floats(1, 100),
)
def test_m2_every_wait_lies_between_base_and_cap(
    retry: int, number: float, retry_after: float | None, base: float, times: float
) -> None:
    settings = Settings(backoff_base_seconds=base, backoff_cap_seconds=base * times)
    assert base <= backoff_seconds(retry, retry_after, settings, lambda: number) <= base * times


def test_m2_waits_double_and_jitter_by_a_quarter() -> None:
    waits = [backoff_seconds(retry, None, Settings(), lambda: 0.5) for retry in range(8)]
    assert waits == [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 120.0, 120.0]
    assert backoff_seconds(3, None, Settings(), lambda: 0.0) == 12.0
    assert backoff_seconds(3, None, Settings(), lambda: 0.9999) == pytest.approx(20.0, abs=0.01)
