"""A session that is called otherwise: its conversation and its history go along, and the journal stays as written."""

from dataclasses import replace

from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import TurnStarted
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.keeping import rename
from hermes_tui.core.session import Session
from hermes_tui.storage.ledger import SqliteLedger

from .samples import ROUTE, said, started


def _make(ledger: SqliteLedger, name: str, text: str) -> None:
    """Begin a session that the user made, with one message."""
    (row,) = started(name, 1).rows
    assert isinstance(row, Session)
    record = started(name, 1)
    message = said(name, 0, text).rows
    made = Record(record.event, (replace(row, created_by_user=True), *message))
    ledger.commit(lambda _: Decision(None, (made,)))


def _rename(ledger: SqliteLedger, before: str, after: str) -> None:
    def decide(facts: Facts) -> Decision[object]:
        known = facts.sessions[before]
        decision = rename(facts, before, after, 0.0)
        assert known.name == before
        return Decision(None, decision.records)

    ledger.commit(decide)


def _turns_of(ledger: SqliteLedger, session: str) -> list[int]:
    return [number for number, event in ledger.tail(0) if isinstance(event, TurnStarted) and event.session == session]


def test_a_name_that_is_used_again_belongs_to_who_had_it_at_the_time(ledger: SqliteLedger) -> None:
    _make(ledger, "docs", "first")
    _rename(ledger, "docs", "papers")
    _make(ledger, "docs", "second")
    _rename(ledger, "docs", "notes")
    _rename(ledger, "papers", "docs")
    assert [message.text for message in ledger.messages("docs")] == ["first"]
    assert [message.text for message in ledger.messages("notes")] == ["second"]
    assert {message.session for message in ledger.messages("docs")} == {"docs"}
    assert (_turns_of(ledger, "docs"), _turns_of(ledger, "notes")) == ([1], [3])
    for name, turn in (("docs", 1), ("notes", 3)):
        told = ledger.history(name, -1.0)
        assert [number for number, event in told if isinstance(event, TurnStarted)] == [turn]
        assert {event.session for _, event in told} == {name}


def test_the_journal_says_what_was_said_then_and_folds_to_the_facts(ledger: SqliteLedger, other: SqliteLedger) -> None:
    _make(ledger, "docs", "first")
    _rename(ledger, "docs", "papers")
    other.refresh()
    assert [entry.event.session for entry in ledger.journal() if entry.event is not None] == ["docs", "papers"]
    assert fold(ledger.journal_rows()) == ledger.facts == other.facts
    assert list(other.facts.sessions) == ["papers"]
    assert other.facts.sessions["papers"] == Session("papers", ROUTE, turns=1, created_by_user=True)
    assert [message.text for message in other.messages("papers")] == ["first"]
