"""Who takes an edited configuration, and when: what is said before it is saved is what happens then (M44)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.configuration import Configuration, Policy, SessionPlan
from hermes_tui.core.lifecycle import take_chain
from hermes_tui.core.route import Link
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.taking import Taking, When, takings
from tests.core.made import BACKUP, CHAIN, NOW, PRIMARY, SPARE, away, configuration, facts, session


def _file(*chain: Link, **fields: Any) -> Configuration:
    plans = (SessionPlan("docs"),)
    return replace(configuration(chain=chain or CHAIN), sessions=plans, **fields)


def _takings(row: Session, after: Configuration) -> tuple[Taking, ...]:
    return takings(Snapshot(1, NOW, "own", facts(), (SessionState(row, "own"),)), after, NOW)


def _said(row: Session, after: Configuration) -> str:
    (taking,) = _takings(row, after)
    assert taking.session == "docs"
    return f"{taking.what}: {taking.when}"


TURNED = (Link(SPARE), Link(BACKUP))


@pytest.mark.parametrize(
    ("row", "chain", "said"),
    [
        (session(), TURNED, "stays on its primary, with 2 entries behind it: now"),
        (session(), TURNED[:1], "stays on its primary, with 1 entry behind it: now"),
        (away(), TURNED, "stays on backup/small, now entry 2 of 2: now"),
        (away(), TURNED[:1], "goes back to openai-codex/gpt: backup/small has left the chain: now"),
        (away(phase=Phase.RUNNING), TURNED, "stays on backup/small, now entry 2 of 2: after the turn that runs"),
        (away(phase=Phase.WAITING), TURNED, "stays on backup/small, now entry 2 of 2: after the turn that runs"),
    ],
)
def test_m44_what_a_session_takes_is_said(row: Session, chain: tuple[Link, ...], said: str) -> None:
    assert _said(row, _file(*chain)) == said


@pytest.mark.parametrize("chain", [TURNED, TURNED[:1], CHAIN[:1]])
@pytest.mark.parametrize("row", [session(), away(), away(position=2, index=2)])
def test_m44_what_is_said_is_what_the_engine_does(row: Session, chain: tuple[Link, ...]) -> None:
    after = take_chain(row, _file(*chain), NOW).value
    said = _said(row, _file(*chain))
    assert ("stays on its primary" in said) == (not row.on_fallback)
    assert ("goes back" in said) == (row.on_fallback and not after.on_fallback)
    if after.on_fallback:
        assert f"stays on {after.active}, now entry {after.position} of {len(chain)}" in said


def test_m44_nobody_takes_what_has_not_changed() -> None:
    assert _takings(session(), _file()) == ()


def test_m44_an_own_primary_is_said() -> None:
    after = replace(_file(), primary=Link(SPARE))
    assert _said(session(), after) == "takes spare/tiny as its primary, with 2 entries behind it: now"


def test_m44_an_empty_chain_is_said() -> None:
    assert _said(session(), replace(_file(), chain=())) == "stays on its primary, with nothing behind it: now"


def test_m44_settings_are_taken_at_once() -> None:
    before = _file()
    after = replace(before, settings=replace(before.settings, policy=Policy.NEVER, max_retries=1))
    assert [(taking.session, taking.what, taking.when) for taking in _takings(session(), after)] == [
        (None, "policy adaptive › never", When.NOW),
        (None, "max_retries 3 › 1", When.NOW),
    ]


def test_m44_a_new_session_begins_and_one_that_left_the_file_ends() -> None:
    after = replace(_file(), sessions=(SessionPlan("mail"),))
    assert [f"{taking.session} {taking.what}: {taking.when}" for taking in _takings(session(), after)] == [
        "docs ends: it is not in the file any more: now",
        "mail begins on openai-codex/gpt: now",
    ]


def test_m44_a_session_that_the_user_made_is_in_no_file_and_goes_on() -> None:
    after = replace(_file(), sessions=())
    assert _takings(session(created_by_user=True), after) == ()


def test_m44_a_session_that_left_the_file_ends_with_its_turn() -> None:
    (taking,) = _takings(session(phase=Phase.RUNNING), replace(_file(), sessions=()))
    assert taking.when is When.TURN_ENDED


def test_m44_the_old_and_the_new_chain_are_told_route_by_route() -> None:
    (taking,) = _takings(session(), _file(*TURNED[:1]))
    assert taking.before == ("openai-codex/gpt", "backup/small", "spare/tiny")
    assert (taking.after, taking.loses) == (("openai-codex/gpt", "spare/tiny"), False)


def test_m44_a_session_on_a_route_that_leaves_the_chain_is_told_so() -> None:
    assert [taking.loses for taking in _takings(away(), _file(*TURNED[:1]))] == [True]
    assert [taking.loses for taking in _takings(away(), _file(*TURNED))] == [False]


@pytest.mark.parametrize(
    ("row", "plan", "said"),
    [
        (session(), {"chain": CHAIN}, "keeps the chain of its own that the file gives it: never"),
        (session(left_out=("a/b",)), {}, "keeps openai-codex/gpt, which you switched it to: never"),
        (session(), {"primary": Link(PRIMARY)}, "keeps the primary of its own that the file gives it: never"),
    ],
)
def test_m44_a_session_that_a_change_does_not_reach_is_told_with_the_reason(
    row: Session, plan: dict[str, Any], said: str
) -> None:
    chain = TURNED if "chain" in plan else CHAIN
    after = replace(_file(*chain), primary=Link(SPARE), sessions=(SessionPlan("docs", **{"primary": None} | plan),))
    if "chain" in plan:
        after = replace(after, primary=Link(PRIMARY))
    assert _said(row, after) == said
    assert _takings(row, replace(_file(), sessions=after.sessions)) == ()


@pytest.mark.parametrize(
    ("state", "when"),
    [
        ({}, When.NOW),
        ({"mine": False, "owner": 7}, When.NOW),
        ({"mine": False}, When.NEXT_RUN),
        ({"row": session(phase=Phase.RUNNING), "mine": False, "owner": 7}, When.TURN_ENDED),
    ],
)
def test_m44_it_is_taken_when_whoever_runs_the_session_can(state: dict[str, Any], when: When) -> None:
    shown = replace(SessionState(session(), "own"), **state)
    (taking,) = takings(Snapshot(1, NOW, "own", facts(), (shown,)), _file(*TURNED), NOW)
    assert taking.when is when
