"""Cooldowns: where their end comes from, and what a later failure may change (M14 ... M16)."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.cooldown import HORIZON_SECONDS, Cooldown, Said, cooldown_after, merged
from hermes_tui.core.failure import FailureKind, Reset, ResetSource
from tests.core.made import DAY, HOUR, MINUTE, NOW, bench, failure

LIMIT = FailureKind.USAGE_LIMIT


def _after(kind: FailureKind, *, reset_in: float | None = None, sole: bool = False) -> Cooldown:
    return cooldown_after(failure(kind, reset_in=reset_in, status=429), now=NOW, session="docs", sole=sole)


def test_m14_a_cooldown_ends_at_the_providers_reset() -> None:
    cooldown = _after(LIMIT, reset_in=2 * DAY)
    assert (cooldown.until, cooldown.source, cooldown.approximate) == (NOW + 2 * DAY, Said.PROVIDER, False)


@pytest.mark.parametrize("reset_in", [-DAY, 0.0, 0.4])
def test_m14_a_reset_that_has_passed_is_due_a_second_from_now_so_that_nothing_spins(reset_in: float) -> None:
    assert _after(LIMIT, reset_in=reset_in).until == NOW + 1.0


def test_m14_beyond_35_days_is_kept_as_35_days_and_marked_as_approximate() -> None:
    cooldown = _after(LIMIT, reset_in=36 * DAY)
    assert (cooldown.until, cooldown.approximate) == (NOW + HORIZON_SECONDS, True)
    assert HORIZON_SECONDS == 35 * DAY


def test_m14_exactly_35_days_is_taken_at_its_word() -> None:
    assert not _after(LIMIT, reset_in=35 * DAY).approximate


def test_m14_a_reset_whose_zone_was_assumed_stays_approximate() -> None:
    said = replace(failure(LIMIT), reset=Reset(NOW + HOUR, approximate=True))
    assert cooldown_after(said, now=NOW, session="docs", sole=False).approximate


@pytest.mark.parametrize("source", [*ResetSource, None])
def test_m14_a_cooldown_keeps_where_its_date_was_said(source: ResetSource | None) -> None:
    said = replace(failure(LIMIT), reset=Reset(NOW + HOUR, source=source))
    bench = cooldown_after(said, now=NOW, session="docs", sole=False)
    assert (bench.source, bench.said_in) == (Said.PROVIDER, source)


@pytest.mark.parametrize(
    ("kind", "sole", "seconds"),
    [
        (FailureKind.AUTH, False, 5 * MINUTE),
        (FailureKind.AUTH, True, 5 * MINUTE),
        (FailureKind.RATE_LIMIT, False, HOUR),
        (FailureKind.USAGE_LIMIT, False, HOUR),
        (FailureKind.BILLING, False, HOUR),
        (FailureKind.RATE_LIMIT, True, MINUTE),
        (FailureKind.USAGE_LIMIT, True, HOUR),
        (FailureKind.BILLING, True, HOUR),
    ],
)
def test_m15_without_a_reset_the_end_is_assumed_by_kind(kind: FailureKind, sole: bool, seconds: float) -> None:
    cooldown = _after(kind, sole=sole)
    assert (cooldown.until, cooldown.source, cooldown.approximate) == (NOW + seconds, Said.ASSUMED, True)


def test_m15_a_given_reset_outranks_the_minute_of_a_sole_credential() -> None:
    assert _after(FailureKind.RATE_LIMIT, reset_in=20.0, sole=True).until == NOW + 20.0


def test_m10_a_cooldown_names_the_session_whose_request_met_it_with_code_and_message() -> None:
    cooldown = _after(LIMIT)
    assert (cooldown.session, cooldown.code, cooldown.message, cooldown.reason) == ("docs", 429, "as it said", LIMIT)
    assert (cooldown.since, cooldown.last_at) == (NOW, NOW)


def test_m16_a_known_date_is_not_erased_by_an_assumption() -> None:
    known = bench(20 * MINUTE)
    kept = merged(known, bench(HOUR, source=Said.ASSUMED, approximate=True), NOW)
    assert (kept.until, kept.source, kept.approximate) == (known.until, Said.PROVIDER, False)


def test_m16_a_providers_later_date_moves_the_deadline_back() -> None:
    assert merged(bench(HOUR), bench(2 * HOUR), NOW).until == NOW + 2 * HOUR


def test_m16_a_providers_earlier_date_moves_nothing() -> None:
    assert merged(bench(2 * HOUR), bench(HOUR), NOW).until == NOW + 2 * HOUR


def test_m16_a_kept_date_keeps_its_own_reason() -> None:
    known = bench(reason=LIMIT)
    kept = merged(known, bench(300, reason=FailureKind.AUTH, code=401), NOW)
    assert (kept.until, kept.reason, kept.code) == (known.until, LIMIT, 429)


def test_m10_a_date_that_stays_names_the_session_whose_request_confirmed_it_last() -> None:
    known = bench(2 * HOUR, session="first", last_at=NOW - HOUR)
    kept = merged(known, bench(HOUR, session="second", last_at=NOW), NOW)
    assert (kept.until, kept.session, kept.last_at) == (known.until, "second", NOW)


def test_m16_a_providers_later_date_takes_the_place_of_an_assumption() -> None:
    kept = merged(bench(HOUR, source=Said.ASSUMED), bench(2 * HOUR), NOW)
    assert (kept.until, kept.source) == (NOW + 2 * HOUR, Said.PROVIDER)


def test_c37_a_later_429_without_details_wipes_no_known_date() -> None:
    known = cooldown_after(failure(LIMIT, reset_in=3 * DAY), now=NOW, session="docs", sole=False)
    for kind in (LIMIT, FailureKind.RATE_LIMIT, FailureKind.BILLING, FailureKind.AUTH):
        bare = cooldown_after(failure(kind), now=NOW + HOUR, session="s2", sole=False)
        kept = merged(known, bare, NOW + HOUR)
        assert kept == replace(known, last_at=NOW + HOUR, session="s2")


@pytest.mark.parametrize(
    ("known", "new"), [(better, worse) for better, worse in combinations([*ResetSource], 2)], ids=str
)
def test_c37_a_worse_source_moves_no_date_of_a_better_one(known: ResetSource, new: ResetSource) -> None:
    exact = bench(HOUR, said_in=known)
    later = bench(2 * HOUR, said_in=new, approximate=True, last_at=NOW)
    assert merged(exact, later, NOW) == replace(exact, last_at=NOW)
    assert merged(replace(later, until=NOW + MINUTE), exact, NOW).until == exact.until


def test_m16_another_limit_moves_the_date_whatever_its_source() -> None:
    burst = bench(20.0, FailureKind.RATE_LIMIT, said_in=ResetSource.BODY_WAIT)
    week = bench(2 * DAY, said_in=ResetSource.SENTENCE)
    assert merged(burst, week, NOW) == replace(week, since=burst.since)


def test_m16_a_date_that_has_passed_binds_nobody() -> None:
    new = bench(MINUTE, source=Said.ASSUMED)
    assert merged(bench(-1.0), new, NOW) == new
    assert merged(bench(0.0), new, NOW) == new
    assert merged(None, new, NOW) == new


def test_m46_one_bench_keeps_its_beginning_while_newer_failures_confirm_it() -> None:
    known = bench(HOUR, since=NOW - HOUR, last_at=NOW - HOUR)
    kept = merged(known, bench(2 * HOUR, since=NOW, last_at=NOW), NOW)
    assert (kept.since, kept.last_at) == (NOW - HOUR, NOW)


COOLDOWNS = st.builds(
    bench,
    st.floats(-DAY, 40 * DAY),
    st.sampled_from([LIMIT, FailureKind.RATE_LIMIT, FailureKind.AUTH, FailureKind.BILLING]),
    source=st.sampled_from(Said),
    said_in=st.sampled_from([None, *ResetSource]),
    approximate=st.booleans(),
)


@given(COOLDOWNS, COOLDOWNS)
def test_m16_a_merged_deadline_is_never_earlier_than_the_known_one(known: Cooldown, new: Cooldown) -> None:
    kept = merged(known, new, NOW)
    if known.ahead(NOW):
        assert kept.until >= known.until
    assert kept.until in (known.until, new.until)


@given(st.sampled_from(FailureKind), st.floats(-DAY, 100 * DAY) | st.none(), st.booleans())
def test_m14_every_cooldown_lies_between_its_floor_and_its_horizon(
    kind: FailureKind, reset_in: float | None, sole: bool
) -> None:
    assert NOW + 1.0 <= _after(kind, reset_in=reset_in, sole=sole).until <= NOW + HORIZON_SECONDS
