"""The way back to the primary: its gates in order, and the decision that they are (M24 ... M33, M47)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.configuration import Policy, RestoreMode
from hermes_tui.core.credential import Credential
from hermes_tui.core.decision import Decision
from hermes_tui.core.event import PrimaryRestored, RestoreChecked, RestoreRefused
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.restoring import (
    Gate,
    GateName,
    Step,
    WayBack,
    checked,
    refuse,
    restore,
    restore_if_open,
    restore_lifted,
    start_check,
    way_back,
)
from hermes_tui.core.session import Session, SessionCooldown, WaitKind
from hermes_tui.core.verdict import CachedVerdict, TrialOutcome, Verdict
from tests.core.made import (
    BACKUP,
    DAY,
    FULL,
    HOUR,
    NOW,
    TWO,
    after,
    away,
    benched,
    dead,
    events,
    facts,
    failing,
    hold,
    session,
    trial,
    verdict,
    waits,
)

CHECKED = NOW - 100.0
CHECK_DUE = CHECKED + 300.0
LATELY = away(checked_at=CHECKED)


def _way(row: Session, *rows: Credential | CachedVerdict, **settings: Any) -> WayBack:
    return way_back(facts(*rows, **settings), row, NOW)


def _after(decision: Decision[bool]) -> Session:
    return after(facts(), decision).sessions["docs"]


def _gate(way: WayBack, name: GateName) -> Gate:
    return next(gate for gate in way.gates if gate.name is name)


def _names(way: WayBack) -> list[str]:
    return [gate.name.value for gate in way.gates]


def test_m24_on_the_primary_there_is_nothing_to_restore() -> None:
    assert _way(session(cooldown=waits()), benched()) == WayBack(Step.NOTHING)
    assert way_back(Facts(), away(), NOW) == WayBack(Step.NOTHING)


def test_m47_the_gates_stand_in_the_order_in_which_they_are_tested() -> None:
    assert _names(_way(replace(away(), home_at=NOW + 3), benched())) == [name.value for name in GateName]


def test_m47_once_the_date_has_passed_the_early_gates_are_gone() -> None:
    assert _names(_way(away(cooldown=waits(-1.0)))) == ["not_pinned", "session_cooldown", "pool"]


def test_m27_once_the_stored_date_has_passed_it_restores_without_a_check_or_a_throttle() -> None:
    row = away(cooldown=waits(0.0), checked_at=NOW - 1.0)
    assert _way(row, benched(seconds=0.0)).step is Step.RESTORE


def test_m26_with_a_limit_ahead_the_next_turn_checks() -> None:
    way = _way(away(), benched())
    assert way.step is Step.CHECK
    assert _gate(way, GateName.RESTORE_CHECK).passed


@pytest.mark.parametrize(("ago", "step"), [(299.9, Step.STAY), (300.0, Step.CHECK)])
def test_m26_at_most_one_check_per_interval(ago: float, step: Step) -> None:
    assert _way(away(checked_at=NOW - ago), benched()).step is step


def test_m26_the_throttle_is_the_probe_interval() -> None:
    assert _way(away(checked_at=NOW - 10.0), benched(), probe_interval_seconds=10.0).step is Step.CHECK


def test_m37_every_turn_knows_no_throttle() -> None:
    assert _way(away(checked_at=NOW), benched(), policy=Policy.EVERY_TURN).step is Step.CHECK


def test_m26_somebody_elses_clearing_is_found_by_the_check() -> None:
    assert _way(away()).step is Step.CHECK


def test_m37_never_waits_for_the_date() -> None:
    way = _way(away(), benched(), policy=Policy.NEVER)
    assert (way.step, way.opens_at) == (Step.STAY, NOW + 2 * DAY)
    assert GateName.RESTORE_CHECK.value not in _names(way)


def test_m29_another_provider_waits_for_its_cooldown() -> None:
    row = away(requested=BACKUP, cooldown=waits(HOUR))
    way = _way(row, benched(pool_name="backup", seconds=HOUR))
    assert (way.step, way.opens_at) == (Step.STAY, NOW + HOUR)
    assert GateName.VERDICT.value not in _names(way)


def test_m26_a_failing_primary_is_not_asked_whether_it_reopened() -> None:
    way = _way(away(cooldown=failing(15.0)), benched())
    assert way.step is Step.STAY
    assert GateName.RESTORE_CHECK.value not in _names(way)


def test_m22_a_failing_primary_comes_back_after_its_short_hold() -> None:
    assert _way(away(cooldown=failing(15.0))).step is Step.STAY
    assert _way(away(cooldown=failing(15.0))).opens_at == NOW + 15.0
    assert _way(away(cooldown=failing(0.0))).step is Step.RESTORE


@pytest.mark.parametrize("reason", [FailureKind.BILLING, FailureKind.AUTH])
def test_m26_only_a_limit_of_the_pool_is_asked_about(reason: FailureKind) -> None:
    way = _way(away(cooldown=None), benched(reason=reason))
    assert (way.step, way.opens_at) == (Step.STAY, NOW + 2 * DAY)


def test_m30_it_stays_while_the_pools_reset_lies_ahead_although_its_own_is_over() -> None:
    assert _way(away(requested=BACKUP, cooldown=None), benched(pool_name="backup")).step is Step.STAY


def test_m25_sticky_stays_until_the_user_acts() -> None:
    way = _way(away(cooldown=None), restore=RestoreMode.STICKY)
    assert (way.step, way.opens_at) == (Step.STAY, None)
    assert way.blocked_by is not None
    assert way.blocked_by.name is GateName.NOT_PINNED


def test_m42_a_route_chosen_by_hand_stays() -> None:
    assert _way(away(cooldown=None, pinned=True)).step is Step.STAY
    assert _way(away(pinned=True), benched()).opens_at is None


@pytest.mark.parametrize("fields", [{"pinned": True}, {"home_at": NOW + 3}, {"checked_at": NOW}, {}])
def test_m39_a_forced_restore_passes_every_gate(fields: dict[str, Any]) -> None:
    assert _way(away(forced_at=NOW - 1, **fields), benched()).step is Step.RESTORE


def test_m32_a_turn_before_its_moment_of_homecoming_uses_the_fallback() -> None:
    row = away(cooldown=None, home_at=NOW + 3)
    assert (_way(row).step, _way(row).opens_at) == (Step.STAY, NOW + 3)
    assert _way(replace(row, home_at=NOW)).step is Step.RESTORE


@pytest.mark.parametrize("row", [away(cooldown=None), away(checked_at=NOW - 1), away(cooldown=failing())])
def test_m20_with_every_credential_dead_nobody_can_say_when_whatever_the_sessions_own_date(row: Session) -> None:
    way = _way(row, dead())
    assert (way.step, way.opens_at) == (Step.STAY, None)


def test_m46_a_primary_that_cannot_be_used_as_configured_blocks_with_its_fault() -> None:
    for row, words in (
        (away(requested_fault="no model (hermes-tui.toml, line 3)"), "line 3"),
        (away(requested=replace(BACKUP, pool="gone")), "provider backup is not configured"),
    ):
        way = _way(row)
        assert (way.step, way.opens_at) == (Step.STAY, None)
        assert way.blocked_by is not None
        assert words in way.blocked_by.text


def test_m47_the_verdict_gate_says_what_the_probe_said() -> None:
    asked = verdict()
    passed = _gate(_way(LATELY, benched(), asked), GateName.VERDICT)
    assert (passed.passed, passed.changes_at, passed.text) == (True, asked.expires_at, "the probe says quota")
    nobody = _gate(_way(LATELY, benched()), GateName.VERDICT)
    assert (nobody.passed, nobody.changes_at) == (False, None)
    old = _gate(_way(LATELY, benched(), verdict(ago=400)), GateName.VERDICT)
    assert not old.passed
    blind = _gate(_way(LATELY, benched(), verdict(Verdict.UNKNOWN, usage=None)), GateName.VERDICT)
    assert (blind.passed, blind.changes_at) == (False, asked.expires_at)


def test_m47_one_believable_credential_opens_the_verdict_gate() -> None:
    known = facts(
        benched("one"), benched("two"), verdict(Verdict.NO_QUOTA, usage=FULL), verdict(label="two"), codex=TWO
    )
    assert _gate(way_back(known, LATELY, NOW), GateName.VERDICT).passed


def test_m38_a_hold_blocks_the_verdict_gate_until_its_end() -> None:
    way = way_back(facts(benched(), verdict(), hold(1200.0)), LATELY, NOW)
    assert _gate(way, GateName.VERDICT).changes_at == NOW + 1200.0
    assert way.opens_at == NOW + 1200.0


def test_m32_anothers_trial_blocks_the_trial_gate() -> None:
    way = way_back(facts(benched(), verdict(), trial("first", TrialOutcome.FAILED)), LATELY, NOW)
    gate = _gate(way, GateName.TRIAL)
    assert (gate.passed, gate.changes_at, gate.text) == (False, NOW + 290.0, "first has tried it")
    assert way.opens_at == NOW + 290.0


@pytest.mark.parametrize(
    ("rows", "opens_at"),
    [
        ([benched()], CHECK_DUE),
        ([benched(seconds=60.0)], CHECK_DUE),
        ([benched(), verdict()], CHECK_DUE),
        ([benched(), verdict(Verdict.NO_QUOTA, usage=FULL, ago=0.0)], NOW + 300.0),
        ([benched(), verdict(Verdict.UNKNOWN, usage=None, life=60.0)], CHECK_DUE),
    ],
)
def test_m47_it_opens_when_the_check_is_due_and_the_verdict_may_be_another(
    rows: list[Credential | CachedVerdict], opens_at: float
) -> None:
    assert _way(LATELY, *rows).opens_at == opens_at


def test_m47_it_opens_at_the_date_where_that_comes_before_the_check() -> None:
    row = away(checked_at=CHECKED, cooldown=waits(60.0))
    assert _way(row, benched(seconds=50.0)).opens_at == NOW + 60.0


def test_m47_the_later_of_session_and_pool_is_the_date() -> None:
    row = away(cooldown=waits(60.0))
    assert _way(row, benched(seconds=HOUR), policy=Policy.NEVER).opens_at == NOW + HOUR


def test_m47_the_way_is_open_now_where_it_restores_or_checks() -> None:
    assert _way(away(cooldown=None)).opens_at is None
    assert _way(away(), benched()).opens_at is None


def test_m26_the_throttle_is_stamped_by_a_commit_of_its_own() -> None:
    decision = start_check(away(), NOW)
    assert after(facts(), decision).sessions["docs"] == away(checked_at=NOW)
    assert _way(away(checked_at=NOW), benched()).step is Step.STAY


def test_m47_a_check_is_recorded_with_the_gates_as_they_stood() -> None:
    way = _way(LATELY, benched())
    event = events(checked(LATELY, way, lifted=False, now=NOW))[0]
    assert isinstance(event, RestoreChecked)
    assert [(gate.name, gate.passed, gate.changes_at) for gate in event.gates] == [
        (gate.name.value, gate.passed, gate.changes_at) for gate in way.gates
    ]


def test_m30_the_reason_for_staying_is_recorded_once_per_episode() -> None:
    way = _way(LATELY, benched())
    decision = refuse(LATELY, way, NOW)
    event = events(decision)[0]
    assert isinstance(event, RestoreRefused)
    assert (event.reason, event.until) == (_gate(way, GateName.SESSION_COOLDOWN).text, NOW + 2 * DAY)
    assert refuse(after(facts(), decision).sessions["docs"], way, NOW).records == ()


def test_m31_a_restore_puts_the_whole_primary_back_with_one_notice() -> None:
    before = away(pinned=True, home_at=NOW, wait_recorded=True, position=2, index=2)
    decision = restore(before, NOW)
    row = _after(decision)
    assert decision.value
    assert (row.position, row.index, row.active) == (0, 0, before.requested)
    assert (row.cooldown, row.departure, row.home_at) == (None, None, None)
    assert (row.pinned, row.wait_recorded) == (False, False)
    event = events(decision)[0]
    assert len(decision.records) == 1
    assert isinstance(event, PrimaryRestored)
    assert (event.notice, event.forced) == ("openai-codex/gpt is back; its first reply will tell.", False)


def test_m33_a_restore_is_a_claim_until_the_first_reply() -> None:
    assert _after(restore(away(), NOW)).unverified_since == NOW


def test_m22_a_mere_restore_does_not_reset_the_ladders() -> None:
    row = _after(restore(away(limit_hits=3, failing_hits=2), NOW))
    assert (row.limit_hits, row.failing_hits) == (3, 2)


def test_m39_a_forced_restore_says_so_and_waits_for_its_request() -> None:
    decision = restore(away(forced_at=NOW - 1), NOW)
    event = events(decision)[0]
    assert isinstance(event, PrimaryRestored)
    assert event.forced
    assert _after(decision).forced_at == NOW - 1


def test_m47_the_primary_is_put_back_only_where_the_gates_still_let_pass() -> None:
    for row, back in ((away(cooldown=None), True), (away(), False), (away(cooldown=None, pinned=True), False)):
        decision = restore_if_open(facts(), row, NOW)
        assert (decision.value, bool(decision.records)) == (back, back)


def test_m42_a_lift_does_not_move_a_session_that_the_user_has_pinned_meanwhile() -> None:
    for row, back in ((away(), True), (away(pinned=True), False), (session(), False)):
        decision = restore_lifted(row, NOW)
        assert (decision.value, bool(decision.records)) == (back, back)


COOLDOWNS = st.none() | st.builds(waits, st.sampled_from([-1.0, 60.0, HOUR]), st.sampled_from(WaitKind))
ROWS = st.lists(
    st.sampled_from(
        [
            benched(),
            benched(seconds=-1.0),
            benched(reason=FailureKind.BILLING),
            dead(),
            verdict(),
            verdict(ago=400),
            verdict(Verdict.NO_QUOTA, usage=FULL),
            hold(),
            hold(-1.0),
            trial("first"),
            trial("docs"),
            trial("first", TrialOutcome.FAILED),
        ]
    ),
    max_size=5,
)


@given(
    ROWS,
    COOLDOWNS,
    st.sampled_from(Policy),
    st.sampled_from(RestoreMode),
    st.booleans(),
    st.sampled_from([None, NOW - 400, NOW - 1]),
    st.sampled_from([None, NOW - 1, NOW + 3]),
)
def test_m47_the_decision_never_disagrees_with_its_gates(
    rows: list[Credential],
    cooldown: SessionCooldown | None,
    policy: Policy,
    mode: RestoreMode,
    pinned: bool,
    checked_at: float | None,
    home_at: float | None,
) -> None:
    row = away(cooldown=cooldown, pinned=pinned, checked_at=checked_at, home_at=home_at)
    way = way_back(facts(*rows, policy=policy, restore=mode), row, NOW)
    blocking = {gate.name for gate in way.gates if not gate.passed}
    hard = {GateName.NOT_PINNED, GateName.HOMECOMING}
    match way.step:
        case Step.RESTORE:
            assert not blocking
        case Step.CHECK:
            assert not blocking & (hard | {GateName.RESTORE_CHECK})
            assert blocking & {GateName.SESSION_COOLDOWN, GateName.POOL}
            assert policy is not Policy.NEVER
        case _:
            assert blocking
            assert way.blocked_by is not None
            assert blocking & hard or GateName.RESTORE_CHECK not in {g.name for g in way.gates if g.passed}
    assert all(gate.changes_at is None or gate.changes_at > NOW for gate in way.gates)
    assert way.opens_at is None or way.opens_at > NOW
