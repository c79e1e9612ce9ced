"""A session's life, the configuration it takes, and a wall clock that steps (M21 ... M24, M44)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.believing import TOKENS_REMEMBERED
from hermes_tui.core.configuration import Configuration, SessionPlan
from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import RetryScheduled, TurnStarted, WaitEnded
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.lifecycle import (
    create,
    end_wait,
    interrupt,
    load_configuration,
    schedule,
    start_turn,
    step_clock,
    take_chain,
    wait,
)
from hermes_tui.core.pool import row_of
from hermes_tui.core.route import Link
from hermes_tui.core.session import Departure, Phase, Role, RouteHold, Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import TrialOutcome
from tests.core.made import (
    BACKUP,
    CHAIN,
    CODEX,
    DAY,
    HOUR,
    NOW,
    PRIMARY,
    SPARE,
    after,
    away,
    bench,
    benched,
    candidate,
    configuration,
    credential,
    dead,
    event_types,
    events,
    facts,
    failing,
    hold,
    member,
    session,
    trial,
    verdict,
    waits,
)

WHY = PlainText("you stopped it")


def test_m9_another_token_starts_afresh_and_is_recorded() -> None:
    known = facts(dead(), benched("two"))
    new = replace(CODEX, members=(member("one", fingerprint="another"), member("two")))
    decision = load_configuration(known, configuration(new))
    assert event_types(decision) == ["configuration_loaded", "credential_replaced"]
    changed = after(known, decision)
    another = credential(fingerprint="another")
    assert changed.credentials[another.token] == another
    assert changed.credentials[benched("two").token] == benched("two")
    assert changed.configuration == configuration(new)


def test_m9_a_token_that_was_replaced_stays_dead_for_whoever_still_holds_it() -> None:
    known = facts(dead())
    new = replace(CODEX, members=(member("one", fingerprint="another"),))
    changed = after(known, load_configuration(known, configuration(new)))
    back = load_configuration(changed, configuration())
    assert event_types(back) == ["configuration_loaded"]
    assert row_of(after(changed, back), CODEX, member("one")) == dead()


def test_m9_tokens_that_rotate_do_not_grow_the_state() -> None:
    used = [credential(fingerprint=f"f-{number}", last_used_at=NOW - number) for number in range(20)]
    known = facts(*used)
    changed = after(known, load_configuration(known, configuration()))
    assert list(changed.credentials.values()) == [*used[: TOKENS_REMEMBERED - 1], credential()]


def test_m9_the_same_token_stays_dead() -> None:
    known = facts(dead())
    assert after(known, load_configuration(known, configuration())).credentials[candidate().token] == dead()


def test_m21_a_token_that_is_not_set_for_a_while_loses_nothing() -> None:
    known = facts(benched())
    gone = replace(CODEX, members=(member("one", fingerprint="", fault="CODEX_TOKEN is not set"),))
    assert after(known, load_configuration(known, configuration(gone))).credentials[candidate().token] == benched()


def _reloaded(fingerprint: str, waiting: Session) -> Session:
    """Return a session that waits for its one credential, after a load in which that has the token `fingerprint`."""
    known = facts(benched(), waiting)
    codex = replace(CODEX, members=(member("one", fingerprint=fingerprint),))
    return after(known, load_configuration(known, replace(configuration(codex), loaded_at=NOW))).sessions["docs"]


REFUSED = Departure(NOW, FailureKind.AUTH, 401, "one", PlainText("not let in"))


@pytest.mark.parametrize("waiting", [away(), away(cooldown=failing(), departure=REFUSED)], ids=["limit", "auth"])
def test_c64_who_waits_for_a_credential_waits_no_more_when_its_token_is_another(waiting: Session) -> None:
    assert _reloaded("another", waiting).cooldown is None
    assert _reloaded("f-one", waiting) == waiting


def test_c64_a_primary_that_fails_for_another_reason_is_not_mended_by_a_new_token() -> None:
    waiting = away(cooldown=failing(), departure=replace(REFUSED, reason=FailureKind.SERVER_ERROR))
    assert _reloaded("another", waiting) == waiting


def test_c60_a_session_is_made_on_its_primary_while_that_cools_down() -> None:
    known = facts(benched())
    decision = create(known, configuration(), SessionPlan("docs"), NOW)
    assert decision.value == session()
    assert event_types(decision) == ["session_created"]


def test_m21_a_session_that_is_there_is_resumed_as_it_was() -> None:
    decision = create(facts(away()), configuration(), SessionPlan("docs"), NOW)
    assert (decision.value, decision.records) == (away(), ())


def test_a_plans_own_primary_and_chain_outrank_the_files() -> None:
    plan = SessionPlan("docs", primary=Link(SPARE, "no key"), chain=())
    made = create(facts(), configuration(), plan, NOW).value
    assert (made.requested, made.chain, made.requested_fault) == (SPARE, (), "no key")


def _take(row: Session, chain: tuple[Link, ...], **fields: Any) -> Session:
    return take_chain(row, replace(configuration(chain=chain), **fields), NOW).value


def test_m44_an_unchanged_chain_changes_nothing() -> None:
    assert take_chain(away(), configuration(), NOW).records == ()


def test_m44_a_session_stays_on_its_route_wherever_that_stands_in_the_new_chain() -> None:
    row = _take(away(), (Link(SPARE), Link(BACKUP)))
    assert (row.position, row.index, row.active, row.cooldown) == (2, 2, BACKUP, waits())


def test_m44_a_session_whose_route_is_gone_goes_on_from_its_primary() -> None:
    row = _take(away(), (Link(SPARE),))
    assert (row.position, row.index, row.chain) == (0, 0, (Link(SPARE),))


def test_m44_on_the_primary_a_new_chain_is_taken_from_its_first_entry() -> None:
    row = _take(session(), (Link(SPARE),))
    assert (row.position, row.index) == (0, 0)


def test_m44_another_primary_in_the_file_ends_what_was_believed_of_the_old_one() -> None:
    row = _take(
        away(limit_hits=3, failing_hits=1, pinned=True, home_at=NOW + 3),
        CHAIN,
        primary=Link(replace(PRIMARY, model="new")),
    )
    assert row.requested.model == "new"
    assert (row.cooldown, row.limit_hits, row.failing_hits, row.home_at) == (None, 0, 0, None)
    assert row.departure is not None
    assert (row.departure.at, row.departure.reason) == (NOW, None)
    assert (row.active, row.pinned) == (BACKUP, True)


def test_m42_a_pin_ends_with_the_route_that_it_pinned() -> None:
    gone = _take(away(pinned=True), (Link(SPARE),))
    assert (gone.position, gone.pinned) == (0, False)
    moved = _take(away(pinned=True), (Link(SPARE), Link(BACKUP)))
    assert (moved.active, moved.pinned) == (BACKUP, True)


def test_m44_another_context_length_is_no_other_route() -> None:
    longer = (Link(replace(BACKUP, context_length=9)), Link(SPARE))
    assert _take(away(), longer).position == 1
    row = _take(away(), CHAIN, primary=Link(replace(PRIMARY, context_length=9)))
    assert (row.requested.context_length, row.cooldown) == (9, waits())


def test_m44_a_fault_of_the_primary_is_taken_and_mended() -> None:
    broken = _take(session(), CHAIN, primary=Link(PRIMARY, "no key"))
    assert broken.requested_fault == "no key"
    assert _take(broken, CHAIN).requested_fault is None


def test_m43_a_switched_session_keeps_its_own_primary_and_leaves_it_out_of_the_chain() -> None:
    row = _take(session(requested=SPARE, left_out=("openai-codex/gpt", "spare/tiny")), CHAIN)
    assert (row.requested, row.chain) == (SPARE, (Link(BACKUP),))


def test_m43_the_old_primary_stays_out_of_a_switched_sessions_chain_at_its_next_turn() -> None:
    file = configuration(chain=(Link(PRIMARY), Link(BACKUP), Link(SPARE)))
    row = take_chain(session(switch_to=Link(BACKUP)), file, NOW).value
    assert (row.requested, row.chain) == (BACKUP, (Link(SPARE),))
    assert take_chain(row, file, NOW).value.chain == (Link(SPARE),)


def test_m43_a_switch_that_waited_is_made_with_the_next_turn_and_resets_the_fallback_state() -> None:
    row = _take(away(switch_to=Link(SPARE), limit_hits=3, pinned=True), CHAIN)
    assert (row.requested, row.position, row.cooldown, row.departure) == (SPARE, 0, None, None)
    assert (row.limit_hits, row.pinned, row.switch_to) == (0, False, None)


def test_m1_a_turn_begins_with_the_prompt_on_record() -> None:
    decision = start_turn(session(messages=4, turns=2), PlainText("Go on."), NOW)
    message, row = decision.value, after(facts(), decision).sessions["docs"]
    assert (message.number, message.role, message.text) == (4, Role.USER, "Go on.")
    assert (row.messages, row.turns, row.phase, row.turn_started_at) == (5, 3, Phase.RUNNING, NOW)
    event = events(decision)[0]
    assert isinstance(event, TurnStarted)
    assert event.turn == 3


def test_m24_an_index_that_a_failed_walk_left_behind_is_set_back_on_the_primary() -> None:
    rows = [after(facts(), start_turn(row, WHY, NOW)).sessions["docs"] for row in (session(index=2), away(index=1))]
    assert [row.index for row in rows] == [0, 1]


def test_m2_a_wait_says_until_when_and_which_attempt_follows() -> None:
    decision = wait(session(phase=Phase.RUNNING), NOW + 4, 2, NOW)
    event = events(decision)[0]
    assert isinstance(event, RetryScheduled)
    assert (event.until, event.attempt, event.model) == (NOW + 4, 2, "gpt")
    assert after(facts(), decision).sessions["docs"].phase is Phase.WAITING


def test_m2_the_end_of_a_wait_says_whether_the_user_ended_it() -> None:
    for by_user in (True, False):
        decision = end_wait(session(phase=Phase.WAITING), NOW, by_user=by_user)
        event = events(decision)[0]
        assert isinstance(event, WaitEnded)
        assert event.by_user is by_user
        assert after(facts(), decision).sessions["docs"].phase is Phase.RUNNING


def test_a_turn_that_is_cut_off_is_recorded_and_its_trial_has_failed() -> None:
    row = session(phase=Phase.WAITING, turn_started_at=NOW - 9)
    known = facts(row, trial())
    decision = interrupt(known, row, WHY, NOW)
    changed = after(known, decision)
    assert event_types(decision) == ["session_interrupted"]
    assert (changed.sessions["docs"].phase, changed.sessions["docs"].turn_started_at) == (Phase.IDLE, None)
    assert changed.trials[candidate().subject].outcome is TrialOutcome.FAILED


def test_nothing_is_interrupted_where_no_turn_runs() -> None:
    assert interrupt(facts(trial()), session(), WHY, NOW).records == ()


EVERY = SessionPlan("docs", prompt="Go on.", every_seconds=900.0)


def test_a_schedule_is_set_once_and_waits_for_its_time() -> None:
    assert schedule(session(), EVERY, NOW).value.next_run_at == NOW + 900
    assert schedule(session(next_run_at=NOW + 1), EVERY, NOW).records == ()


def test_missed_runs_are_made_up_for_once() -> None:
    assert schedule(session(next_run_at=NOW - DAY), EVERY, NOW).value.next_run_at == NOW + 900
    assert schedule(session(next_run_at=NOW), EVERY, NOW).value.next_run_at == NOW + 900


def test_no_run_is_farther_away_than_its_schedule_says() -> None:
    assert schedule(session(next_run_at=NOW + DAY), EVERY, NOW).value.next_run_at == NOW + 900
    assert schedule(session(next_run_at=NOW + 900), EVERY, NOW).records == ()


def test_a_session_without_a_schedule_never_runs_by_itself() -> None:
    assert schedule(session(), SessionPlan("docs"), NOW).records == ()
    taken_away = schedule(session(next_run_at=NOW + 60), SessionPlan("docs"), NOW)
    assert taken_away.value.next_run_at is None
    assert event_types(taken_away) == ["schedule_changed"]


def _stepped(step: float, *rows: Any) -> Facts:
    known = facts(*rows)
    return after(known, step_clock(known, step, NOW + step))


def test_m23_the_providers_dates_stand_when_the_wall_clock_is_set() -> None:
    pair = (("mini", bench(HOUR)),)
    changed = _stepped(HOUR, away(), credential(cooldown=bench(), model_cooldowns=pair))
    row = changed.credentials[candidate().token]
    assert row.cooldown is not None
    assert row.cooldown.until == NOW + 2 * DAY
    assert row.model_cooldowns[0][1].until == NOW + HOUR
    assert changed.sessions["docs"].cooldown == waits()


def test_m23_what_is_left_of_every_assumed_cooldown_stays_the_same() -> None:
    for step in (HOUR, -HOUR):
        assumed = bench(600.0, source=Said.ASSUMED)
        row = credential(cooldown=assumed, model_cooldowns=(("mini", assumed),))
        changed = _stepped(step, away(cooldown=failing(30.0)), row)
        moved = changed.credentials[candidate().token]
        assert moved.cooldown is not None
        assert moved.cooldown.until == NOW + step + 600.0
        assert moved.model_cooldowns[0][1].until == NOW + step + 600.0
        own = changed.sessions["docs"].cooldown
        assert own is not None
        assert own.until == NOW + step + 30.0


def test_m23_what_is_left_of_a_sessions_durations_stays_the_same() -> None:
    held = RouteHold(BACKUP.key, NOW + 9, 1, FailureKind.TIMEOUT)
    asked: dict[str, Any] = {"checked_at": NOW - 100, "forced_at": NOW - 2, "turn_started_at": NOW - 7}
    row = away(home_at=NOW + 3, next_run_at=NOW + 60, holds=(held,), **asked)
    moved = _stepped(-HOUR, row).sessions["docs"]
    assert (moved.checked_at, moved.home_at, moved.next_run_at) == (NOW - HOUR - 100, NOW - HOUR + 3, NOW - HOUR + 60)
    assert (moved.turn_started_at, moved.holds[0].until) == (NOW - HOUR - 7, NOW - HOUR + 9)
    assert moved.forced_at == NOW - HOUR - 2


def test_m23_what_was_never_set_stays_unset() -> None:
    moved = _stepped(HOUR, session()).sessions["docs"]
    assert moved == session()


def test_m23_what_is_left_of_verdicts_holds_and_trials_stays_the_same() -> None:
    changed = _stepped(HOUR, verdict(), hold(1200.0), trial())
    asked = changed.verdicts[candidate().verdict_key]
    assert (asked.asked_at, asked.expires_at) == (verdict().asked_at + HOUR, verdict().expires_at + HOUR)
    held = changed.holds[candidate().subject]
    assert (held.until, held.contradicted_at) == (NOW + HOUR + 1200.0, hold().contradicted_at + HOUR)
    moved = changed.trials[candidate().subject]
    assert (moved.expires_at, moved.next_at) == (trial().expires_at + HOUR, trial().next_at + HOUR)


def test_m23_a_step_is_one_record() -> None:
    decision = step_clock(facts(session()), 60.0, NOW)
    assert event_types(decision) == ["clock_stepped"]


def test_a_configuration_knows_its_plans_and_pools_by_name() -> None:
    known: Configuration = replace(configuration(), sessions=(EVERY,))
    assert (known.plan("docs"), known.plan("other")) == (EVERY, None)
    assert (known.pool("backup") is not None, known.pool("gone")) == (True, None)
