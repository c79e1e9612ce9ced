"""Reading costs what is shown, not what is there: every query follows an index that Hermes' own layouts have."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.hermes import messages, state

SHOWN = " AND (active = 1 OR compacted = 1)"

QUERIES = {
    "sessions": state.SESSIONS.replace("{columns}", "*"),
    "served": state.SERVED,
    "last messages": state.LAST_MESSAGES,
    "continuation": state.CONTINUATION,
    "messages": messages.MESSAGES.format(columns="*", shown=SHOWN),
    "counted": messages.COUNTED,
}


def plan(home: Path, query: str) -> list[str]:
    """Return the steps by which SQLite answers `query`."""
    names = {"most": 200, "routes": 10, "ids": "[]", "id": "", "session": ""}
    with closing(sqlite3.connect(home / "state.db")) as database:
        return [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {query}", names)]


@pytest.mark.parametrize("name", QUERIES)
def test_no_table_is_gone_through_for_what_is_shown(any_home: Path, name: str) -> None:
    steps = plan(any_home, QUERIES[name])

    assert [step for step in steps if step.startswith("SCAN") and "json_each" not in step] == []
    assert [step for step in steps if step.startswith("SEARCH")]


def test_the_newest_are_found_from_the_end_of_an_index(any_home: Path) -> None:
    started = plan(any_home, state.LAST_STARTED)

    assert started == ["SCAN sessions USING INDEX idx_sessions_started"]
    assert plan(any_home, state.LAST_SPOKEN) == ["SCAN messages"]  # by its number, and no further than asked for


def test_the_end_of_a_session_is_read_without_sorting_it(any_home: Path) -> None:
    assert "TEMP B-TREE" not in " ".join(plan(any_home, QUERIES["messages"]))


def test_who_answered_last_is_found_in_one_pass_and_no_more_are_sorted_than_asked_for(any_home: Path) -> None:
    steps = plan(any_home, state.ANSWERED_SINCE)

    assert steps[0] == "SCAN session_model_usage"
    assert [step for step in steps if "TEMP B-TREE" in step] == ["USE TEMP B-TREE FOR ORDER BY"]
    assert state.ANSWERED_SINCE.rstrip().endswith("LIMIT :most * :routes")
