"""The journal, folded, is the facts."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, Death, TokenKey
from hermes_tui.core.decision import Decision, NameGivenUp, Record, Row, TokenForgotten, VerdictForgotten
from hermes_tui.core.event import TurnStarted
from hermes_tui.core.facts import fold
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.route import Link
from hermes_tui.core.session import Message, Role, Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Hold, Subject, Trial, Usage, Verdict, VerdictKey, Window
from hermes_tui.storage.ledger import SqliteLedger

from .samples import ROUTE

names = st.sampled_from(["a", "b", 'c"]', "ü\x00"])
times = st.floats(0, 4e9)
texts = st.text(max_size=20).map(PlainText)
kinds = st.sampled_from(FailureKind)
subjects = st.builds(Subject, names, names, names)
keys = st.builds(VerdictKey, names, names, names, names)
usages = st.builds(
    Usage,
    allowed=st.none() | st.booleans(),
    windows=st.lists(st.builds(Window, names, times, st.none() | times), max_size=2).map(tuple),
)
cooldowns = st.builds(
    Cooldown,
    since=times,
    until=times,
    source=st.sampled_from(Said),
    reason=kinds,
    code=st.none() | st.integers(100, 599),
    message=texts,
    session=names,
    last_at=times,
)
credentials = st.builds(
    Credential,
    key=st.builds(CredentialKey, names, names),
    fingerprint=names,
    death=st.none() | st.builds(Death, times, kinds, st.none(), texts, names),
    cooldown=st.none() | cooldowns,
    model_cooldowns=st.lists(st.tuples(names, cooldowns), max_size=2).map(tuple),
    request_count=st.integers(0, 10**12),
)
sessions = st.builds(
    Session,
    name=names,
    requested=st.just(ROUTE),
    chain=st.lists(st.just(Link(ROUTE)), max_size=3).map(tuple),
    home_at=st.none() | times,
    turns=st.integers(0, 10**6),
)
rows: st.SearchStrategy[Row] = st.one_of(
    credentials,
    sessions,
    st.builds(
        CachedVerdict, keys, st.sampled_from(Verdict), texts, times, times, st.none() | usages, st.integers(0, 9)
    ),
    st.builds(VerdictForgotten, keys),
    st.builds(NameGivenUp, names, names),
    st.builds(TokenForgotten, st.builds(TokenKey, names, names, names)),
    st.builds(Hold, subjects, usages, times, times, st.integers(1, 9)),
    st.builds(Trial, subjects, names, names, times, times, times, usages),
    st.builds(Message, names, st.integers(0, 3), st.sampled_from(Role), texts, times),
)
records = st.builds(
    Record,
    st.builds(TurnStarted, time=times, session=st.none() | names, turn=st.integers(0, 9), prompt=texts),
    st.lists(rows, max_size=4).map(tuple),
)
decisions = st.lists(st.lists(records, max_size=3).map(tuple), max_size=6)


@given(decisions)
@settings(max_examples=40)
def test_folding_the_journal_gives_the_facts_in_memory_on_disk_and_elsewhere(
    made: list[tuple[Record, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger, other = SqliteLedger.open(Path(folder)), SqliteLedger.open(Path(folder))
        for number, each in enumerate(made):
            (ledger, other)[number % 2].commit(lambda _, each=each: Decision(None, each))  # type: ignore[misc]
        ledger.refresh()
        other.refresh()
        written = tuple(record for each in made for record in each)
        folded = fold(ledger.journal_rows())
        assert ledger.facts == other.facts == folded
        assert folded == SqliteLedger.open(Path(folder), read_only=True).facts
        assert folded == fold(row for record in written for row in record.rows)
        assert [entry.event for entry in ledger.journal()] == [record.event for record in written]
        other.close()
        ledger.close()
