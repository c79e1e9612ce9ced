"""Verdicts: what a usage endpoint's answer means, and what counts as new (M34, M35, M38)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.verdict import TrialOutcome, Usage, Verdict, VerdictKey, Window, is_new_evidence, judge
from tests.core.made import NOW, trial, verdict

HALF, ALL = Window("5 h", 50.0), Window("week", 100.0)
BEFORE = Usage(
    allowed=True,
    limit_reached=False,
    has_credits=False,
    unlimited=False,
    plan="pro",
    windows=(Window("5 h", 50.0, NOW + 60.0), Window("week", 20.0)),
)


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(), Verdict.UNKNOWN),
        (Usage(plan="pro"), Verdict.UNKNOWN),
        (Usage(windows=(HALF,)), Verdict.QUOTA),
        (Usage(windows=(HALF, ALL)), Verdict.NO_QUOTA),
        (Usage(windows=(Window("5 h", 99.9),)), Verdict.QUOTA),
        (Usage(windows=(Window("5 h", 130.0),)), Verdict.NO_QUOTA),
        (Usage(has_credits=True, windows=(ALL,)), Verdict.QUOTA),
        (Usage(unlimited=True, windows=(ALL,)), Verdict.QUOTA),
        (Usage(has_credits=False, windows=(HALF,)), Verdict.QUOTA),
        (Usage(has_credits=False), Verdict.UNKNOWN),
        (Usage(allowed=True, windows=(ALL,)), Verdict.QUOTA),
        (Usage(limit_reached=False), Verdict.QUOTA),
        (Usage(allowed=False, has_credits=True, windows=(HALF,)), Verdict.NO_QUOTA),
        (Usage(limit_reached=True, unlimited=True), Verdict.NO_QUOTA),
        (Usage(allowed=True, limit_reached=True), Verdict.NO_QUOTA),
        (Usage(windows=(HALF,), incomplete=True), Verdict.UNKNOWN),
        (Usage(windows=(HALF, ALL), incomplete=True), Verdict.NO_QUOTA),
        (Usage(has_credits=True, windows=(HALF,), incomplete=True), Verdict.QUOTA),
        (Usage(allowed=True, windows=(HALF,), incomplete=True), Verdict.QUOTA),
        (Usage(allowed=True, limit_reached=False, model_limited=True, unlimited=True), Verdict.NO_QUOTA),
    ],
)
def test_m34_what_is_explicit_outranks_credits_and_these_the_windows(usage: Usage, said: Verdict) -> None:
    assert judge(usage)[0] is said


def test_m34_the_full_window_is_named() -> None:
    assert judge(Usage(windows=(HALF, ALL)))[1] == "the window week is full"


def test_m34_an_answer_without_windows_says_why_it_is_unknown() -> None:
    assert judge(Usage())[1] == "the answer names no quota window"
    incomplete = Usage(windows=(HALF,), incomplete=True)
    assert judge(incomplete)[1] == "the answer does not tell the use of every quota window"


@pytest.mark.parametrize(
    ("change", "new"),
    [
        ({}, False),
        ({"allowed": False}, True),
        ({"allowed": None}, True),
        ({"limit_reached": True}, True),
        ({"has_credits": True}, True),
        ({"unlimited": True}, True),
        ({"plan": "team"}, True),
        ({"windows": (Window("5 h", 50.0, NOW + 9000.0), Window("week", 20.0))}, False),
        ({"windows": (Window("5 h", 50.0, None), Window("week", 20.0))}, False),
        ({"windows": (Window("week", 20.0), Window("5 h", 50.0))}, False),
        ({"windows": (Window("5 h", 80.0), Window("week", 100.0))}, False),
        ({"windows": (Window("5 h", 49.9), Window("week", 20.0))}, True),
        ({"windows": (Window("5 h", 80.0), Window("week", 19.0))}, True),
        ({"windows": (Window("5 h", 50.0),)}, True),
        ({"windows": (*BEFORE.windows, Window("day", 1.0))}, True),
    ],
)
def test_m38_evidence_is_new_only_by_falling_use_or_another_explicit_word(change: dict[str, Any], new: bool) -> None:
    assert is_new_evidence(BEFORE, replace(BEFORE, **change)) is new


def test_m35_a_verdict_counts_from_its_question_to_its_expiry() -> None:
    known = verdict(ago=0.0, life=300.0)
    assert known.fresh(NOW)
    assert known.fresh(NOW + 299.9)
    assert not known.fresh(NOW + 300.0)


def test_m35_a_verdict_from_the_future_does_not_count_after_the_clock_was_set_back() -> None:
    assert not verdict(ago=-10.0).fresh(NOW)


def test_m38_a_verdicts_subject_does_not_know_the_token() -> None:
    one, other = (VerdictKey("openai-codex", "acct", "gpt", token) for token in ("aaaa", "bbbb"))
    assert one.subject == other.subject
    assert one != other


def test_m32_a_trial_runs_until_its_outcome_or_its_deadline() -> None:
    running = trial(expires_at=NOW + 5.0)
    assert running.runs(NOW + 4.9)
    assert not running.runs(NOW + 5.0)
    assert not replace(running, outcome=TrialOutcome.FAILED).runs(NOW)
    assert not replace(running, outcome=TrialOutcome.SERVED).runs(NOW)


def test_a_verdict_reads_as_words() -> None:
    assert [said.words for said in Verdict] == ["quota", "no quota", "unknown"]
