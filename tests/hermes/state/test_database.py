"""A read brings one moment of the database, or says why it brings none."""

import errno
import os
import signal
import sqlite3
from pathlib import Path

import pytest

from hermes_tui.core.errors import StateError, StateLockedError
from hermes_tui.hermes import database
from hermes_tui.hermes.database import Database
from hermes_tui.hermes.state import SessionReader
from tests.hermes.state.homes import Writer, change, contents, make, session


def titles(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT title FROM sessions ORDER BY id")]


@pytest.fixture
def at_rest(tmp_path: Path) -> Path:
    """A home whose database has a log, and that nobody has open."""
    home = make("19", tmp_path / "home")
    change(home, session("s1", 1.0, title="before"))
    return home


def test_a_database_at_rest_that_is_written_during_a_read_is_read_again(at_rest: Path) -> None:
    asked = 0

    def query(connection: sqlite3.Connection) -> list[str]:
        nonlocal asked
        asked += 1
        found = titles(connection)
        if asked == 1:
            change(at_rest, "UPDATE sessions SET title = 'after'")
        return found

    assert Database(at_rest / "state.db").read(query) == ["after"]
    assert asked == 2


def test_a_database_that_is_written_during_every_read_is_busy(at_rest: Path) -> None:
    asked = 0

    def query(connection: sqlite3.Connection) -> list[str]:
        nonlocal asked
        asked += 1
        found = titles(connection)
        change(at_rest, f"UPDATE sessions SET title = 'written {asked}'")
        return found

    with pytest.raises(StateLockedError, match="is being written"):
        Database(at_rest / "state.db").read(query)
    assert asked > 1


def test_nothing_can_be_written_through_it(any_home: Path) -> None:
    change(any_home, session("s1", 1.0, title="before"))
    database = Database(any_home / "state.db")

    with pytest.raises(StateLockedError):
        database.read(lambda connection: connection.execute("UPDATE sessions SET title = 'after'"))

    assert database.read(titles) == ["before"]


@pytest.mark.parametrize("ends_after", [1, 2])
def test_c122_a_log_that_is_taken_away_between_look_and_read_is_not_made_anew(
    at_rest: Path, ends_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look finds a log; the second is taken while it is held, and whoever ends then leaves it there."""
    looks, look = 0, Database._look
    with Writer(at_rest, "open") as writer:

        def looked(database: Database) -> object:
            nonlocal looks
            found, looks = look(database), looks + 1
            if looks == ends_after:
                writer.end()
            return found

        monkeypatch.setattr(Database, "_look", looked)
        assert Database(at_rest / "state.db").read(titles) == ["before"]

    left = {name for name in contents(at_rest) if "state.db" in name}
    assert left == ({"state.db"} if ends_after == 1 else {"state.db", "state.db-wal", "state.db-shm"})


def test_c122_a_database_that_others_open_and_close_again_and_again_is_read_or_busy(at_rest: Path) -> None:
    database, read, busy = Database(at_rest / "state.db"), 0, 0
    with Writer(at_rest, "come and go") as writer:
        while read < 200:
            try:
                database.read(titles)
                read += 1
            except StateLockedError:
                busy += 1
        written = writer.end()
    assert written > 10
    assert busy < read


def test_a_live_log_in_which_nothing_changes_is_read_twice_and_then_no_more(
    at_rest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root user's SQLite touches the log at each of these reads, and must not be woken by itself."""
    reads, read_at = 0, Database._read_at

    def counted(database: Database, *words: object) -> object:
        nonlocal reads
        reads += 1
        return read_at(database, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "_read_at", counted)
    with Writer(at_rest, "open"):
        reader = SessionReader(Database(at_rest / "state.db"), clock=lambda: 0.0)  # no read makes a later one wait
        for second in range(10):
            assert not reader.read(float(second)).fault
    assert reads == 2


def test_a_log_that_may_not_be_locked_is_told_with_what_the_system_says(
    at_rest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_words: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.lockf", refuse)
    with Writer(at_rest, "open"), pytest.raises(StateError, match="no locks available"):
        Database(at_rest / "state.db").read(titles)


ENDLESS = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT count(*) FROM number"


def test_a_read_that_would_hold_hermes_up_is_given_up(any_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LONGEST_READ_SECONDS", 0.05)

    with pytest.raises(StateError, match=r"takes longer than 0\.05 s to read") as caught:
        Database(any_home / "state.db").read(lambda connection: connection.execute(ENDLESS).fetchall())

    assert not isinstance(caught.value, StateLockedError)
    change(any_home, session("s1", 1.0, title="written"))
    assert Database(any_home / "state.db").read(titles) == ["written"]


def test_a_signal_that_comes_while_sqlite_works_is_not_lost(at_rest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class EndedError(Exception):
        pass

    def end(*_: object) -> None:
        raise EndedError

    monkeypatch.setattr(database, "LONGEST_READ_SECONDS", 0.3)
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(EndedError):
            Database(at_rest / "state.db").read(lambda connection: connection.execute(ENDLESS).fetchall())
    finally:
        signal.signal(signal.SIGALRM, before)
