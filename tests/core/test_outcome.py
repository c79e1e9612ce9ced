"""What one request's outcome makes true: benches, trials, verified restores, and who comes home (M9 ... M33)."""

from dataclasses import replace

import pytest

from hermes_tui.core.configuration import Policy
from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import Credential
from hermes_tui.core.event import (
    AttemptFailed,
    CredentialBenched,
    CredentialLifted,
    PrimaryVerified,
    TurnCompleted,
    VerdictContradicted,
)
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.outcome import HOMECOMING_SECONDS, homecoming, request_failed, request_served
from hermes_tui.core.session import Phase, Role, RouteHold
from hermes_tui.core.verdict import TrialOutcome
from tests.core.made import (
    BACKUP,
    DAY,
    HOUR,
    MINUTE,
    NOW,
    PRIMARY,
    TWO,
    after,
    answer,
    away,
    bench,
    benched,
    candidate,
    credential,
    event_types,
    events,
    facts,
    failing,
    failure,
    hold,
    member,
    pool,
    sent,
    session,
    trial,
    verdict,
    waits,
)

LIMIT = FailureKind.USAGE_LIMIT
KEY = candidate().token
OWNERS = {"one": "a", "two": "a", "three": "b"}


def _failed(known: Facts, said: Failure) -> Facts:
    return after(known, request_failed(known, sent(), said, now=NOW))


def _served(known: Facts) -> Facts:
    return after(known, request_served(known, sent(), answer(), now=NOW))


def test_m10_a_failure_is_attributed_to_the_request_as_it_was_sent() -> None:
    known = facts(session(position=1))
    event = request_failed(known, sent(at=NOW - 2.5), failure(LIMIT, status=429), now=NOW).records[0].event
    assert isinstance(event, AttemptFailed)
    assert (event.session, event.provider, event.model, event.credential) == ("docs", "openai-codex", "gpt", "one")
    assert (event.status, event.kind, event.latency) == (429, LIMIT, 2.5)


def test_m10_a_fallbacks_limit_is_never_put_on_the_primarys_credential() -> None:
    known = facts(away())
    changed = after(known, request_failed(known, sent(route=BACKUP), failure(LIMIT), now=NOW))
    assert [token.pool for token in changed.credentials] == ["backup"]


OTHERS = pool("openai-codex", members=tuple(member(label, account=f"acct-{at}") for label, at in OWNERS.items()))


def _benched_by(said: Failure) -> dict[str, Credential]:
    """Return the rows of the Codex credentials that a failure of the first one benches."""
    known = facts(session(), codex=OTHERS)
    changed = after(known, request_failed(known, sent(codex=OTHERS), said, now=NOW))
    return {token.label: row for token, row in changed.credentials.items()}


def test_m17_what_is_about_the_account_benches_each_of_its_credentials_and_no_other() -> None:
    rows = _benched_by(failure(FailureKind.BILLING, scope=Scope.ACCOUNT))
    assert {label for label, row in rows.items() if row.benched_for("gpt", NOW)} == {"one", "two"}


def test_m17_what_is_about_the_credential_benches_it_alone() -> None:
    assert list(_benched_by(failure(FailureKind.BILLING, scope=Scope.CREDENTIAL))) == ["one"]


def test_m17_an_account_is_benched_in_every_pool_of_its_provider() -> None:
    own = pool("openai-codex#own", "own", provider="openai-codex", members=(member("own", account="acct-one"),))
    other = pool("backup", members=(member("one", account="acct-one"),))
    known = facts(session())
    assert known.configuration is not None
    known.put(replace(known.configuration, pools=(TWO, own, other)))
    changed = after(known, request_failed(known, sent(), failure(LIMIT, scope=Scope.ACCOUNT), now=NOW))
    assert {token.pool for token in changed.credentials} == {"openai-codex", "openai-codex#own"}


@pytest.mark.parametrize("scope", [Scope.MODEL, Scope.CREDENTIAL, Scope.ACCOUNT])
def test_m17_a_token_under_two_names_is_one_credential(scope: Scope) -> None:
    here, there = (member(label, fingerprint="f", account="key-f") for label in ("one", "two"))
    codex = pool("openai-codex", members=(here, there, member("three")))
    known = facts(session(), codex=codex)
    changed = after(known, request_failed(known, sent(codex=codex), failure(LIMIT, scope=scope), now=NOW))
    assert {token.label for token in changed.credentials} == {"one", "two"}


def test_m9_a_revoked_account_is_dead_with_all_its_credentials() -> None:
    rows = _benched_by(failure(FailureKind.AUTH_REVOKED, scope=Scope.ACCOUNT))
    assert {label for label, row in rows.items() if row.death} == {"one", "two"}


@pytest.mark.parametrize("kind", [LIMIT, FailureKind.RATE_LIMIT, FailureKind.BILLING])
def test_m17_c58_what_names_the_model_benches_it_alone(kind: FailureKind) -> None:
    row = _benched_by(failure(kind, scope=Scope.MODEL))["one"]
    assert row.benched_for("gpt", NOW)
    assert not row.benched_for("mini", NOW)


def test_m18_a_failure_names_the_credentials_that_this_turn_need_not_try() -> None:
    known = facts(session(), codex=OTHERS)
    request = sent(codex=OTHERS)
    for scope, labels in ((Scope.ACCOUNT, {"one", "two"}), (Scope.CREDENTIAL, {"one"}), (Scope.MODEL, {"one"})):
        named = request_failed(known, request, failure(LIMIT, scope=scope), now=NOW).value
        assert {failed.token.label for failed in named} == labels
        assert {failed.model for failed in named} == {"gpt" if scope is Scope.MODEL else None}


def test_m10_a_failure_of_an_old_token_says_nothing_about_the_new_one() -> None:
    new = credential(fingerprint="another", cooldown=bench())
    assert _failed(facts(session(), new), failure(FailureKind.AUTH_REVOKED)).credentials[new.token] == new


@pytest.mark.parametrize(
    "kind", [FailureKind.SERVER_ERROR, FailureKind.TIMEOUT, FailureKind.CONNECTION, FailureKind.MODEL_UNAVAILABLE]
)
def test_m15_what_is_not_the_credentials_fault_benches_no_credential(kind: FailureKind) -> None:
    assert _failed(facts(session()), failure(kind)).credentials == {}


def test_m17_account_quota_benches_the_credential() -> None:
    row = _failed(facts(session()), failure(LIMIT, reset_in=DAY)).credentials[KEY]
    assert row.cooldown is not None
    assert row.cooldown.until == NOW + DAY
    assert row.model_cooldowns == ()


@pytest.mark.parametrize("scope", [Scope.MODEL, Scope.REQUEST])
def test_m17_a_limit_of_one_model_or_of_unclear_scope_benches_the_pair(scope: Scope) -> None:
    row = _failed(facts(session()), failure(FailureKind.RATE_LIMIT, scope=scope)).credentials[KEY]
    assert row.cooldown is None
    assert [model for model, _ in row.model_cooldowns] == ["gpt"]


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        (FailureKind.BILLING, Scope.CREDENTIAL),
        (FailureKind.BILLING, Scope.REQUEST),
        (FailureKind.AUTH, Scope.CREDENTIAL),
        (FailureKind.AUTH, Scope.MODEL),
    ],
)
def test_m17_billing_and_sign_in_bench_the_credential(kind: FailureKind, scope: Scope) -> None:
    row = _failed(facts(session()), failure(kind, scope=scope)).credentials[KEY]
    assert row.cooldown is not None
    assert row.cooldown.reason is kind


def test_m17_what_is_said_of_the_provider_benches_nobody() -> None:
    assert _failed(facts(session()), failure(FailureKind.RATE_LIMIT, scope=Scope.PROVIDER)).credentials == {}


def test_m15_a_sole_credentials_throttle_costs_a_minute_and_with_a_sibling_an_hour() -> None:
    throttle = failure(FailureKind.RATE_LIMIT)
    for codex, seconds in ((candidate().pool, MINUTE), (TWO, HOUR)):
        known = facts(session(), codex=codex)
        row = after(known, request_failed(known, sent(codex=codex), throttle, now=NOW)).credentials[KEY]
        assert row.cooldown is not None
        assert row.cooldown.until == NOW + seconds


def test_m16_a_known_date_is_not_erased_by_a_later_failure_without_one() -> None:
    row = _failed(facts(session(), benched(seconds=2 * DAY)), failure(LIMIT)).credentials[KEY]
    assert row.cooldown is not None
    assert (row.cooldown.until, row.cooldown.source) == (NOW + 2 * DAY, Said.PROVIDER)


def test_m9_a_revoked_sign_in_is_dead() -> None:
    decision = request_failed(facts(session()), sent(), failure(FailureKind.AUTH_REVOKED, status=401), now=NOW)
    death = after(facts(), decision).credentials[KEY].death
    assert death is not None
    assert (death.at, death.reason, death.code) == (NOW, FailureKind.AUTH_REVOKED, 401)
    assert [event.until for event in events(decision) if isinstance(event, CredentialBenched)] == [None]


def test_the_event_of_a_bench_carries_the_merged_date_and_who_said_it() -> None:
    known = facts(session(), benched(seconds=2 * DAY))
    event = events(request_failed(known, sent(), failure(LIMIT, status=429), now=NOW))[1]
    assert isinstance(event, CredentialBenched)
    assert (event.until, event.source, event.code, event.model) == (NOW + 2 * DAY, Said.PROVIDER, 429, None)


def test_a_failure_takes_the_mark_of_the_users_clearing_away() -> None:
    assert _failed(facts(session(), credential(cleared_at=NOW - 5)), failure(LIMIT)).credentials[KEY].cleared_at is None


def test_m32_a_failed_trial_leaves_the_date() -> None:
    known = _failed(facts(session(), benched(seconds=2 * DAY), trial()), failure(LIMIT))
    assert known.trials[candidate().subject].outcome is TrialOutcome.FAILED
    cooldown = known.credentials[KEY].cooldown
    assert cooldown is not None
    assert cooldown.until == NOW + 2 * DAY


def test_m32_a_failure_ends_nobody_elses_trial() -> None:
    known = _failed(facts(session(), benched(), trial("first")), failure(LIMIT))
    assert known.trials[candidate().subject].outcome is TrialOutcome.RUNNING


@pytest.mark.parametrize("kind", [FailureKind.SERVER_ERROR, FailureKind.CONNECTION, FailureKind.INVALID_RESPONSE])
def test_m2_a_trial_outlives_a_failure_that_is_retried(kind: FailureKind) -> None:
    known = _failed(facts(session(), benched(), trial()), failure(kind))
    assert known.trials[candidate().subject].outcome is TrialOutcome.RUNNING


def test_m38_a_limit_on_trial_contradicts_the_verdict() -> None:
    known = facts(session(), benched(), trial(), verdict())
    decision = request_failed(known, sent(), failure(LIMIT), now=NOW)
    assert "verdict_contradicted" in event_types(decision)
    assert after(known, decision).holds[candidate().subject].until == NOW + 1200.0


@pytest.mark.parametrize("kind", [FailureKind.AUTH, FailureKind.BILLING, FailureKind.SERVER_ERROR])
def test_m38_only_a_quota_limit_contradicts(kind: FailureKind) -> None:
    known = facts(session(), benched(), trial(), verdict())
    assert _failed(known, failure(kind)).holds == {}


def test_m38_a_limit_without_a_lift_contradicts_nothing() -> None:
    known = facts(session(), verdict())
    assert VerdictContradicted not in map(type, events(request_failed(known, sent(), failure(LIMIT), now=NOW)))


def test_m38_throttled_knows_no_holds() -> None:
    known = facts(session(), benched(), trial(), verdict(), policy=Policy.THROTTLED)
    assert _failed(known, failure(LIMIT)).holds == {}


@pytest.mark.parametrize("kind", [LIMIT, FailureKind.AUTH, FailureKind.SERVER_ERROR, FailureKind.INVALID_RESPONSE])
def test_m33_a_failure_that_does_not_leave_the_route_leaves_the_claim_to_be_verified(kind: FailureKind) -> None:
    known = facts(session(unverified_since=NOW - 1))
    decision = request_failed(known, sent(), failure(kind), now=NOW)
    assert "restore_failed" not in event_types(decision)
    assert "primary_verified" in event_types(request_served(after(known, decision), sent(), answer(), now=NOW))


def test_m39_a_failure_ends_the_forced_request() -> None:
    assert _failed(facts(session(forced_at=NOW - 5)), failure(LIMIT)).sessions["docs"].forced_at is None


def test_a_reply_is_the_next_message_with_its_route() -> None:
    known = facts(session(messages=1, phase=Phase.RUNNING, turn_started_at=NOW - 5))
    decision = request_served(known, sent(), answer("Hello."), now=NOW)
    message, row = decision.value, after(known, decision).sessions["docs"]
    assert (message.number, message.role, message.text) == (1, Role.ASSISTANT, "Hello.")
    assert message.route == "openai-codex/gpt"
    assert (row.messages, row.phase, row.turn_started_at) == (2, Phase.IDLE, None)


def test_m10_a_reply_is_recorded_with_latency_and_credential() -> None:
    event = events(request_served(facts(session()), sent(at=NOW - 2.5), answer(), now=NOW))[0]
    assert isinstance(event, TurnCompleted)
    assert (event.credential, event.latency, event.text) == ("one", 2.5, "Done.")


def test_m32_a_reply_clears_the_date_and_proves_the_trial() -> None:
    known = _served(facts(session(), benched(), trial(), hold(count=2)))
    assert known.credentials[KEY].cooldown is None
    assert known.credentials[KEY].last_served_at == NOW
    assert known.trials[candidate().subject].outcome is TrialOutcome.SERVED
    assert (known.holds[candidate().subject].until, known.holds[candidate().subject].count) == (NOW, 0)


def test_m32_a_reply_of_another_route_ends_the_trial_that_its_session_left() -> None:
    known = facts(away(), benched(), trial())
    known = after(known, request_served(known, sent(route=BACKUP), answer(), now=NOW))
    assert known.trials[candidate().subject].outcome is TrialOutcome.FAILED


def test_m32_a_reply_to_a_request_from_before_the_bench_is_no_evidence_against_it() -> None:
    known = facts(session(), benched(since=NOW - 5, last_at=NOW - 5), away("other"))
    known = after(known, request_served(known, sent(at=NOW - 60), answer(), now=NOW))
    assert known.credentials[KEY].cooldown is not None
    assert known.sessions["other"].cooldown == waits()


def test_m32_a_reply_of_a_free_credential_lifts_nothing() -> None:
    assert event_types(request_served(facts(session(), away("other")), sent(), answer(), now=NOW)) == ["turn_completed"]


def test_m32_a_reply_says_that_the_cooldown_is_over_and_why() -> None:
    event = events(request_served(facts(session(), benched()), sent(), answer(), now=NOW))[-1]
    assert isinstance(event, CredentialLifted)
    assert (event.on_trial, event.by) == (False, "a reply to docs, usage limit over")


def test_m17_a_reply_leaves_another_models_cooldown() -> None:
    row = credential(model_cooldowns=(("gpt", bench()), ("mini", bench())))
    assert dict(_served(facts(session(), row)).credentials[KEY].model_cooldowns) == {"mini": bench()}


def test_m33_the_first_reply_after_a_restore_verifies_it() -> None:
    known = facts(session(unverified_since=NOW - 1))
    decision = request_served(known, sent(), answer(), now=NOW)
    assert isinstance(events(decision)[0], PrimaryVerified)
    assert after(known, decision).sessions["docs"].unverified_since is None
    assert event_types(request_served(facts(session()), sent(), answer(), now=NOW)) == ["turn_completed"]


def test_m22_only_a_reply_of_the_primary_resets_the_ladder() -> None:
    row = session(limit_hits=4, failing_hits=2, cooldown=waits())
    home = _served(facts(row)).sessions["docs"]
    assert (home.limit_hits, home.failing_hits, home.cooldown, home.departure) == (0, 0, None, None)
    known = facts(away(limit_hits=4, failing_hits=2))
    there = after(known, request_served(known, sent(route=BACKUP), answer(), now=NOW)).sessions["docs"]
    assert (there.limit_hits, there.failing_hits, there.cooldown) == (4, 2, waits())
    assert there.departure is not None


def test_m22_a_reply_ends_the_hold_on_its_route_and_drops_those_that_are_over() -> None:
    holds = (
        RouteHold(BACKUP.key, NOW + 9, 1, FailureKind.TIMEOUT),
        RouteHold("over", NOW - 1, 1, FailureKind.TIMEOUT),
        RouteHold("ahead", NOW + 9, 1, FailureKind.TIMEOUT),
    )
    known = facts(away(holds=holds))
    row = after(known, request_served(known, sent(route=BACKUP), answer(), now=NOW)).sessions["docs"]
    assert [kept.route for kept in row.holds] == ["ahead"]


def test_m32_the_sessions_that_wait_come_home_spread_over_five_seconds() -> None:
    names = [f"s{n}" for n in range(100)]
    known = _served(facts(session(), benched(), *(away(name) for name in names)))
    moments = [known.sessions[name].home_at for name in names]
    assert all(moment is not None and 0 <= moment - NOW <= HOMECOMING_SECONDS for moment in moments)
    assert len(set(moments)) > 50
    assert {known.sessions[name].cooldown for name in names} == {None}


def test_m32_the_end_of_an_accounts_cooldown_frees_those_who_wait_for_another_model_of_it() -> None:
    known = _served(facts(session(), benched(), away("mini", requested=replace(PRIMARY, model="mini"))))
    assert known.credentials[KEY].cooldown is None
    assert known.sessions["mini"].cooldown is None


def test_m17_the_end_of_one_models_cooldown_frees_nobody_who_waits_for_another() -> None:
    row = credential(model_cooldowns=(("gpt", bench()), ("mini", bench())))
    known = _served(facts(session(), row, away("gpt"), away("mini", requested=replace(PRIMARY, model="mini"))))
    assert [known.sessions[name].cooldown for name in ("gpt", "mini")] == [None, waits()]


def test_m32_one_sessions_moment_is_always_the_same() -> None:
    spread = [homecoming(facts(away()), "openai-codex", "gpt", NOW, besides=None, spread=True) for _ in range(2)]
    assert spread[0] == spread[1]
    assert spread[0][0].home_at is not None


def test_m32_only_those_who_wait_for_this_pool_model_and_limit_come_home() -> None:
    other_pool = away("other-pool", requested=BACKUP)
    other_model = away("other-model", requested=replace(PRIMARY, model="mini"))
    known = facts(
        away("waits"),
        other_pool,
        other_model,
        away("fails", cooldown=failing()),
        away("free", cooldown=None),
        away("over", cooldown=waits(-1.0)),
        away("itself"),
    )

    def home(model: str | None) -> list[str]:
        found = homecoming(known, "openai-codex", model, NOW, besides="itself", spread=False)
        assert {row.home_at for row in found} == {None}
        return sorted(row.name for row in found)

    assert home("gpt") == ["waits"]
    assert home(None) == ["other-model", "waits"]
