"""The quotas: every window in words first and as a bar, with its reset, its age, and who shares the account."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.configuration import Member, Pool
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.facts import Facts
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import plain
from hermes_tui.core.verdict import CachedVerdict, Usage, Verdict, VerdictKey, Window
from hermes_tui.view.credentials import credential_detail
from hermes_tui.view.line import line_width, text_of
from hermes_tui.view.moment import Moment, moment_of
from hermes_tui.view.quota import account_key, quota_keys, quotas, usage_bar, window_line
from hermes_tui.view.words import to_ascii
from tests.tui.fakes import CONFIGURATION, NOW, POOLS, USAGE, at, story_facts, story_snapshot

SHARED = Pool(
    "openai-codex",
    "openai-codex",
    (Member("home", "1111", "acct"), Member("work", "2222", "acct"), Member("none", "", "none", fault="no key")),
    reopens_early=True,
)


def lines(moment: Moment, cells: int = 118) -> list[str]:
    return [text_of(row.line) for row in quotas(moment, cells).rows]


def asked(model: str, usage: Usage | None, *, fingerprint: str = "1111", ago: float = 60.0) -> CachedVerdict:
    """Return what the shared account said about `model`."""
    key = VerdictKey("openai-codex", "acct", model, fingerprint)
    said, why = (Verdict.QUOTA, "every window has room") if usage else (Verdict.UNKNOWN, "it timed out")
    return CachedVerdict(key, said, plain(why), NOW - ago, NOW - ago + 300, usage)


def shared(*verdicts: CachedVerdict) -> Moment:
    """Return a moment with one account that two credentials share."""
    facts = Facts(replace(CONFIGURATION, pools=(SHARED, *POOLS[1:])))
    for verdict in verdicts:
        facts.put(verdict)
    return moment_of(Snapshot(1, NOW, "own", facts), NOW)


def test_each_window_says_how_much_is_used_and_when_it_resets(afternoon: Moment) -> None:
    told = lines(afternoon)
    (week,) = [line for line in told if line.startswith("  week")]
    assert week.split()[1:3] == ["40", "%"]
    assert week.endswith("resets Wed 09:12, in 1d 19h")
    (full,) = [line for line in told if "100 %" in line]
    assert full.endswith("full, resets 14:20:03, in 12:41")


def test_a_contradicted_reading_says_so_with_the_time_and_until_when(afternoon: Moment) -> None:
    told = " ".join(lines(afternoon))
    assert "✗ quota for gpt-5: every window has room; asked 1:44 ago, counts for 3:16." in told
    assert "A request contradicted it at 14:05:40;   not believed before 14:25:40." in told


def test_where_nobody_holds_back_a_contradicted_reading_names_no_date() -> None:
    snapshot = story_snapshot()
    facts = snapshot.facts.copy()
    for hold in tuple(facts.holds.values()):
        facts.put(replace(hold, count=0))
    told = " ".join(lines(moment_of(replace(snapshot, facts=facts), NOW)))
    assert "A request contradicted it at 14:05:40." in told
    assert "not believed before" not in told


def test_the_age_of_a_reading_and_that_it_no_longer_counts() -> None:
    late = moment_of(story_snapshot(), NOW + 600)
    assert "too old to count" in " ".join(lines(late))


def test_a_window_whose_reset_has_passed_is_not_shown_as_one_to_come() -> None:
    told = text_of(window_line(Window("5 h", 100.0, at(14, 0)), NOW, 80))
    assert told.endswith("full, was to reset 14:00:00")
    assert text_of(window_line(Window("5 h", 3.0), NOW, 80)).endswith("its reset was not said")


def test_credentials_of_one_account_stand_together() -> None:
    told = lines(shared(asked("gpt-5", USAGE)))
    assert "  openai-codex/home 1111, openai-codex/work 2222 share it" in told
    assert sum(line.startswith("  week") for line in told) == 1


def test_the_newest_reading_counts_whichever_credential_asked() -> None:
    older = Usage(windows=(Window("week", 90.0),))
    told = lines(shared(asked("gpt-5", older, fingerprint="2222", ago=200), asked("gpt-5", USAGE)))
    assert not any("90 %" in line for line in told)


def test_models_of_which_the_same_was_said_are_said_together() -> None:
    told = lines(shared(asked("gpt-5", USAGE), asked("gpt-5-mini", USAGE)))
    assert any("quota for gpt-5, gpt-5-mini:" in line for line in told)
    own = Usage(windows=(Window("day", 99.0),))
    apart = lines(shared(asked("gpt-5", USAGE), asked("gpt-5-mini", own)))
    assert any("quota for gpt-5-mini:" in line for line in apart)
    assert any("99 %" in line for line in apart)


def test_plan_and_credits_are_told_where_they_are_known() -> None:
    said = replace(USAGE, plan="plus", has_credits=False)
    assert "  openai-codex acct  plan plus, no credits" in [
        line.replace("› ", "  ") for line in lines(shared(asked("gpt-5", said)))
    ]


def test_what_was_not_asked_and_what_cannot_be_asked_are_different_words(afternoon: Moment) -> None:
    told = lines(shared())
    assert "  Not asked yet; p asks." in told
    assert "  Not asked: it has no key." in told
    assert (
        told[-1]
        == "No usage endpoint: groq, zai, openai, openrouter. What they allow is known from their answers alone."
    )
    assert "  Not asked: its credential is dead." in lines(afternoon)


def test_an_unknown_verdict_says_why() -> None:
    assert "  unknown for gpt-5: it timed out; asked 1:00 ago, counts for 4:00." in lines(shared(asked("gpt-5", None)))


def test_without_credentials_there_is_a_sentence() -> None:
    assert lines(moment_of(Snapshot(1, NOW, "own", Facts()), NOW)) == ["No credentials yet."]


def test_the_cursor_stands_on_the_account_of_the_marked_credential() -> None:
    moment = shared(asked("gpt-5", USAGE))
    home, work = CredentialKey("openai-codex", "home"), CredentialKey("openai-codex", "work")
    assert account_key(moment, work) == home
    assert account_key(moment, CredentialKey("zai", "key-1")) == home
    assert next(row.key for row in quotas(moment, 80).rows if row.key is not None) == home


def test_the_detail_of_a_credential_has_the_same_bars(afternoon: Moment) -> None:
    told = [text_of(row.line) for row in credential_detail(afternoon, 80).rows]
    assert any(line.startswith("  week") and "█" in line for line in told)


@pytest.mark.parametrize("cells", [38, 46, 58, 78, 118, 198])
def test_every_width_holds_the_percentages_and_the_resets(afternoon: Moment, cells: int) -> None:
    rows = quotas(afternoon, cells).rows
    assert all(line_width(row.line) <= cells for row in rows)
    told = " ".join(text_of(row.line) for row in rows)
    assert "40 %" in told
    assert "Wed 09:12" in told
    assert len(text_of(quota_keys(cells, Keymap()))) <= cells


def test_in_ascii_a_bar_is_still_one(afternoon: Moment) -> None:
    (week,) = [to_ascii(line) for line in lines(afternoon) if line.startswith("  week")]
    assert "[####" in week
    assert "..]" in week
    assert all(to_ascii(line).isascii() for line in lines(afternoon))


@given(st.floats(-50, 300, allow_nan=False), st.integers(8, 60))
def test_a_bar_is_full_only_when_the_window_is_and_empty_only_when_nothing_is_used(percent: float, cells: int) -> None:
    bar = usage_bar(percent, cells)
    assert len(bar) == cells + 2
    assert (bar.count("░") == 0) == (percent >= 100)
    assert (bar.count("█") == 0) == (percent <= 0)


def test_names_from_outside_stay_text() -> None:
    said = Usage(plan="[/] plus\n", windows=(Window("[red]5 h[/]", 12.0),))
    told = lines(shared(asked("gpt-5", said)))
    assert any("plan [/] plus" in line for line in told)
    assert any("[red]5 h" in line for line in told)


def test_nothing_that_is_secret_is_shown(afternoon: Moment) -> None:
    facts = story_facts()
    assert all(len(row.fingerprint) <= 4 for row in facts.credentials.values())
    assert "a91f" in " ".join(lines(afternoon))
