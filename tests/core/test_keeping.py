"""Sessions that are kept: made like others, called otherwise, put aside, brought back, run by the clock."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.acts import (
    ArchiveSession,
    BringBack,
    ChangeSchedule,
    Command,
    ForceRestore,
    NewSession,
    RenameSession,
    SendPrompt,
)
from hermes_tui.core.configuration import Configuration, SessionPlan
from hermes_tui.core.credential import Death
from hermes_tui.core.decision import Row
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ScheduleChanged, SessionRenamed
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.keeping import archive, bring_back, change_schedule, make, rename
from hermes_tui.core.lifecycle import take_chain
from hermes_tui.core.plans import archived, listed, plan_of, planned
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused, preview
from hermes_tui.core.route import Link
from hermes_tui.core.session import Arrangement, Phase, Session
from hermes_tui.core.snapshot import Live, SessionState, Snapshot
from hermes_tui.core.text import PlainText
from tests.core.made import BACKUP, CHAIN, NOW, PRIMARY, SPARE, after, bench, benched, configuration, session, trial

NIGHTLY = SessionPlan("nightly", "What is new?", "Be short.", 900.0, primary=Link(SPARE), chain=(Link(BACKUP),))


def _facts(*rows: Row, plans: tuple[SessionPlan, ...] = (NIGHTLY,)) -> Facts:
    known = Facts(replace(configuration(), sessions=plans))
    for row in rows:
        known.put(row)
    return known


def _configuration(known: Facts) -> Configuration:
    assert known.configuration is not None
    return known.configuration


def _make(known: Facts, name: str = "new", **fields: Any) -> Session:
    wanted = {"like": None, "prompt": "", "every_seconds": None} | fields
    return make(known, name, now=NOW, **wanted).value


def own(name: str = "docs", **fields: Any) -> Session:
    """Return a session that the user made."""
    return session(name, created_by_user=True, **fields)


def _ask(command: Command, known: Facts, live: Live | None = None) -> Preview:
    states = tuple(SessionState(row, "own", live=live) for row in listed(known))
    return preview(command, Snapshot(1, NOW, "own", known, states), NOW)


def _refusal(command: Command, known: Facts) -> str:
    answer = _ask(command, known)
    assert isinstance(answer, Refused), answer
    return answer.reason


# Making


def test_a_session_is_made_on_the_files_primary_and_chain() -> None:
    made = _make(_facts())
    assert (made.requested, made.chain, made.created_by_user, made.made_at) == (PRIMARY, CHAIN, True, NOW)
    assert made.next_run_at is None


def test_a_session_like_an_entry_of_the_file_takes_its_words_and_its_routes() -> None:
    known = _facts()
    made = _make(known, like="nightly")
    assert (made.requested, made.chain) == (SPARE, (Link(BACKUP),))
    plan = plan_of(_configuration(known), made)
    assert (plan.system_prompt, plan.prompt, plan.every_seconds) == ("Be short.", None, None)


def test_m44_a_session_like_an_entry_of_the_file_goes_along_when_that_changes() -> None:
    known = _facts()
    made = _make(known, like="nightly")
    changed = replace(_configuration(known), sessions=(replace(NIGHTLY, chain=CHAIN),))
    assert take_chain(made, changed, NOW).value.chain == CHAIN


def test_a_session_keeps_its_routes_once_the_entry_that_it_is_like_has_left_the_file() -> None:
    known = _facts()
    made = _make(known, like="nightly")
    without = replace(_configuration(known), sessions=())
    assert take_chain(made, without, NOW).value == made


def test_a_session_like_an_orphan_takes_the_routes_that_the_orphan_has_kept() -> None:
    orphan = own("orphan", requested=SPARE, chain=(), arrangement=Arrangement("gone", "Be short."))
    made = _make(_facts(orphan, plans=()), like="orphan")
    assert (made.requested, made.chain, made.arranged.system_prompt) == (SPARE, (), "Be short.")


def test_m43_a_session_like_one_that_was_switched_asks_for_the_same_model() -> None:
    switched = own("other", requested=BACKUP, chain=(Link(SPARE),), left_out=(str(PRIMARY), str(BACKUP)))
    made = _make(_facts(switched), like="other")
    assert (made.requested, made.chain, made.switched) == (BACKUP, (Link(SPARE),), True)


def test_a_session_with_a_schedule_is_due_at_once_and_then_by_its_own_prompt() -> None:
    known = _facts()
    made = _make(known, prompt="Look.", every_seconds=7200.0)
    assert made.next_run_at == NOW
    assert plan_of(_configuration(known), made).prompt == "Look."


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": "nightly"}, "there is a session nightly already"),
        ({"name": "docs"}, "there is a session docs already"),
        ({"name": "old"}, "old is archived: bring it back (A), or choose another name"),
        ({"name": "gone"}, "gone was in the file once, and its conversation is kept"),
        ({"name": "a\x07"}, "cannot be seen (U+0007)"),
        ({"like": "nihgtly"}, 'there is no session "nihgtly" to be like; did you mean "nightly"?'),
        ({"every_seconds": 60.0, "prompt": " "}, "needs something to say"),
        ({"every_seconds": 0.1, "prompt": "Go."}, "cannot run by itself so often"),
        ({"every_seconds": float("nan"), "prompt": "Go."}, "cannot run by itself so often"),
        ({"every_seconds": float("inf"), "prompt": "Go."}, "cannot run by itself so often"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_reason_before_and_when_it_is_done(
    fields: dict[str, Any], why: str
) -> None:
    known = _facts(own(), own("old", archived_at=NOW), session("gone"))
    wanted = {"name": "new", "like": None, "prompt": "", "every_seconds": None} | fields
    name = wanted.pop("name")
    assert why in _refusal(NewSession(name, **wanted), known)
    with pytest.raises(RefusedError) as refused:
        make(known, name, now=NOW, **wanted)
    assert why in str(refused.value)


def test_the_effect_of_making_says_what_is_sent_where_and_when() -> None:
    for command, effect in (
        (NewSession("new"), "new starts on openai-codex/gpt with your first prompt."),
        (NewSession("new", "nightly", "Go."), "new starts on spare/tiny with this prompt, now."),
        (NewSession("new", None, "Go.", 5400.0), "new sends its prompt to openai-codex/gpt now, and then every 1h30m."),
    ):
        assert _ask(command, _facts()) == Ready(PlainText(effect))


def test_sessions_are_listed_as_the_file_has_them_and_then_as_they_were_made() -> None:
    known = _facts(own("zebra", made_at=1.0), own("apple", made_at=2.0), own("old", archived_at=NOW), session("gone"))
    assert [plan.name for plan in planned(known)] == ["nightly", "zebra", "apple"]
    assert [row.name for row in archived(known)] == ["old"]


# Renaming


def test_a_renamed_session_is_named_so_wherever_its_name_stands() -> None:
    row = replace(
        benched(),
        model_cooldowns=(("mini", bench(session="docs")), ("maxi", bench(session="mail"))),
        death=Death(NOW, FailureKind.AUTH_REVOKED, 401, PlainText("revoked"), "docs"),
    )
    known = _facts(own(turns=3), row, trial("docs"))
    decision = rename(known, "docs", "papers", NOW)
    folded = after(known, decision)
    assert (list(folded.sessions), folded.sessions["papers"].turns) == (["papers"], 3)
    assert "docs" not in repr([*folded.sessions.values(), *folded.credentials.values(), *folded.trials.values()])
    assert "mail" in repr(folded.credentials)
    (event,) = (record.event for record in decision.records)
    assert event == SessionRenamed(time=NOW, session="papers", before="docs")


@pytest.mark.parametrize(
    ("before", "name", "why"),
    [
        ("docs", "nightly", "there is a session nightly already"),
        ("docs", "old", "old is archived"),
        ("docs", "", "a session needs a name"),
        ("docs", "docs", "it is called docs already: type another name"),
        ("runs", "papers", "runs's turn runs: rename it when that has ended, or stop it (x)"),
        ("nightly", "papers", "nightly has its name from the file: another name there (E) begins another session"),
    ],
)
def test_a_rename_that_cannot_be_is_refused_with_the_reason(before: str, name: str, why: str) -> None:
    known = _facts(own(), own("old", archived_at=NOW), own("runs", phase=Phase.RUNNING), session("nightly"))
    assert why in _refusal(RenameSession(before, name), known)
    with pytest.raises(RefusedError):
        rename(known, before, name, NOW)


# Archiving


def test_an_archived_session_is_in_no_list_and_comes_back_as_it_was() -> None:
    known = _facts(own(turns=3))
    put_aside = after(known, archive(known, "docs", NOW))
    assert [row.name for row in listed(put_aside)] == []
    assert after(put_aside, bring_back(put_aside, "docs", NOW)).sessions["docs"] == own(turns=3)


def test_an_entry_of_the_file_can_be_archived_too_and_runs_nothing() -> None:
    known = _facts(session("nightly"))
    assert list(planned(after(known, archive(known, "nightly", NOW)))) == []


def test_archiving_asks_while_a_turn_runs_and_names_what_would_be_lost() -> None:
    assert isinstance(_ask(ArchiveSession("docs"), _facts(own())), Ready)
    answer = _ask(ArchiveSession("docs"), _facts(own(phase=Phase.RUNNING)), Live(queued=2))
    assert isinstance(answer, Confirm)
    assert answer.question == "Archive docs while its turn runs?"
    assert "nor what waits to be sent (2)" in answer.effect


@pytest.mark.parametrize(
    "command",
    [SendPrompt("docs", "Go."), ForceRestore("docs"), ArchiveSession("docs"), ChangeSchedule("docs", 60.0, "Go.")],
)
def test_every_act_on_an_archived_session_says_how_to_bring_it_back(command: Command) -> None:
    assert _refusal(command, _facts(own(archived_at=NOW))) == "docs is archived: bring it back first (A)"


def test_what_is_not_archived_or_has_left_the_file_is_not_brought_back() -> None:
    assert _refusal(BringBack("docs"), _facts(own())) == "docs is not archived"
    gone = _facts(session("gone", archived_at=NOW))
    assert "put its [[sessions]] entry there again first" in _refusal(BringBack("gone"), gone)


def test_a_turn_that_has_begun_meanwhile_is_not_put_aside() -> None:
    with pytest.raises(RefusedError, match="turn runs"):
        archive(_facts(own(phase=Phase.RUNNING)), "docs", NOW)


# Schedules


def test_a_schedule_is_changed_and_ended() -> None:
    known = _facts(own())
    changed = after(known, change_schedule(known, "docs", 3600.0, "Look.", NOW))
    assert changed.sessions["docs"].next_run_at == NOW + 3600.0
    assert plan_of(_configuration(known), changed.sessions["docs"]).every_seconds == 3600.0
    decision = change_schedule(changed, "docs", None, "", NOW)
    assert decision.records[0].event == ScheduleChanged(time=NOW, session="docs", every_seconds=None, at=None)
    assert after(changed, decision).sessions["docs"].next_run_at is None


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (ChangeSchedule("nightly", 60.0, "Go."), "nightly has its schedule from the file: change every and prompt"),
        (ChangeSchedule("docs", 60.0), "a session that runs by itself needs something to say"),
        (ChangeSchedule("docs", None), "docs does not run by itself"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused_with_the_reason(command: Command, why: str) -> None:
    assert why in _refusal(command, _facts(own(), session("nightly")))
