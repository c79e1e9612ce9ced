"""A moment takes over what still holds, and judges a session when somebody looks."""

from dataclasses import replace

from hermes_tui.core.facts import Facts
from hermes_tui.core.session import Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.view.moment import moment_of
from tests.tui.fakes import NIGHTLY, NOW, TRIAGE, credential, story_facts


def snapshot(facts: Facts) -> Snapshot:
    """Return a snapshot of `facts`."""
    states = tuple(SessionState(row, "own") for row in facts.sessions.values())
    return Snapshot(1, NOW, "own", facts, states)


def after(before: Snapshot, row: Session) -> Snapshot:
    """Return the snapshot after a session's row has changed."""
    facts = replace(before.facts, sessions={**before.facts.sessions, row.name: row})
    states = {state.name: state for state in before.sessions} | {row.name: SessionState(row, "own")}
    return replace(before, facts=facts, sessions=tuple(states.values()))


def test_a_session_whose_row_is_the_same_keeps_its_judgement_while_others_change() -> None:
    first = snapshot(story_facts())
    before = moment_of(first, NOW)
    now = moment_of(after(first, replace(TRIAGE, turns=4)), NOW + 1, before)
    kept, changed = NIGHTLY.name, TRIAGE.name
    standing, was = now.standing_of(kept), before.standing_of(kept)
    assert standing is not None
    assert was is not None
    assert standing.judgement is was.judgement
    assert now.standing_of(changed) != before.standing_of(changed)
    assert now.known is before.known


def test_all_are_judged_anew_when_a_credential_changes() -> None:
    facts = story_facts()
    first = snapshot(facts.copy())
    before = moment_of(first, NOW)
    facts.put(credential("openai-codex", "oauth-1", "a91f"))
    now = moment_of(snapshot(facts.copy(first.facts)), NOW + 1, before)
    assert not any(one.judgement is was.judgement for one, was in zip(now.standings, before.standings, strict=True))
    assert now.known is not before.known


def test_in_a_storm_only_those_that_are_looked_at_are_judged_before_the_tick() -> None:
    first = snapshot(story_facts())
    calm = moment_of(first, NOW)
    stormy = first
    for row in first.facts.sessions.values():
        stormy = after(stormy, replace(row, turns=row.turns + 1, position=0, index=0, departure=None))
    flushed = moment_of(stormy, NOW + 0.1, calm, counts_at_most=2)
    assert not any(standing.judgement.is_made for standing in flushed.standings)
    assert flushed.off == calm.off
    assert len(calm.off) == 2
    assert flushed.standings[0].diagnosis.code
    assert [standing.judgement.is_made for standing in flushed.standings] == [True, False, False, False]
    ticked = moment_of(stormy, NOW + 0.2, flushed)
    assert (ticked.off, all(standing.judgement.is_made for standing in ticked.standings)) == ((), True)
    assert ticked.standings[0] is flushed.standings[0]


def test_few_changes_are_counted_at_once() -> None:
    first = snapshot(story_facts())
    home = replace(NIGHTLY, position=0, index=0, departure=None, cooldown=None)
    now = moment_of(after(first, home), NOW + 0.1, moment_of(first, NOW), counts_at_most=2)
    assert len(now.off) == 1
