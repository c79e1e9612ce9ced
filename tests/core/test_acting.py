"""The user's acts as decisions: what each makes true (M39 ... M45)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.acting import clear_cooldown, force_restore, reset_chain, route_in, switch_model, use_fallback
from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.decision import Decision
from hermes_tui.core.event import ActPerformed, FallbackActivated, FallbackSkipped
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.route import Link
from hermes_tui.core.session import Exhaustion, Phase, RouteHold, Session, SkipReason
from hermes_tui.core.verdict import TrialOutcome
from tests.core.made import (
    BACKUP,
    HOUR,
    MINUTE,
    NOW,
    PRIMARY,
    SPARE,
    TWO,
    after,
    away,
    bench,
    benched,
    configuration,
    credential,
    events,
    facts,
    failing,
    pool,
    session,
    trial,
    waits,
)

HELD = RouteHold(BACKUP.key, NOW + 9, 1, FailureKind.TIMEOUT)


def _row(decision: Decision[Any]) -> Session:
    return after(facts(), decision).sessions["docs"]


def _act(decision: Decision[Any]) -> ActPerformed:
    event = events(decision)[-1]
    assert isinstance(event, ActPerformed)
    return event


def test_m39_force_restore_asks_for_the_next_request_alone_and_swaps_nothing_now() -> None:
    row = _row(force_restore(away(phase=Phase.RUNNING), NOW))
    assert row == away(phase=Phase.RUNNING, forced_at=NOW)


def test_m40_reset_chain_sets_the_index_back_and_takes_the_marks_away() -> None:
    row = away(holds=(HELD,), exhaustion=Exhaustion(NOW, (), None))
    assert _row(reset_chain(row, NOW)) == away(index=0)


@pytest.mark.parametrize(
    ("decision", "act", "target"),
    [
        (force_restore(away(), NOW), "force_restore", "docs"),
        (reset_chain(away(), NOW), "reset_chain", "docs"),
        (switch_model(away(), Link(SPARE), configuration(), NOW), "switch_model", "docs"),
        (
            clear_cooldown(facts(benched()), CredentialKey("openai-codex", "one"), NOW),
            "reset_cooldown",
            "openai-codex/one",
        ),
    ],
)
def test_m45_an_act_is_recorded_with_when_on_what_and_what_it_changed(
    decision: Decision[Any], act: str, target: str
) -> None:
    event = _act(decision)
    assert (event.act, event.target, event.time) == (act, target, NOW)
    assert event.effect == decision.value


def _use(row: Session, known: Facts | None = None, *, tokens: int = 10) -> Decision[int | None]:
    return use_fallback(known or facts(), row, tokens=tokens, now=NOW)


def test_m42_the_next_route_is_taken_and_pinned() -> None:
    decision = _use(away(forced_at=NOW - 1))
    row = _row(decision)
    assert decision.value == 2
    assert (row.position, row.index, row.pinned, row.forced_at) == (2, 2, True, None)
    assert row.departure == away().departure


def test_m42_leaving_a_primary_that_is_fine_arms_nothing_and_says_that_the_user_asked() -> None:
    row = _row(_use(session()))
    assert (row.position, row.cooldown, row.limit_hits, row.holds) == (1, None, 0, ())
    assert row.departure is not None
    assert (row.departure.at, row.departure.reason) == (NOW, None)


def test_m48_leaving_the_primary_by_hand_is_a_departure_of_its_own() -> None:
    left = _row(_use(session(departure=away().departure, unverified_since=NOW - 1))).departure
    assert left is not None
    assert (left.at, left.reason) == (NOW, None)


def test_m32_leaving_by_hand_ends_the_trial() -> None:
    known = facts(session(unverified_since=NOW - 1), benched(), trial())
    changed = after(known, _use(known.sessions["docs"], known))
    assert changed.trials[trial().subject].outcome is TrialOutcome.FAILED


def test_m42_the_event_says_who_asked_and_until_when_it_stays() -> None:
    event = events(_use(session()))[0]
    assert isinstance(event, FallbackActivated)
    assert (event.reason, event.left) == ("you asked for it", "openai-codex/gpt")
    assert event.notice == "backup/small answers from now on, until you restore."


@pytest.mark.parametrize(
    ("row", "known", "skip"),
    [
        (session(holds=(HELD,)), facts(), SkipReason.ON_HOLD),
        (session(), facts(benched(pool_name="backup")), SkipReason.COOLING),
        (session(chain=(Link(BACKUP, "no key"), Link(SPARE))), facts(), SkipReason.NOT_CONFIGURED),
        (session(chain=(Link(replace(BACKUP, context_length=9)), Link(SPARE))), facts(), SkipReason.TOO_SMALL),
        (session(chain=(Link(PRIMARY), Link(SPARE))), facts(), SkipReason.ALREADY_TRIED),
    ],
)
def test_m42_an_entry_that_cannot_serve_is_skipped_with_its_reason(
    row: Session, known: Facts, skip: SkipReason
) -> None:
    decision = _use(row, known)
    assert decision.value == 2
    skipped = events(decision)[0]
    assert isinstance(skipped, FallbackSkipped)
    assert (skipped.position, skipped.kind) == (1, skip)


def test_m42_where_no_later_entry_can_serve_the_session_stays() -> None:
    decision = _use(away(), facts(benched(pool_name="spare")))
    assert decision.value is None
    assert [record.rows for record in decision.records] == [()]
    assert _use(away(position=2)).records == ()


def test_m41_one_credentials_cooldowns_end_and_never_its_siblings() -> None:
    row = credential(cooldown=bench(), model_cooldowns=(("gpt", bench()), ("mini", bench())), request_count=7)
    known = facts(row, benched("two"), codex=TWO)
    changed = after(known, clear_cooldown(known, row.key, NOW))
    assert changed.credentials[row.token] == credential(request_count=7, cleared_at=NOW)
    assert changed.credentials[benched("two").token] == benched("two")


def test_m41_the_sessions_that_wait_for_it_are_free_at_once() -> None:
    other_model = away("mini", requested=replace(PRIMARY, model="mini"))
    known = facts(benched(), away(home_at=NOW + 3), other_model, away("fails", cooldown=failing()))
    decision = clear_cooldown(known, benched().key, NOW)
    changed = after(known, decision)
    assert [changed.sessions[name].cooldown for name in ("docs", "mini", "fails")] == [None, None, failing()]
    assert changed.sessions["docs"].home_at is None
    assert decision.value == "openai-codex/one is free; 2 sessions return at their next turn"


def test_m41_a_credential_that_is_not_configured_cannot_be_cleared() -> None:
    with pytest.raises(LookupError, match="no credential openai-codex/gone"):
        clear_cooldown(facts(), CredentialKey("openai-codex", "gone"), NOW)


def test_m43_a_switched_session_starts_afresh_on_its_new_primary() -> None:
    before = away(limit_hits=3, holds=(HELD,), pinned=True, home_at=NOW, forced_at=NOW, index=2)
    row = _row(switch_model(before, Link(SPARE, "no key"), configuration(), NOW))
    left_out = ("openai-codex/gpt", "spare/tiny")
    assert row == Session("docs", SPARE, (Link(BACKUP),), requested_fault="no key", left_out=left_out)
    assert row.switched


def test_m43_entries_equal_to_the_old_or_the_new_primary_leave_the_chain() -> None:
    chain = (Link(PRIMARY), Link(BACKUP), Link(replace(SPARE, base_url="http://else")), Link(SPARE))
    row = _row(switch_model(session(), Link(SPARE), configuration(chain=chain), NOW))
    assert row.chain == (Link(BACKUP),)


def test_m43_the_conversation_its_schedule_and_the_throttle_go_on() -> None:
    kept: dict[str, Any] = {
        "turns": 3,
        "messages": 6,
        "next_run_at": NOW + HOUR,
        "checked_at": NOW - MINUTE,
        "created_by_user": True,
    }
    row = _row(switch_model(away(**kept), Link(SPARE), configuration(), NOW))
    assert {name: getattr(row, name) for name in kept} == kept


@pytest.mark.parametrize("phase", [Phase.RUNNING, Phase.WAITING])
def test_m43_a_switch_during_a_turn_changes_nothing_of_it_and_waits(phase: Phase) -> None:
    row = away(phase=phase, turn_started_at=NOW - 5)
    decision = switch_model(row, Link(SPARE), configuration(), NOW)
    assert _row(decision) == replace(row, switch_to=Link(SPARE))
    assert decision.value == "spare/tiny with the next prompt"


def test_m43_a_model_of_a_configured_provider_is_asked_where_the_provider_is() -> None:
    sized = replace(configuration(), primary=Link(replace(PRIMARY, context_length=5)))
    assert route_in(sized, "openai-codex", "mini") == replace(PRIMARY, model="mini")
    plan = SessionPlan("docs", primary=Link(SPARE), chain=(Link(BACKUP),))
    planned = replace(configuration(), chain=(), sessions=(plan,))
    assert route_in(planned, "backup", "big") == replace(BACKUP, model="big")
    assert route_in(planned, "spare", "big") == replace(SPARE, model="big")


def test_m43_an_entry_with_a_key_of_its_own_says_nothing_about_the_provider() -> None:
    own = replace(configuration(), chain=(Link(replace(BACKUP, pool="backup#1")),))
    assert route_in(own, "backup", "big") is None


def test_m43_a_known_provider_needs_credentials_and_an_unknown_one_a_url() -> None:
    known = replace(configuration(), pools=(pool("groq"),))
    route = route_in(known, "groq", "big")
    assert route is not None
    assert (route.base_url, route.pool) == (KNOWN_PROVIDERS["groq"].base_url, "groq")
    assert route_in(configuration(), "groq", "big") is None
    assert route_in(configuration(), "nobody", "big") is None


def test_m40_cooldowns_stay_when_the_chain_is_reset() -> None:
    assert _row(reset_chain(away(holds=(HELD,)), NOW)).cooldown == waits()
