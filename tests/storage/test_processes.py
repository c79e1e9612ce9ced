"""Several processes on one state, and processes that are killed."""

import signal
from pathlib import Path

from hermes_tui.core.facts import fold
from hermes_tui.storage.ledger import SqliteLedger

from .conftest import Spawn
from .samples import next_turn

WRITER = Path(__file__).with_name("writer.py")


def test_three_processes_with_1000_writes_each_to_one_row_lose_none(state: Path, spawn: Spawn) -> None:
    writers = [spawn(WRITER, state, "shared", "1000") for _ in range(3)]
    acknowledged = [int(line) for writer in writers for line in writer.communicate()[0].split()]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert sorted(acknowledged) == list(range(1, 3001))
    ledger = SqliteLedger.open(state, read_only=True)
    assert ledger.facts.sessions["shared"].turns == 3000
    assert ledger.facts == fold(ledger.journal_rows())
    assert ledger.position == 3000


def test_a_killed_writer_loses_no_acknowledged_commit(state: Path, spawn: Spawn) -> None:
    expected = 0
    for enough in (1, 37, 200):
        writer = spawn(WRITER, state, "docs", "-1")
        assert writer.stdout
        acknowledged = [int(writer.stdout.readline()) for _ in range(enough)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        assert acknowledged[0] > expected
        expected = acknowledged[-1]
        ledger = SqliteLedger.open(state)
        turns = ledger.facts.sessions["docs"].turns
        assert turns in (expected, expected + 1)  # one may be on disk that was not said any more
        assert ledger.facts == fold(ledger.journal_rows())
        ledger.close()


def test_the_lock_of_a_killed_writer_is_free_at_once(state: Path, spawn: Spawn) -> None:
    writer = spawn(WRITER, state, "docs", "-1")
    assert writer.stdout
    writer.stdout.readline()
    writer.kill()
    writer.wait()
    ledger = SqliteLedger.open(state)
    assert ledger.commit(lambda facts: next_turn(facts, "mine")) == 1
    ledger.close()


def test_a_reader_sees_a_writers_commits_while_it_works(state: Path, spawn: Spawn) -> None:
    writer = spawn(WRITER, state, "docs", "-1")
    assert writer.stdout
    first = int(writer.stdout.readline())
    reader = SqliteLedger.open(state, read_only=True)
    assert reader.facts.sessions["docs"].turns >= first
    while (later := int(writer.stdout.readline())) <= reader.facts.sessions["docs"].turns:
        pass
    assert reader.refresh()
    assert reader.facts.sessions["docs"].turns >= later
    writer.kill()
    writer.wait()
    reader.refresh()
    assert reader.facts == fold(reader.journal_rows())
