"""A read brings one moment of the database, or says why it brings none."""

import sqlite3
import time
from pathlib import Path

import pytest

from hermes_tui.core.errors import StateError, StateLockedError
from hermes_tui.hermes import database
from hermes_tui.hermes.database import Database
from tests.hermes.state.homes import change, make, session


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


ENDLESS = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT count(*) FROM number"


def test_a_read_that_would_hold_hermes_up_is_given_up(any_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LONGEST_READ_SECONDS", 0.05)
    began = time.monotonic()

    with pytest.raises(StateError, match=r"takes longer than 0\.05 s to read") as caught:
        Database(any_home / "state.db").read(lambda connection: connection.execute(ENDLESS).fetchall())

    assert not isinstance(caught.value, StateLockedError)
    assert time.monotonic() - began < 5
    change(any_home, session("s1", 1.0, title="written"))
    assert Database(any_home / "state.db").read(titles) == ["written"]
