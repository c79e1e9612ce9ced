"""Pools: which credential serves next, when any returns, and who may be lifted early (M15 ... M20)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.configuration import Pool, Strategy
from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import Credential, TokenKey
from hermes_tui.core.decision import Decision
from hermes_tui.core.event import RequestSent
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind, Scope
from hermes_tui.core.pool import (
    Asker,
    NobodyCanSay,
    NoneUsable,
    ReturnsAt,
    Selected,
    UsableNow,
    failure_of,
    holds_trial,
    is_sole,
    may_reopen,
    next_available_at,
    none_usable,
    said_by,
    select,
    usable,
)
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import TrialOutcome
from tests.core.made import (
    CODEX,
    HOUR,
    NOW,
    PRIMARY,
    TWO,
    after,
    bench,
    benched,
    candidate,
    credential,
    dead,
    facts,
    member,
    pool,
    trial,
)

DOCS = Asker("docs")
ONE, OTHER = (credential(label=label).token for label in ("one", "two"))


def _select(
    known: Facts, here: Pool = TWO, asker: Asker = DOCS, *, dice: Callable[[], float] = lambda: 0.0
) -> Decision[Selected | NoneUsable]:
    return select(known, PRIMARY, here, asker, now=NOW, attempt=1, dice=dice)


def _label(decision: Decision[Selected | NoneUsable]) -> str:
    assert isinstance(decision.value, Selected)
    return decision.value.key.label


def test_m20_a_pool_with_one_free_credential_is_usable_now() -> None:
    assert next_available_at(facts(benched("one")), TWO, "gpt", NOW) == UsableNow()


def test_m20_a_benched_pool_returns_with_its_first_credential() -> None:
    known = facts(benched("one", 2 * HOUR), benched("two", HOUR))
    assert next_available_at(known, TWO, "gpt", NOW) == ReturnsAt(NOW + HOUR, bench(HOUR))


def test_m20_the_dead_return_never_and_are_not_waited_for() -> None:
    known = facts(dead("one"), benched("two", HOUR))
    assert next_available_at(known, TWO, "gpt", NOW) == ReturnsAt(NOW + HOUR, bench(HOUR))


def test_m20_nobody_can_say_when_the_dead_return() -> None:
    outlook = next_available_at(facts(dead("one"), dead("two")), TWO, "gpt", NOW)
    assert isinstance(outlook, NobodyCanSay)
    assert "sign in again" in outlook.reason


def test_m20_nobody_can_say_of_a_pool_without_credentials() -> None:
    outlook = next_available_at(facts(), replace(CODEX, members=()), "gpt", NOW)
    assert outlook == NobodyCanSay(PlainText("no credential is configured for openai-codex"))


def test_m20_a_credential_that_cannot_be_used_as_configured_says_why() -> None:
    faulty = replace(CODEX, members=(member("one", fault="CODEX_TOKEN is not set"),))
    outlook = next_available_at(facts(), faulty, "gpt", NOW)
    assert isinstance(outlook, NobodyCanSay)
    assert outlook.reason == "CODEX_TOKEN is not set"


def test_m17_a_models_cooldown_benches_the_pool_for_that_model_alone() -> None:
    known = facts(credential(model_cooldowns=(("gpt", bench(HOUR)),)))
    assert isinstance(next_available_at(known, CODEX, "gpt", NOW), ReturnsAt)
    assert next_available_at(known, CODEX, "mini", NOW) == UsableNow()


def test_m9_a_replaced_token_starts_afresh() -> None:
    known = facts(dead("one"))
    another = replace(CODEX, members=(member("one", fingerprint="another"),))
    assert isinstance(next_available_at(known, CODEX, "gpt", NOW), NobodyCanSay)
    assert next_available_at(known, another, "gpt", NOW) == UsableNow()


@pytest.mark.parametrize(
    ("sibling", "sole"), [(None, False), (benched("two"), False), (dead("two"), True)], ids=["free", "benched", "dead"]
)
def test_m15_a_credential_is_sole_where_every_sibling_is_dead(sibling: Credential | None, sole: bool) -> None:
    assert is_sole(facts(*[sibling] if sibling else []), TWO, member("one")) is sole


def test_m15_a_sibling_that_cannot_be_used_as_configured_counts_as_none() -> None:
    assert is_sole(facts(), replace(TWO, members=(member("one"), member("two", fault="not set"))), member("one"))


def test_m15_two_credentials_of_one_account_count_as_one() -> None:
    here, there = member("one", account="acct-a"), member("two", account="acct-a")
    assert is_sole(facts(), replace(TWO, members=(here, there)), here)
    assert not is_sole(facts(), replace(TWO, members=(here, there, member("three"))), here)


def test_m15_credentials_without_a_token_share_no_account() -> None:
    here, there = (member(label, fingerprint="", account="local") for label in ("one", "two"))
    assert not is_sole(facts(), replace(TWO, members=(here, there)), here)


def test_m18_select_counts_the_request_and_remembers_when() -> None:
    decision = _select(facts(credential(request_count=3)))
    row = after(facts(), decision).credentials[candidate().token]
    assert (row.request_count, row.last_used_at) == (4, NOW)
    event = decision.records[0].event
    assert isinstance(event, RequestSent)
    assert (event.session, event.credential, event.model, event.attempt) == ("docs", "one", "gpt", 1)


@pytest.mark.parametrize("account", [-1.0, None])
@pytest.mark.parametrize("model", [-1.0, None])
def test_m18_select_clears_what_has_elapsed_and_nothing_else(account: float | None, model: float | None) -> None:
    by_model = {"gpt": model, "mini": HOUR}
    row = credential(
        cooldown=None if account is None else bench(account),
        model_cooldowns=tuple((name, bench(left)) for name, left in by_model.items() if left is not None),
    )
    chosen = after(facts(), _select(facts(row))).credentials[candidate().token]
    assert chosen.cooldown is None
    assert chosen.model_cooldowns == (("mini", bench(HOUR)),)


def test_m18_none_usable_is_typed_has_the_reason_and_the_next_time_and_changes_nothing() -> None:
    decision = _select(facts(benched("one", 2 * HOUR), benched("two", HOUR)))
    assert decision.value == NoneUsable(ReturnsAt(NOW + HOUR, bench(HOUR)))
    assert isinstance(decision.value, NoneUsable)
    assert decision.value.until == NOW + HOUR
    assert decision.records == ()


def test_m18_none_usable_among_the_dead_has_no_next_time() -> None:
    decision = _select(facts(dead("one"), dead("two")))
    assert isinstance(decision.value, NoneUsable)
    assert decision.value.until is None


def test_m18_fill_first_uses_the_first_usable_in_the_files_order() -> None:
    assert _label(_select(facts())) == "one"
    assert _label(_select(facts(benched("one")))) == "two"


def test_m18_round_robin_uses_the_one_that_rested_longest() -> None:
    here = replace(TWO, strategy=Strategy.ROUND_ROBIN)
    known, order = facts(codex=here), []
    for moment in range(4):
        decision = select(known, PRIMARY, here, DOCS, now=NOW + moment, attempt=1, dice=lambda: 0.0)
        known = after(known, decision)
        order.append(_label(decision))
    assert order == ["one", "two", "one", "two"]


def test_m18_least_used_uses_the_one_with_the_fewest_requests() -> None:
    here = replace(TWO, strategy=Strategy.LEAST_USED)
    known = facts(credential(label="one", request_count=5), credential(label="two", request_count=4))
    assert _label(_select(known, here)) == "two"


@pytest.mark.parametrize(("number", "label"), [(0.0, "one"), (0.49, "one"), (0.5, "two"), (0.999, "two")])
def test_m18_random_throws_the_dice(number: float, label: str) -> None:
    assert _label(_select(facts(), replace(TWO, strategy=Strategy.RANDOM), dice=lambda: number)) == label


def test_m18_only_random_throws_the_dice() -> None:
    def never() -> float:
        raise AssertionError("nobody asked for dice")

    for strategy in (Strategy.FILL_FIRST, Strategy.ROUND_ROBIN, Strategy.LEAST_USED):
        _select(facts(), replace(TWO, strategy=strategy), dice=never)


def test_m18_what_failed_in_this_turn_is_not_selected_again_in_it() -> None:
    assert _label(_select(facts(), asker=Asker("docs", failed=(ONE,)))) == "two"
    decision = _select(facts(), asker=Asker("docs", failed=(ONE, OTHER)))
    assert isinstance(decision.value, NoneUsable)
    assert decision.value.until is None
    assert "failed in this turn" in failure_of(decision.value).message


def test_m39_a_forced_request_sets_cooldowns_aside() -> None:
    known = facts(benched("one"), credential(label="two", model_cooldowns=(("gpt", bench(HOUR)),)))
    assert [m.label for m in usable(known, TWO, "gpt", NOW, Asker("docs", forced=True))] == ["one", "two"]


def test_m39_a_forced_request_does_not_wake_the_dead() -> None:
    assert [m.label for m in usable(facts(dead("one")), TWO, "gpt", NOW, Asker("docs", forced=True))] == ["two"]


def test_m39_a_forced_request_leaves_the_dates_as_they_are() -> None:
    chosen = after(facts(), _select(facts(benched()), CODEX, Asker("docs", forced=True))).credentials[candidate().token]
    assert chosen.cooldown == bench()


def test_m32_on_trial_a_credential_serves_its_holder_alone() -> None:
    known = facts(benched(), trial("docs"))
    assert usable(known, CODEX, "gpt", NOW, DOCS) == CODEX.members
    assert usable(known, CODEX, "gpt", NOW, Asker("other")) == ()
    assert usable(known, CODEX, "mini", NOW, DOCS) == ()


def test_m32_on_trial_a_credential_keeps_its_old_date() -> None:
    known = facts(benched(), trial("docs"))
    assert after(known, _select(known, CODEX)).credentials[candidate().token].cooldown == bench()


@pytest.mark.parametrize("over", [{"outcome": TrialOutcome.FAILED}, {"expires_at": NOW}, {"label": "two"}])
def test_m32_a_trial_that_is_over_or_anothers_lets_nobody_through(over: dict[str, Any]) -> None:
    known = facts(benched(), trial("docs", **over))
    assert not holds_trial(known, candidate(), "docs", NOW)
    assert usable(known, CODEX, "gpt", NOW, DOCS) == ()


@pytest.mark.parametrize(
    ("reason", "may"),
    [
        (FailureKind.USAGE_LIMIT, True),
        (FailureKind.RATE_LIMIT, True),
        (FailureKind.BILLING, False),
        (FailureKind.AUTH, False),
    ],
)
def test_m18_only_a_limit_may_reopen_early(reason: FailureKind, may: bool) -> None:
    assert bool(may_reopen(facts(benched(reason=reason)), CODEX, "gpt", NOW)) is may


def test_m18_neither_the_free_nor_the_dead_nor_what_failed_in_this_turn_is_probed() -> None:
    assert may_reopen(facts(), CODEX, "gpt", NOW) == ()
    assert may_reopen(facts(dead()), CODEX, "gpt", NOW) == ()
    known = facts(benched("one"), benched("two"))
    assert [found.member.label for found in may_reopen(known, TWO, "gpt", NOW, failed=(ONE,))] == ["two"]


def test_m29_no_other_provider_reopens_early() -> None:
    known = facts(benched(pool_name="backup"))
    assert may_reopen(known, pool("backup"), "small", NOW) == ()
    assert may_reopen(known, pool("backup", reopens_early=True), "small", NOW)


def test_m10_a_pool_that_cools_down_fails_the_turn_for_its_own_reason() -> None:
    said = failure_of(none_usable(facts(benched(reason=FailureKind.BILLING, code=402)), CODEX, "gpt", NOW))
    assert (said.kind, said.scope, said.status) == (FailureKind.BILLING, Scope.CREDENTIAL, 402)


def test_m9_a_pool_without_a_live_credential_fails_the_turn_as_such() -> None:
    assert failure_of(none_usable(facts(dead()), CODEX, "gpt", NOW)).kind is FailureKind.NO_CREDENTIAL


def test_an_outlook_is_the_providers_word_only_where_the_date_is() -> None:
    assert said_by(ReturnsAt(NOW, bench())) is Said.PROVIDER
    assert said_by(ReturnsAt(NOW, bench(source=Said.ASSUMED))) is Said.ASSUMED
    assert said_by(UsableNow()) is Said.ASSUMED


LABELS = ("one", "two", "three", "four")
ROWS = st.fixed_dictionaries(
    {
        label: st.sampled_from([credential(label=label), benched(label), benched(label, -1.0), dead(label)])
        for label in LABELS
    }
)


@given(
    ROWS,
    st.sampled_from(Strategy),
    st.sets(st.sampled_from(LABELS)),
    st.booleans(),
    st.floats(0, 1, exclude_max=True),
)
def test_m18_select_returns_only_what_is_usable_and_something_whenever_anything_is(
    rows: dict[str, Credential], strategy: Strategy, failed: set[str], forced: bool, number: float
) -> None:
    here = pool("openai-codex", *LABELS, strategy=strategy)
    known = facts(*rows.values(), codex=here)
    asker = Asker("docs", [TokenKey(here.name, label, f"f-{label}") for label in failed], forced=forced)
    free = {
        label
        for label, row in rows.items()
        if row.death is None and label not in failed and (forced or row.benched_for("gpt", NOW) is None)
    }
    decision = _select(known, here, asker, dice=lambda: number)
    if free:
        assert _label(decision) in free
    else:
        assert isinstance(decision.value, NoneUsable)
