"""The ledger: what is committed is there, for everyone; what is not, is nowhere."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes_tui.core.decision import Decision, Record, VerdictForgotten, nothing
from hermes_tui.core.event import ClockStepped, CredentialLifted, SessionCreated, TurnStarted
from hermes_tui.core.facts import Facts
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict, VerdictKey
from hermes_tui.storage import writable
from hermes_tui.storage.ledger import SqliteLedger

from .samples import ROUTE, next_turn, said, started

EVENT = TurnStarted(time=1.0, session=None, turn=1, prompt=PlainText("go"))
KEY = VerdictKey("openai", "me", "gpt", "ab12")
VERDICT = CachedVerdict(KEY, Verdict.QUOTA, PlainText("room"), 1.0, 2.0)


def commit(ledger: SqliteLedger, *records: Record) -> None:
    ledger.commit(lambda _: Decision(None, records))


def test_a_commit_returns_the_decisions_value_and_is_in_the_facts(ledger: SqliteLedger) -> None:
    assert ledger.commit(lambda facts: next_turn(facts, "docs")) == 1
    assert ledger.facts.sessions == {"docs": Session("docs", ROUTE, turns=1)}


def test_facts_are_the_same_after_opening_again(ledger: SqliteLedger, state: Path) -> None:
    commit(ledger, started("docs", 4), Record(EVENT, (VERDICT,)))
    before = ledger.facts.copy()
    ledger.close()
    again = SqliteLedger.open(state)
    assert again.facts == before
    again.close()


def test_two_connections_see_each_others_commits(ledger: SqliteLedger, other: SqliteLedger) -> None:
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    assert other.commit(lambda facts: next_turn(facts, "docs")) == 2
    assert ledger.refresh()
    assert ledger.facts == other.facts


def test_a_refresh_without_news_says_so(ledger: SqliteLedger, other: SqliteLedger) -> None:
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    assert not ledger.refresh()
    assert other.refresh()
    assert not other.refresh()


def test_rows_that_did_not_change_stay_the_same_objects(ledger: SqliteLedger, other: SqliteLedger) -> None:
    commit(ledger, started("docs", 1), started("code", 1))
    docs = ledger.facts.sessions["docs"]
    other.commit(lambda facts: next_turn(facts, "code"))
    ledger.refresh()
    assert ledger.facts.sessions["docs"] is docs
    assert ledger.facts.sessions["code"].turns == 2


def test_an_exception_in_the_decision_leaves_nothing_behind(ledger: SqliteLedger, state: Path) -> None:
    def fail(_: Facts) -> Decision[None]:
        raise ZeroDivisionError

    commit(ledger, started("docs", 1))
    before = ledger.facts.copy()
    with pytest.raises(ZeroDivisionError):
        ledger.commit(fail)
    assert ledger.facts == before
    assert ledger.commit(lambda facts: next_turn(facts, "docs")) == 2


def test_an_exception_halfway_through_the_write_leaves_nothing_behind(
    ledger: SqliteLedger, other: SqliteLedger
) -> None:
    broken = Record(EVENT, (Session("code", ROUTE, turns=object()),))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        commit(ledger, started("docs", 1), broken)
    assert ledger.facts == Facts()
    assert not other.refresh()
    assert other.recent(10) == ()


def test_a_decision_without_records_writes_nothing(ledger: SqliteLedger, other: SqliteLedger) -> None:
    assert ledger.commit(lambda _: nothing("no")) == "no"
    assert ledger.position == 0
    assert not other.refresh()


def test_a_forgotten_verdict_is_gone_for_everyone(ledger: SqliteLedger, other: SqliteLedger, state: Path) -> None:
    commit(ledger, Record(EVENT, (VERDICT,)))
    other.refresh()
    assert KEY in other.facts.verdicts
    commit(ledger, Record(EVENT, (VerdictForgotten(KEY),)))
    other.refresh()
    assert KEY not in other.facts.verdicts
    assert KEY not in SqliteLedger.open(state, read_only=True).facts.verdicts


def test_a_conversation_is_kept_in_order_for_each_session(ledger: SqliteLedger) -> None:
    commit(ledger, said("docs", 1, "second"), said("code", 0, "other"), said("docs", 0, "first"))
    assert [message.text for message in ledger.messages("docs")] == ["first", "second"]


def test_listeners_hear_commits_and_news_from_others_and_nothing_else(
    ledger: SqliteLedger, other: SqliteLedger
) -> None:
    heard: list[int] = []
    unsubscribe = ledger.subscribe(lambda: heard.append(ledger.position))
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    ledger.commit(lambda _: nothing(None))
    other.commit(lambda facts: next_turn(facts, "docs"))
    ledger.refresh()
    ledger.refresh()
    assert heard == [1, 2]
    unsubscribe()
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    assert heard == [1, 2]


def test_recent_events_come_newest_last_and_tail_goes_on_from_an_id(ledger: SqliteLedger) -> None:
    for turn in range(1, 6):
        commit(ledger, started("docs", turn))
    recent = ledger.recent(2)
    assert [(number, event.turn) for number, event in recent if isinstance(event, TurnStarted)] == [(4, 4), (5, 5)]
    assert [number for number, _ in ledger.recent(10, after=3)] == [4, 5]
    assert [number for number, _ in ledger.tail(2)] == [3, 4, 5]


def test_an_event_of_a_newer_version_is_passed_over(ledger: SqliteLedger, state: Path) -> None:
    commit(ledger, started("docs", 1), started("docs", 2))
    with sqlite3.connect(state / "state.db") as raw:
        raw.execute("""UPDATE journal SET event = '{"type":"moon_landed","time":1}' WHERE id = 1""")
    raw.close()
    assert [number for number, _ in ledger.recent(10)] == [2]
    assert [entry.event is None for entry in ledger.journal()] == [True, False]


def test_pruning_goes_in_steps_and_keeps_the_newest_entry(ledger: SqliteLedger) -> None:
    for turn in range(1, 11):
        commit(ledger, started("docs", turn, time=float(turn)))
    assert ledger.prune(1000.0, kept=4, step=5) == 5
    assert [number for number, _ in ledger.tail(0)] == [6, 7, 8, 9, 10]
    assert ledger.prune(1000.0, kept=4, step=5) == 1
    assert ledger.prune(1000.0, kept=4, step=5) == 0
    assert ledger.prune(1000.0, seconds=1.0) == 3
    assert [number for number, _ in ledger.tail(0)] == [10]


def test_facts_survive_pruning_and_a_reader_that_fell_behind_it_catches_up(
    ledger: SqliteLedger, other: SqliteLedger
) -> None:
    commit(ledger, started("docs", 1), started("code", 1))
    for _ in range(5):
        ledger.commit(lambda facts: next_turn(facts, "docs"))
    ledger.prune(1e9)
    assert [number for number, _ in ledger.tail(0)] == [7]
    assert other.commit(lambda facts: next_turn(facts, "docs")) == 7
    assert other.facts.sessions["code"].turns == 1


def test_the_log_is_moved_into_the_file_when_it_has_grown(ledger: SqliteLedger, state: Path) -> None:
    text = "x" * 100_000
    for number in range(200):
        commit(ledger, said("docs", number, text))
    assert (state / "state.db-wal").stat().st_size < 2 * writable.WAL_LIMIT_BYTES
    assert (state / "state.db").stat().st_size > writable.WAL_LIMIT_BYTES
    assert len(ledger.messages("docs")) == 200


def test_closing_leaves_one_complete_file(ledger: SqliteLedger, state: Path) -> None:
    commit(ledger, started("docs", 1))
    ledger.close()
    assert sorted(path.name for path in state.iterdir()) == ["state.db", "state.lock"]


def test_a_history_holds_the_session_and_every_credentials_fate_and_nothing_older(ledger: SqliteLedger) -> None:
    lifted = CredentialLifted(
        time=3.0,
        session="code",
        provider="openai",
        credential="one",
        model=None,
        on_trial=False,
        by=PlainText("the user"),
    )
    own = [TurnStarted(time=float(at), session="docs", turn=at, prompt=PlainText("go")) for at in (1, 2, 4)]
    other = TurnStarted(time=3.5, session="code", turn=1, prompt=PlainText("go"))
    for event in (*own[:2], lifted, other, own[2]):
        commit(ledger, Record(event))
    told = ledger.history("docs", 2.0)
    assert [event for _, event in told] == [own[1], lifted, own[2]]
    assert [number for number, _ in told] == [2, 3, 5]


def test_the_history_of_all_holds_what_tells_their_course_and_no_talk(ledger: SqliteLedger) -> None:
    made = [SessionCreated(time=1.0, session=name, provider="openai", model="gpt") for name in ("docs", "code")]
    stepped = ClockStepped(time=4.0, step=3.0)
    for event in (*made, TurnStarted(time=2.0, session="docs", turn=1, prompt=PlainText("go")), stepped):
        commit(ledger, Record(event))
    assert [event for _, event in ledger.history(None, 0.0)] == [*made, stepped]


def test_a_history_is_read_by_another_thread_while_this_one_writes(ledger: SqliteLedger) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        for turn in range(20):
            ledger.commit(lambda facts: next_turn(facts, "docs"))
            told = elsewhere.submit(ledger.history, "docs", 0.0).result()
            assert len(told) == turn + 1
