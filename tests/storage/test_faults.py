"""A state that cannot be used says why and what to do, and is left as it is."""

import sqlite3
from pathlib import Path

import pytest

from hermes_tui.core.errors import StateError, StateLockedError, StateTooNewError
from hermes_tui.core.facts import Facts
from hermes_tui.storage import schema
from hermes_tui.storage.faults import NoStateError
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.locks import FileLock

from .samples import next_turn


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def raw(state: Path, statement: str) -> None:
    connection = sqlite3.connect(state / "state.db", isolation_level=None)
    connection.execute(statement)
    connection.close()


@pytest.fixture
def closed(ledger: SqliteLedger, state: Path) -> Path:
    """Give a state that holds one session and that nobody has open."""
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    ledger.close()
    return state


def test_folder_and_files_are_the_owners_only(ledger: SqliteLedger, state: Path) -> None:
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    assert state.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in state.iterdir()}
    assert modes == dict.fromkeys(("state.db", "state.db-wal", "state.db-shm", "state.lock"), 0o600)


def test_a_file_that_others_could_read_is_taken_away_from_them(closed: Path) -> None:
    (closed / "state.db").chmod(0o644)
    SqliteLedger.open(closed).close()
    assert (closed / "state.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_named_and_kept(state: Path, read_only: bool) -> None:
    state.mkdir()
    (state / "state.db").write_bytes(b"my precious notes" * 100)
    with pytest.raises(StateError, match=r"state\.db: the state is damaged .* move it away"):
        SqliteLedger.open(state, read_only=read_only)
    assert (state / "state.db").read_bytes() == b"my precious notes" * 100


def test_a_damaged_page_is_reported_and_kept(closed: Path) -> None:
    file = closed / "state.db"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(StateError, match="move it away"):
        SqliteLedger.open(closed)
    assert file.read_bytes() == content


def test_a_row_of_the_wrong_shape_is_reported_with_its_field(closed: Path) -> None:
    raw(closed, """UPDATE rows SET data = '{"name": 3}'""")
    for read_only in (False, True):
        with pytest.raises(StateError, match=r"state\.db: cannot be read: .*Session\.name: expected text, found 3"):
            SqliteLedger.open(closed, read_only=read_only)


def test_a_row_that_is_not_json_is_reported(closed: Path) -> None:
    raw(closed, "UPDATE rows SET data = '{'")
    with pytest.raises(StateError, match="not JSON"):
        SqliteLedger.open(closed)


def test_a_newer_state_is_read_and_never_written(closed: Path) -> None:
    raw(closed, f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    before = (closed / "state.db").read_bytes()
    ledger = SqliteLedger.open(closed)
    assert isinstance(ledger.refusal, StateTooNewError)
    assert ledger.facts.sessions["docs"].turns == 1
    with pytest.raises(StateTooNewError, match="newer version"):
        ledger.commit(lambda facts: next_turn(facts, "docs"))
    assert ledger.facts.sessions["docs"].turns == 1
    assert (closed / "state.db").read_bytes() == before


def test_a_state_that_another_holds_is_locked_and_free_again_later(ledger: SqliteLedger, state: Path) -> None:
    holder = FileLock(state / "state.lock")
    with holder, pytest.raises(StateLockedError, match="state is locked by another process"):
        ledger.commit(lambda facts: next_turn(facts, "docs"))
    assert ledger.facts == Facts()
    assert ledger.commit(lambda facts: next_turn(facts, "docs")) == 1
    holder.close()


def test_a_foreign_transaction_means_locked_too(ledger: SqliteLedger, state: Path) -> None:
    foreign = sqlite3.connect(state / "state.db", isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(StateLockedError):
        ledger.commit(lambda facts: next_turn(facts, "docs"))
    foreign.execute("ROLLBACK")
    foreign.close()
    assert ledger.commit(lambda facts: next_turn(facts, "docs")) == 1


def test_a_full_disk_is_said_and_leaves_the_facts_as_they_were(ledger: SqliteLedger) -> None:
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    before = ledger.facts.copy()
    ledger._file.read(lambda connection: connection.execute("PRAGMA max_page_count = 1").fetchall())
    with pytest.raises(StateError, match="the disk is full; nothing was written"):
        ledger.commit(lambda facts: next_turn(facts, "docs" * 100_000))
    assert ledger.facts == before
    ledger._file.read(lambda connection: connection.execute("PRAGMA max_page_count = 1000000").fetchall())
    assert ledger.commit(lambda facts: next_turn(facts, "docs")) == 2


def test_a_folder_that_may_not_be_written_gives_the_systems_reason(unprivileged: Path) -> None:
    unprivileged.chmod(0o500)
    with pytest.raises(StateError, match="Permission denied"):
        SqliteLedger.open(unprivileged / "state")
    unprivileged.chmod(0o700)


def test_a_path_that_is_a_file_gives_the_systems_reason(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("x")
    with pytest.raises(StateError, match="File exists"):
        SqliteLedger.open(tmp_path / "state")


def test_reading_a_state_that_is_not_there_says_so_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoStateError, match="there is no state yet"):
        SqliteLedger.open(tmp_path / "state", read_only=True)
    assert names_in(tmp_path) == []


def test_a_file_in_which_nothing_is_yet_is_no_state(state: Path) -> None:
    state.mkdir()
    (state / "state.db").touch()
    with pytest.raises(NoStateError, match="there is no state yet"):
        SqliteLedger.open(state, read_only=True)


@pytest.mark.parametrize("read_only", [False, True])
def test_the_database_of_another_program_is_refused(state: Path, read_only: bool) -> None:
    state.mkdir()
    raw(state, "CREATE TABLE recipes (name)")
    with pytest.raises(StateError, match="of another program"):
        SqliteLedger.open(state, read_only=read_only)


def test_a_log_that_a_killed_writer_had_only_begun_hides_nothing(ledger: SqliteLedger, state: Path) -> None:
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    begun = {name: (state / name).read_bytes() for name in ("state.db-wal", "state.db-shm")}
    ledger.close()
    (state / "state.db-wal").write_bytes(begun["state.db-wal"][:32])
    (state / "state.db-shm").write_bytes(begun["state.db-shm"])
    assert SqliteLedger.open(state, read_only=True).facts == ledger.facts


def test_a_reader_refuses_to_write(closed: Path) -> None:
    reader = SqliteLedger.open(closed, read_only=True)
    with pytest.raises(StateError, match="reading only"):
        reader.commit(lambda facts: next_turn(facts, "docs"))


def test_a_reader_leaves_no_file_behind(closed: Path) -> None:
    before = names_in(closed)
    reader = SqliteLedger.open(closed, read_only=True)
    assert reader.facts.sessions["docs"].turns == 1
    assert len(reader.recent(10)) == 1
    assert not reader.refresh()
    reader.close()
    assert names_in(closed) == before


def test_a_reader_works_in_a_folder_that_may_not_be_written(unprivileged: Path) -> None:
    ledger = SqliteLedger.open(unprivileged)
    ledger.commit(lambda facts: next_turn(facts, "docs"))
    ledger.close()
    unprivileged.chmod(0o500)
    assert SqliteLedger.open(unprivileged, read_only=True).facts.sessions["docs"].turns == 1
    unprivileged.chmod(0o700)


def test_a_reader_follows_writers_that_come_and_go(closed: Path) -> None:
    reader = SqliteLedger.open(closed, read_only=True)
    for turn in (2, 3):
        writer = SqliteLedger.open(closed)
        writer.commit(lambda facts: next_turn(facts, "docs"))
        assert reader.refresh()
        assert reader.facts.sessions["docs"].turns == turn
        writer.close()
        assert not reader.refresh()


def test_a_log_without_its_index_is_not_passed_over(ledger: SqliteLedger, state: Path, tmp_path: Path) -> None:
    ledger.commit(lambda _: next_turn(ledger.facts, "docs"))
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("state.db", "state.db-wal"):
        (copy / name).write_bytes((state / name).read_bytes())
    with pytest.raises(StateError, match="left over without its index"):
        SqliteLedger.open(copy, read_only=True)
    repaired = SqliteLedger.open(copy)
    assert repaired.facts == ledger.facts
    repaired.close()


def test_text_that_sqlite_cannot_take_leaves_nothing_behind(ledger: SqliteLedger) -> None:
    with pytest.raises(UnicodeEncodeError):
        ledger.commit(lambda facts: next_turn(facts, "\ud800"))
    assert ledger.facts == Facts()
    assert ledger.position == 0
    assert ledger.commit(lambda facts: next_turn(facts, "docs")) == 1
