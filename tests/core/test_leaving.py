"""Leaving a route: the session's own cooldown, the walk along the chain, and its end (M6 ... M8, M22)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import FallbackActivated, FallbackSkipped, RestoreFailed, TurnFailed
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.leaving import (
    FAILING_LADDER_SECONDS,
    LIMIT_LADDER_SECONDS,
    Leave,
    Passed,
    Skip,
    activate,
    exhausted,
    failed,
    hold_route,
    ladder,
    leave_primary,
    skipped,
    why_skip,
)
from hermes_tui.core.pool import NobodyCanSay, Outlook, ReturnsAt, UsableNow
from hermes_tui.core.route import Link, Route
from hermes_tui.core.session import Phase, RouteHold, Session, SessionCooldown, SkipReason, Tried, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import TrialOutcome
from tests.core.made import (
    BACKUP,
    CHAIN,
    DAY,
    HOUR,
    NOW,
    PRIMARY,
    SPARE,
    after,
    away,
    bench,
    benched,
    configuration,
    dead,
    event_types,
    events,
    facts,
    failure,
    member,
    pool,
    session,
    trial,
    waits,
)

LIMIT, BROKEN = failure(FailureKind.USAGE_LIMIT, status=429), failure(FailureKind.SERVER_ERROR, status=503)


def _left(row: Session, said: Any = LIMIT, outlook: Outlook | None = None) -> Session:
    return leave_primary(row, said, "one", outlook or UsableNow(), NOW)


def _cooldown(row: Session) -> SessionCooldown:
    assert row.cooldown is not None
    return row.cooldown


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        (LIMIT_LADDER_SECONDS, [60, 120, 240, 480, 960, 1920, 3840, 7680, 14400, 14400]),
        (FAILING_LADDER_SECONDS, [15, 30, 60, 120, 240, 480, 600, 600]),
    ],
)
def test_m22_the_ladders_double_up_to_their_cap(steps: tuple[float, float], seconds: list[float]) -> None:
    assert [ladder(steps, hits) for hits in range(len(seconds))] == seconds
    assert ladder(steps, 10_000) == steps[1]


@pytest.mark.parametrize("kind", [FailureKind.USAGE_LIMIT, FailureKind.RATE_LIMIT, FailureKind.BILLING])
def test_m22_a_limit_arms_the_session_to_the_moment_its_pool_returns(kind: FailureKind) -> None:
    row = _left(session(limit_hits=3), failure(kind), ReturnsAt(NOW + 720, bench(720)))
    assert row.cooldown == SessionCooldown(WaitKind.LIMIT, NOW, NOW + 720, Said.PROVIDER)
    assert row.limit_hits == 4


def test_m22_an_assumed_return_stays_an_assumption() -> None:
    row = _left(session(), outlook=ReturnsAt(NOW + HOUR, bench(HOUR, source=Said.ASSUMED)))
    assert _cooldown(row).source is Said.ASSUMED


@pytest.mark.parametrize("outlook", [UsableNow(), NobodyCanSay(PlainText("dead"))])
def test_m22_without_a_date_consecutive_limits_climb_the_ladder(outlook: Outlook) -> None:
    row, seconds = session(), []
    for _ in range(3):
        row = _left(row, outlook=outlook)
        seconds.append(_cooldown(row).until - NOW)
    assert seconds == [60.0, 120.0, 240.0]
    assert _cooldown(row).source is Said.ASSUMED


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.SERVER_ERROR,
        FailureKind.TIMEOUT,
        FailureKind.INVALID_RESPONSE,
        FailureKind.AUTH,
        FailureKind.MODEL_UNAVAILABLE,
    ],
)
def test_m22_anything_else_arms_a_short_hold_whatever_the_pool_says(kind: FailureKind) -> None:
    row, seconds = session(limit_hits=2), []
    for _ in range(3):
        row = _left(row, failure(kind), ReturnsAt(NOW + 2 * DAY, bench()))
        seconds.append(_cooldown(row).until - NOW)
    assert seconds == [15.0, 30.0, 60.0]
    assert (_cooldown(row).kind, row.failing_hits, row.limit_hits) == (WaitKind.FAILING, 3, 2)


def test_m46_the_departure_says_when_why_and_whose_request_it_was() -> None:
    left = _left(session(wait_recorded=True, home_at=NOW)).departure
    assert left is not None
    assert (left.at, left.reason, left.code, left.credential) == (NOW, FailureKind.USAGE_LIMIT, 429, "one")


def test_m30_leaving_begins_a_new_episode() -> None:
    row = _left(session(wait_recorded=True, home_at=NOW))
    assert (row.wait_recorded, row.home_at) == (False, None)


def test_m22_a_fallback_that_failed_is_held_for_longer_each_time() -> None:
    row = session()
    for seconds in (15.0, 30.0, 60.0):
        row = hold_route(row, BACKUP, BROKEN, NOW)
        assert [(held.route, held.until) for held in row.holds] == [(BACKUP.key, NOW + seconds)]
    row = hold_route(row, SPARE, BROKEN, NOW)
    assert {held.route for held in row.holds} == {BACKUP.key, SPARE.key}
    assert row.hold_on(BACKUP, NOW) is not None
    assert row.hold_on(BACKUP, NOW + 60.0) is None


def _skip(link: Link, known: Facts | None = None, row: Session | None = None, **fields: Any) -> Skip | None:
    asked: dict[str, Any] = {"tried": (PRIMARY,), "tokens": 10, "now": NOW}
    return why_skip(known or facts(), row or session(), link, **(asked | fields))


def test_m7_a_usable_entry_is_not_skipped() -> None:
    assert _skip(Link(BACKUP)) is None


HELD = session(holds=(RouteHold(BACKUP.key, NOW + 9, 1, FailureKind.TIMEOUT),))
SMALL = Link(replace(BACKUP, context_length=9))
COOLING = facts(benched(pool_name="backup", seconds=HOUR))


@pytest.mark.parametrize(
    ("skip", "kind", "words", "until"),
    [
        (_skip(Link(replace(BACKUP, provider=""))), SkipReason.INCOMPLETE, "the entry has no provider", None),
        (_skip(Link(replace(BACKUP, model=""))), SkipReason.INCOMPLETE, "the entry has no model", None),
        (_skip(Link(BACKUP, "no base_url")), SkipReason.NOT_CONFIGURED, "no base_url", None),
        (_skip(Link(replace(BACKUP, pool="gone"))), SkipReason.NOT_CONFIGURED, "provider backup is not", None),
        (_skip(Link(BACKUP), tried=(BACKUP,)), SkipReason.ALREADY_TRIED, "already tried", None),
        (_skip(SMALL), SkipReason.TOO_SMALL, "its window of 9 tokens cannot hold about 10", None),
        (_skip(Link(BACKUP), row=HELD), SkipReason.ON_HOLD, "failed just now: timed out", NOW + 9),
        (_skip(Link(BACKUP), COOLING), SkipReason.COOLING, "cooling: usage limit", NOW + HOUR),
        (_skip(Link(BACKUP), facts(dead(pool_name="backup"))), SkipReason.NO_CREDENTIAL, "sign in again", None),
    ],
)
def test_m7_a_skip_has_a_kind_a_reason_and_its_own_end(
    skip: Skip | None, kind: SkipReason, words: str, until: float | None
) -> None:
    assert skip is not None
    assert (skip.kind, skip.until) == (kind, until)
    assert words in skip.reason


def test_m7_cooling_and_a_hold_expire_by_themselves() -> None:
    assert _skip(Link(BACKUP), COOLING, now=NOW + HOUR) is None
    assert _skip(Link(BACKUP), row=HELD, now=NOW + 9) is None


def test_m7_a_window_that_just_holds_the_conversation_is_tried() -> None:
    assert _skip(SMALL, tokens=9) is None


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"base_url": "http://elsewhere"}, True),
        ({"provider": "another", "base_url": f"{BACKUP.base_url.upper()}/"}, True),
        ({"provider": "another", "base_url": "http://127.0.0.1:80/backup"}, True),
        ({"provider": "another", "base_url": "http://127.0.0.1:81/backup"}, False),
        ({"provider": "another", "base_url": "http://[127.0.0.1/backup"}, False),
        ({"provider": "another", "base_url": "http://elsewhere"}, False),
        ({"model": "large"}, False),
        ({"pool": "backup#own"}, False),
        ({"context_length": 5}, True),
    ],
)
def test_m7_equal_is_same_place_same_model_and_same_credentials(change: dict[str, Any], same: bool) -> None:
    assert configuration().repeats(BACKUP, replace(BACKUP, **change)) is same


@pytest.mark.parametrize(
    ("tokens", "same"), [(["f-one"], True), (["f-one", "f-two"], False), (["f-two"], False), ([], False)]
)
def test_m7_a_second_name_for_a_backend_is_a_try_of_its_own_only_where_it_brings_another_token(
    tokens: list[str], same: bool
) -> None:
    alias = pool("alias", members=tuple(member(f"a{n}", fingerprint=token) for n, token in enumerate(tokens)))
    known = configuration()
    known = replace(known, pools=(*known.pools, alias))
    assert known.repeats(replace(BACKUP, provider="alias", pool="alias"), BACKUP) is same


def test_m18_a_codex_entry_that_cools_is_left_to_its_selection() -> None:
    assert _skip(Link(PRIMARY), facts(benched()), tried=()) is None
    assert _skip(Link(PRIMARY), facts(dead()), tried=()) is not None


def test_m7_a_skip_is_recorded_with_its_reason() -> None:
    event = skipped(session(), 2, Skip(SkipReason.COOLING, PlainText("cooling"), NOW + 5, approximate=True), NOW).event
    assert isinstance(event, FallbackSkipped)
    assert (event.position, event.provider, event.kind, event.until) == (2, "spare", SkipReason.COOLING, NOW + 5)
    assert event.approximate


def _activate(row: Session, position: int, leave: Leave | None, known: Facts | None = None) -> Session:
    known = known or facts(row)
    return after(known, activate(known, row, position, leave, NOW)).sessions[row.name]


def test_m6_activating_moves_the_whole_route_and_the_index() -> None:
    row = _activate(session(unverified_since=NOW - 1), 2, Leave(LIMIT, "one"))
    assert (row.position, row.index, row.active, row.unverified_since) == (2, 2, SPARE, None)
    assert row.cooldown is not None


def test_m6_the_notice_names_the_route_that_was_left_and_the_one_that_answers() -> None:
    event = events(activate(facts(), session(), 1, Leave(LIMIT), NOW))[0]
    assert isinstance(event, FallbackActivated)
    assert event.notice.startswith("openai-codex/gpt is left (429 usage limit); backup/small answers now. Codex says ")
    assert (event.provider, event.model, event.position) == ("backup", "small", 1)


def test_m33_leaving_a_restored_primary_before_its_first_reply_voids_the_claim() -> None:
    row = session(unverified_since=NOW - 1)
    for decision in (activate(facts(), row, 1, Leave(LIMIT), NOW), exhausted(facts(), row, PASSED, Leave(LIMIT), NOW)):
        failed_claim = events(decision)[0]
        assert isinstance(failed_claim, RestoreFailed)
        assert (failed_claim.provider, failed_claim.kind) == ("openai-codex", FailureKind.USAGE_LIMIT)
        assert after(facts(), decision).sessions["docs"].unverified_since is None


def test_m33_leaving_a_fallback_or_a_verified_primary_voids_nothing() -> None:
    for row in (away(unverified_since=NOW - 1), session()):
        assert event_types(activate(facts(), row, 2, Leave(LIMIT), NOW)) == ["fallback_activated"]


def test_m32_the_trial_of_a_route_that_is_left_has_failed() -> None:
    known = facts(benched(), trial())
    for decision in (
        activate(known, session(), 1, Leave(BROKEN), NOW),
        exhausted(known, session(), PASSED, Leave(BROKEN), NOW),
        failed(known, session(), PlainText("malformed"), NOW),
    ):
        assert after(known, decision).trials[trial().subject].outcome is TrialOutcome.FAILED


@pytest.mark.parametrize(("asked", "kept"), [(NOW - 9, None), (NOW - 1, NOW - 1)])
def test_m39_a_restore_forced_during_the_turn_that_leaves_the_primary_waits_for_the_next(
    asked: float, kept: float | None
) -> None:
    row = session(forced_at=asked, phase=Phase.RUNNING, turn_started_at=NOW - 5)
    assert _activate(row, 1, Leave(LIMIT)).forced_at == kept


def test_m22_moving_between_fallbacks_arms_nothing_but_the_hold_on_the_one_that_failed() -> None:
    before = away(limit_hits=1)
    row = _activate(before, 2, Leave(LIMIT, "one"))
    assert (row.cooldown, row.limit_hits, row.departure) == (before.cooldown, 1, before.departure)
    assert [held.route for held in row.holds] == [BACKUP.key]


def test_m24_a_walk_of_a_new_turn_leaves_nothing_again() -> None:
    before = away()
    row = _activate(before, 2, None)
    assert (row.cooldown, row.holds) == (before.cooldown, ())


def test_m22_a_session_without_a_chain_is_not_kept_from_its_primary() -> None:
    row = session(chain=())
    assert Leave(LIMIT).apply(facts(row), row, NOW) == row


def test_m22_a_sibling_that_is_back_sooner_counts_not_the_one_that_failed_last() -> None:
    known = facts(benched(seconds=720), session())
    cooldown = Leave(LIMIT, "two").apply(known, session(), NOW).cooldown
    assert cooldown is not None
    assert cooldown.until == NOW + 720


def _exhausted(known: Facts, row: Session, *passed: Passed, leave: Leave | None = None) -> tuple[TurnFailed, Session]:
    decision = exhausted(known, row, passed, leave, NOW)
    event = events(decision)[0]
    assert isinstance(event, TurnFailed)
    return event, after(known, decision).sessions[row.name]


PASSED = (Passed(PRIMARY, PlainText("usage limit")), Passed(BACKUP, PlainText("cooling: usage limit")))


def test_m8_the_error_lists_each_route_with_its_reason() -> None:
    event, _ = _exhausted(facts(), session(), *PASSED)
    assert event.error == ("No route could answer. openai-codex/gpt: usage limit; backup/small: cooling: usage limit.")


def test_m8_the_earliest_return_is_the_first_over_all_routes() -> None:
    known = facts(benched(seconds=2 * DAY), benched(pool_name="backup", seconds=HOUR), dead(pool_name="spare"))
    event, row = _exhausted(known, session(), *PASSED, Passed(SPARE, PlainText("dead")), leave=Leave(LIMIT, "one"))
    assert event.earliest == NOW + HOUR
    assert row.exhaustion is not None
    assert (row.exhaustion.at, row.exhaustion.earliest) == (NOW, NOW + HOUR)
    assert row.exhaustion.tried == (
        Tried(PlainText("openai-codex/gpt"), PlainText("usage limit"), NOW + 2 * DAY),
        Tried(PlainText("backup/small"), PlainText("cooling: usage limit"), NOW + HOUR),
        Tried(PlainText("spare/tiny"), PlainText("dead")),
    )


def test_m8_an_entry_that_can_never_serve_this_conversation_is_no_earliest_return() -> None:
    too_small = Passed(BACKUP, PlainText("its window of 1 tokens cannot hold about 10"), returns=False)
    event, row = _exhausted(facts(benched()), session(), PASSED[0], too_small)
    assert event.earliest == NOW + 2 * DAY
    assert row.exhaustion is not None
    assert [entry.until for entry in row.exhaustion.tried] == [NOW + 2 * DAY, None]


def test_m8_a_route_returns_when_both_its_hold_and_its_cooldown_are_over() -> None:
    row = away(holds=(RouteHold(BACKUP.key, NOW + 15, 1, FailureKind.USAGE_LIMIT),), chain=CHAIN[:1])
    known = facts(benched(seconds=2 * DAY), benched(pool_name="backup", seconds=HOUR))
    assert _exhausted(known, row, *PASSED)[0].earliest == NOW + HOUR


def test_m8_nobody_can_say_where_every_credential_is_dead() -> None:
    known = facts(dead(), dead(pool_name="backup"), dead(pool_name="spare"))
    assert _exhausted(known, session(), *PASSED)[0].earliest is None


def test_m8_a_session_without_a_chain_says_when_its_primary_returns() -> None:
    event, row = _exhausted(facts(benched(seconds=HOUR)), session(chain=()), PASSED[0], leave=Leave(LIMIT))
    assert event.earliest == NOW + HOUR
    assert row.cooldown is None


def test_m24_after_an_exhausted_walk_the_next_one_starts_at_the_first_entry() -> None:
    before = away(position=2, index=2, phase=Phase.RUNNING, turn_started_at=NOW - 5, unverified_since=NOW - 5)
    _, row = _exhausted(facts(), before, *PASSED)
    assert (row.index, row.position, row.phase) == (0, 2, Phase.IDLE)
    assert (row.turn_started_at, row.unverified_since) == (None, None)


def test_m9_a_turn_that_no_route_would_mend_fails_with_its_reason_and_stays_where_it_is() -> None:
    before = away(phase=Phase.RUNNING, turn_started_at=NOW - 5)
    decision = failed(facts(), before, PlainText("malformed"), NOW)
    event, row = events(decision)[0], after(facts(), decision).sessions["docs"]
    assert isinstance(event, TurnFailed)
    assert (event.error, event.earliest) == ("malformed", None)
    assert (row.phase, row.position, row.holds, row.cooldown) == (Phase.IDLE, 1, (), waits())


def test_a_routes_key_tells_apart_what_are_different_tries() -> None:
    others: list[Route] = [
        replace(BACKUP, model="large"),
        replace(BACKUP, pool="own"),
        replace(BACKUP, base_url="http://else"),
        SPARE,
    ]
    assert len({BACKUP.key, *(route.key for route in others)}) == 5
