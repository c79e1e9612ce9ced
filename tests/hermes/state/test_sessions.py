"""The sessions of `state.db`: which are read and in which order, and what is told where it cannot be read."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from hermes_tui.hermes.database import Database
from hermes_tui.hermes.state import KNOWN_SCHEMA, REST, SessionReader, Sessions
from hermes_tui.hermes.values import Served
from tests.hermes.state.homes import Writer, answered, by_hermes, change, make, said, session

R = TypeVar("R")

NAMESPACE = Path("/proc/self/ns/pid")


class Counting(Database):
    """A database that counts how often it is opened."""

    opened = 0

    def read(self, query: Callable[..., R]) -> R:
        self.opened += 1
        return super().read(query)


def still() -> float:
    """A clock by which a read takes no time, and so makes no later one wait."""
    return 0.0


def read(home: Path, most: int = 200, at_work: tuple[str, ...] = ()) -> Sessions:
    return SessionReader(Database(home / "state.db"), most).read(1_000.0, at_work)


def ids(sessions: Sessions) -> list[str]:
    return [conversation.id for conversation in sessions.conversations]


def test_a_session_is_read_from_every_layout(any_home: Path) -> None:
    row = session(
        "s1", 100.0, title="A title", model="gpt-5.5", billing_provider="openai-codex", message_count=4,
        input_tokens=10, output_tokens=20, ended_at=200.0, end_reason="user_exit",
    )  # fmt: skip
    change(any_home, row, session("s2", 300.0, parent_session_id="s1"))

    found = read(any_home)

    assert (found.fault, found.busy_since, found.warnings, found.more) == ("", None, (), 0)
    second, first = found.conversations
    assert (first.id, first.title, first.surface) == ("s1", "A title", "cli")
    assert (first.model, first.provider) == ("gpt-5.5", "openai-codex")
    assert (first.started_at, first.ended_at, first.end_reason) == (100.0, 200.0, "user_exit")
    assert (first.messages, first.input_tokens, first.output_tokens) == (4, 10, 20)
    assert (second.id, second.parent, second.ended_at) == ("s2", "s1", None)


def test_a_home_without_sessions_is_empty_and_no_fault(any_home: Path) -> None:
    found = read(any_home)

    assert (found.conversations, found.more, found.fault) == ((), 0, "")
    assert found.schema in {22, 31}


def test_the_routes_that_really_answered_stand_the_last_one_first(any_home: Path) -> None:
    change(
        any_home,
        session("s1", 100.0, model="gpt-5.5", billing_provider="openai-codex"),
        answered("s1", "openai-codex", "gpt-5.5", 110.0, last_seen=120.0, api_call_count=3),
        answered("s1", "custom", "small", 130.0),
        answered("s1", "custom", "small", 125.0, billing_base_url="http://127.0.0.1:1/v1"),
        answered("s1", "titles", "tiny", 140.0, task="title"),
    )

    (conversation,) = read(any_home).conversations

    assert conversation.provider == "openai-codex"
    assert conversation.served == (
        Served("custom", "small", 2, 125.0, 130.0),
        Served("openai-codex", "gpt-5.5", 3, 110.0, 120.0),
    )
    assert conversation.last_activity_at == 130.0


@pytest.mark.parametrize(
    ("stored", "chosen"),
    [
        ('{"model": "m", "provider": "custom:box"}', ("custom:box", "m")),
        ('{"gateway_runtime": {"provider": "p", "fallback_active": true}}', None),
        ('{"model": "m", "provider": ["p"]}', ('["p"]', "m")),
        ("{not json", None),
        (None, None),
    ],
)
def test_what_the_user_chose_stands_apart_from_what_answered(
    any_home: Path, stored: str | None, chosen: tuple[str, str] | None
) -> None:
    change(any_home, session("s", 1.0, model="small", billing_provider="custom", model_config=stored))
    (conversation,) = read(any_home).conversations
    assert (conversation.provider, conversation.model, conversation.chosen) == ("custom", "small", chosen)


def test_an_old_session_that_is_at_work_today_is_among_the_newest(any_home: Path) -> None:
    rows = [session(f"s{number}", 1_000.0 + number) for number in range(5)]
    change(
        any_home, *rows, session("answered", 1.0), answered("answered", "p", "m", 9_000.0),
        session("spoke", 2.0), said("spoke", "user", "nothing answers", 9_500.0), session("forgotten", 3.0),
    )  # fmt: skip

    found = read(any_home, most=3)

    assert ids(found) == ["spoke", "answered", "s4"]
    assert found.more == 5


def test_those_at_work_stand_first_and_are_never_left_out(any_home: Path) -> None:
    change(any_home, *(session(f"s{number}", 100.0 + number) for number in range(6)))

    found = read(any_home, most=2, at_work=("s0", "s1", "s2", "gone"))

    assert ids(found) == ["s2", "s1", "s0"]
    assert found.more == 3


def test_a_turn_in_flight_is_told_with_its_process(home: Path) -> None:
    lease = "INSERT INTO session_turn_leases VALUES ('s1', ?, 500.0, 800.0)"
    namespace = str(NAMESPACE.readlink())[5:-1] if NAMESPACE.exists() else "0"
    holder = f"pid=4711:pidns={namespace}:turn=a:platform=cli"
    change(home, session("s1", 1.0), session("s2", 2.0), (lease, (holder,)))

    first, second = read(home).conversations

    assert (first.id, first.busy_since, first.busy_until) == ("s1", 500.0, 800.0)
    assert first.busy_by == (4711 if NAMESPACE.exists() else None)
    assert (second.id, second.busy_until, second.busy_by) == ("s2", None, None)


@pytest.mark.parametrize("holder", ["pid=4711:pidns=1:turn=a", "turn=a", "pid=many:turn=a", ""])
def test_a_process_of_another_container_is_not_taken_for_one_of_this(home: Path, holder: str) -> None:
    lease = ("INSERT INTO session_turn_leases VALUES ('s1', ?, 500.0, 800.0)", (holder,))
    change(home, session("s1", 1.0), lease)

    (conversation,) = read(home).conversations

    assert (conversation.busy_until, conversation.busy_by) == (800.0, None)


def test_a_lease_of_a_compressed_conversation_is_of_the_session_in_which_it_goes_on(home: Path) -> None:
    change(
        home,
        session("root", 1.0, end_reason="compression", ended_at=2.0),
        session("middle", 2.0, parent_session_id="root", end_reason="compression", ended_at=3.0),
        session("tip", 3.0, parent_session_id="middle"),
        session("branch", 4.0, parent_session_id="middle", model_config='{"_branched_from": "middle"}'),
        session("tool", 5.0, parent_session_id="middle", source="tool"),
        "INSERT INTO session_turn_leases VALUES ('root', 'pid=1:turn=a', 500.0, 800.0)",
    )

    busy = [one.id for one in read(home).conversations if one.busy_until is not None]

    assert busy == ["tip"]


def test_a_lineage_that_runs_in_a_circle_ends(home: Path) -> None:
    change(
        home,
        session("a", 1.0, end_reason="compression", parent_session_id="b"),
        session("b", 2.0, end_reason="compression", parent_session_id="a"),
        "INSERT INTO session_turn_leases VALUES ('a', 'pid=1:turn=a', 500.0, 800.0)",
    )

    assert [one.id for one in read(home).conversations if one.busy_until] == ["b"]


def test_an_unchanged_second_opens_nothing_and_gives_the_same_value(any_home: Path) -> None:
    change(any_home, session("s1", 1.0))
    database = Counting(any_home / "state.db")
    reader = SessionReader(database, clock=still)
    first = reader.read(1.0)
    reader.read(2.0)
    opened = database.opened

    assert all(reader.read(3.0 + second) is first for second in range(10))
    assert database.opened == opened == 2


def test_a_changed_row_is_read_at_the_next_look(any_home: Path) -> None:
    change(any_home, session("s1", 1.0, title="before"))
    reader = SessionReader(Database(any_home / "state.db"), clock=still)
    for second in range(3):
        reader.read(float(second))

    change(any_home, "UPDATE sessions SET title = 'after'")

    assert [one.title for one in reader.read(3.0).conversations] == ["after"]


def test_a_change_in_the_log_of_a_writer_is_seen_while_it_is_open(any_home: Path) -> None:
    change(any_home, session("s1", 1.0))
    reader = SessionReader(Database(any_home / "state.db"), clock=still)
    before = [reader.read(1.0), reader.read(2.0), reader.read(3.0)][-1]

    with Writer(any_home, "open"):
        (conversation,) = reader.read(4.0).conversations

    assert [one.last_activity_at for one in before.conversations] == [None]
    assert conversation.last_activity_at == 1_000.0


def test_c122_a_locked_database_is_busy_and_shows_what_was_known(home: Path) -> None:
    change(home, session("s1", 1.0))
    reader = SessionReader(Database(home / "state.db"), clock=still)
    before = reader.read(10.0)

    with Writer(home, "keep it to itself") as writer:
        locked = [reader.read(11.0), reader.read(12.0), reader.read(70.0)]
        writer.end()
    after = reader.read(71.0)

    assert [one.busy_since for one in locked] == [11.0, 11.0, 11.0]
    assert {one.conversations for one in locked} == {before.conversations}
    assert {one.fault for one in locked} == {""}
    assert after.busy_since is None
    assert [one.last_activity_at for one in after.conversations] == [1_000.0]


@pytest.mark.parametrize("kind", ["19", "22 with a log"])
def test_c122_a_writer_with_a_log_keeps_nobody_from_reading(tmp_path: Path, kind: str) -> None:
    home = make(kind, tmp_path / "home")
    change(home, session("s1", 1.0))

    with Writer(home, "keep it to itself") as writer:
        during = read(home)
        writer.end()

    assert (ids(during), during.busy_since) == (["s1"], None)
    assert [one.last_activity_at for one in read(home).conversations] == [1_000.0]


def test_a_missing_database_is_told_and_not_an_empty_one(tmp_path: Path) -> None:
    reader = SessionReader(Database(tmp_path / "state.db"), clock=still)

    first = reader.read(1.0)
    assert "is not there" in first.fault
    assert (first.missing, first.known) == (True, False)
    assert list(tmp_path.iterdir()) == []

    make("22", tmp_path / "new")
    (tmp_path / "new" / "state.db").rename(tmp_path / "state.db")
    assert reader.read(2.0).fault == ""


def test_a_database_that_is_made_and_written_at_once_is_busy_and_not_missing(tmp_path: Path) -> None:
    reader = SessionReader(Database(tmp_path / "state.db"), clock=still)
    reader.read(1.0)
    make("22", tmp_path / "new")
    (tmp_path / "new" / "state.db").rename(tmp_path / "state.db")

    with Writer(tmp_path, "keep it to itself"):
        found = reader.read(100.0)

    assert (found.missing, found.fault, found.busy_since, found.known) == (False, "", 100.0, False)


def test_a_database_that_goes_away_leaves_what_was_known_with_the_reason(home: Path) -> None:
    change(home, session("s1", 1.0))
    reader = SessionReader(Database(home / "state.db"), clock=still)
    reader.read(1.0)

    (home / "state.db").unlink()
    found = reader.read(2.0)

    assert ids(found) == ["s1"]
    assert "is not there" in found.fault
    assert (found.missing, found.known) == (False, True)


@pytest.mark.parametrize("content", [b"", b"nothing like it", b"SQLite format 3\x00" + bytes(4_096)])
def test_a_file_that_is_no_database_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state.db").write_bytes(content)

    found = read(tmp_path)

    assert "state.db" in found.fault
    assert list(tmp_path.iterdir()) == [tmp_path / "state.db"]


def test_a_damaged_database_is_told_with_the_command_that_looks_into_it(home: Path) -> None:
    change(home, *(session(f"s{number}", 1.0, title=f"{number}" * 300) for number in range(100)))
    file = home / "state.db"
    content = file.read_bytes()
    file.write_bytes(content[:4_096] + b"\xff" * (len(content) - 4_096))

    assert "hermes doctor" in read(home).fault


def test_a_folder_or_a_pipe_in_place_of_the_database_is_told_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "state.db").mkdir()
    assert "is not a regular file" in read(tmp_path).fault

    (tmp_path / "state.db").rmdir()
    os.mkfifo(tmp_path / "state.db")
    assert "is not a regular file" in read(tmp_path).fault


def test_a_newer_layout_is_read_as_far_as_it_is_known_with_a_warning(home: Path) -> None:
    change(
        home, f"UPDATE schema_version SET version = {KNOWN_SCHEMA + 9}", "ALTER TABLE sessions ADD COLUMN mood TEXT",
        "ALTER TABLE sessions DROP COLUMN title_source", "DROP TABLE session_turn_leases", session("s1", 1.0),
    )  # fmt: skip

    found = read(home)

    assert ids(found) == ["s1"]
    assert found.schema == KNOWN_SCHEMA + 9
    assert "newer Hermes" in found.warnings[0]


def test_what_lacks_is_empty(home: Path) -> None:
    change(
        home, "DROP TABLE session_model_usage", "DROP TABLE session_turn_leases", "DROP TABLE schema_version",
        "DROP INDEX idx_sessions_title_unique", "ALTER TABLE sessions DROP COLUMN title", session("s1", 1.0),
    )  # fmt: skip

    found = read(home)

    (conversation,) = found.conversations
    assert (found.fault, found.schema, conversation.title, conversation.served) == ("", None, "", ())


def test_a_table_that_lacks_a_column_is_left_out_and_the_rest_is_read(home: Path) -> None:
    change(
        home, "DROP TABLE session_model_usage", "CREATE TABLE session_model_usage (session_id, model)",
        "ALTER TABLE session_turn_leases DROP COLUMN holder", "ALTER TABLE schema_version RENAME TO old",
        "CREATE TABLE schema_version (number)", session("s1", 1.0, title="A title"),
    )  # fmt: skip

    found = read(home)

    assert [(one.id, one.title) for one in found.conversations] == [("s1", "A title")]
    assert (found.fault, found.schema) == ("", None)


def test_hostile_cells_are_plain_bounded_and_without_keys(home: Path) -> None:
    change(
        home,
        session(
            "s\x1b[2J1", float("inf"), title="sk-" + "a1b2c3d4" * 4 + " [bold]\x07 \u202e" + "y" * 9_000,
            model=b"\xff\x00", ended_at="yesterday", message_count=-4, input_tokens=1 << 62, model_config="{not json",
        ),
        "UPDATE sessions SET source = CAST(x'ff41' AS TEXT), last_activity_at = 9e300",
    )  # fmt: skip

    (conversation,) = read(home).conversations

    assert conversation.id == "s␛[2J1"
    assert "sk-" not in conversation.title
    assert "\x07" not in conversation.title
    assert len(conversation.title) <= 220
    assert (conversation.model, conversation.surface) == ("", "\ufffdA")
    assert (conversation.started_at, conversation.ended_at, conversation.last_activity_at) == (None, None, None)
    assert (conversation.messages, conversation.input_tokens) == (0, 1 << 62)


def test_without_the_messages_the_sessions_are_read(any_home: Path) -> None:
    change(any_home, session("s1", 1.0, title="A title"), answered("s1", "p", "m", 9.0), "DROP TABLE messages")

    found = read(any_home)

    assert [(one.title, one.last_activity_at) for one in found.conversations] == [("A title", 9.0)]
    assert found.fault == ""


def test_where_a_conversation_cannot_be_followed_a_lease_is_of_its_first_session(home: Path) -> None:
    change(
        home,
        "ALTER TABLE sessions DROP COLUMN model_config",
        session("root", 1.0, end_reason="compression"),
        session("tip", 2.0, parent_session_id="root"),
        "INSERT INTO session_turn_leases VALUES ('root', 'pid=1:turn=a', 500.0, 800.0)",
    )

    found = read(home)

    assert ([one.id for one in found.conversations if one.busy_until], found.fault) == (["root"], "")


def test_rows_of_nothing_but_null_are_counted_and_shown_where_they_have_an_id(home: Path) -> None:
    columns = "id, source, model, title, started_at, message_count"
    change(home, "DROP TABLE sessions", f"CREATE TABLE sessions ({columns})", "INSERT INTO sessions (id) VALUES ('s1')")
    change(home, *["INSERT INTO sessions DEFAULT VALUES"] * 3, "INSERT INTO sessions (id) VALUES (5)")

    found = read(home)

    (only,) = found.conversations
    assert (only.id, only.title, only.surface, only.started_at, only.messages) == ("s1", "", "", None, 0)
    assert (found.more, found.fault) == (4, "")


@pytest.mark.parametrize("at", [-5.0, 0.0, 1e18, 253_402_300_799.0, "tomorrow"])
def test_a_time_that_no_clock_can_show_is_none(home: Path, at: object) -> None:
    change(home, session("s1", 1.0, ended_at=at), ("UPDATE sessions SET started_at = ?", (at,)))

    (conversation,) = read(home).conversations

    assert (conversation.started_at, conversation.ended_at) == (None, None)


def test_a_title_of_many_megabytes_stays_in_the_database(home: Path) -> None:
    change(home, session("s1", 1.0), "UPDATE sessions SET title = printf('%.*c', 20000000, 'x')")
    tracemalloc.start()

    found = read(home)

    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ([one.title for one in found.conversations], found.fault) == (["(a long text) …"], "")
    assert taken < 5_000_000


def test_an_id_that_is_longer_than_any_names_nothing_that_could_be_mistaken(home: Path) -> None:
    change(home, session("a" * 201, 1.0), session("a" * 202, 2.0), session("a" * 200, 3.0))

    found = read(home)

    assert ids(found) == ["a" * 200]
    assert found.more == 2


def test_of_a_great_many_that_started_at_once_and_answered_since_few_are_read(home: Path) -> None:
    change(
        home,
        "INSERT INTO sessions (id, source, started_at) SELECT 's' || value, 'cli', 5.0 FROM generated",
        "INSERT INTO session_model_usage (session_id, billing_provider, model, api_call_count, first_seen, last_seen)"
        " SELECT 's' || value, 'p', 'm', 1, 6.0, 10.0 + value FROM generated",
        before="CREATE TEMP TABLE generated AS"
        " WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 3000) SELECT value FROM n",
    )
    looked_at: list[str] = []

    class Looking(Database):
        def read(self, query: Callable[..., R]) -> R:
            def looked(connection: object) -> R:
                connection.set_trace_callback(looked_at.append)  # type: ignore[attr-defined]
                return query(connection)

            return super().read(looked)

    found = SessionReader(Looking(home / "state.db"), 3).read(1_000.0)

    assert ids(found) == ["s3000", "s2999", "s2998"]
    assert found.more == 2_997
    (rows,) = (statement for statement in looked_at if "FROM sessions WHERE id IN" in statement)
    assert rows.count('"s') <= 3 * 12


def test_a_database_that_takes_long_is_read_for_a_tenth_of_the_time(home: Path) -> None:
    change(home, session("s1", 1.0))
    ticks = iter(range(0, 1_000, 3))
    database = Counting(home / "state.db")
    reader = SessionReader(database, clock=lambda: float(next(ticks)))  # each read takes three seconds

    opened = []
    for second in (0.0, 1.0, 3 * REST - 0.1, 3 * REST):
        change(home, f"UPDATE sessions SET title = '{second}'")
        reader.read(100.0 + second)
        opened.append(database.opened)

    assert opened == [1, 1, 1, 2]


def test_after_the_clock_was_set_back_it_is_read_again(home: Path) -> None:
    change(home, session("s1", 1.0))
    database = Counting(home / "state.db")
    reader = SessionReader(database, clock=iter(range(0, 1_000, 3)).__next__)
    reader.read(5_000.0)

    reader.read(10.0)

    assert database.opened == 2


BY_HERMES = """
import os, sys
from pathlib import Path
from hermes_state import SessionDB
database = SessionDB(Path(sys.argv[1]) / "state.db")
database.create_session("s1", "cli", model="gpt-5.5")
database.set_session_title("s1", "Made by Hermes")
database.append_message("s1", "user", "Hello")
database.append_message("s1", "assistant", "Good day")
database.update_token_counts("s1", 10, 20, model="gpt-5.5", billing_provider="openai-codex", api_call_count=1)
database.update_token_counts("s1", 1, 2, model="small", billing_provider="custom", api_call_count=1)
if hasattr(database, "try_acquire_session_turn_lease"):
    database.end_session("s1", "compression")
    database.create_session("s2", "cli", parent_session_id="s1")
    from hermes_state_pidns import holder_namespace_token
    database.try_acquire_session_turn_lease("s2", f"pid={os.getpid()}{holder_namespace_token()}:turn=t:platform=cli")
print(os.getpid())
database.close()
"""


@pytest.mark.parametrize("version", ["19", "22"])
def test_what_the_real_hermes_wrote_is_read(tmp_path: Path, version: str) -> None:
    pid = int(by_hermes(version, tmp_path, BY_HERMES))

    conversations = {one.id: one for one in read(tmp_path).conversations}

    first = conversations["s1"]
    assert (first.title, first.model, first.provider) == ("Made by Hermes", "gpt-5.5", "openai-codex")
    assert [(route.provider, route.model, route.calls) for route in first.served] == [
        ("custom", "small", 1),
        ("openai-codex", "gpt-5.5", 1),
    ]
    assert (first.messages, first.input_tokens, first.output_tokens) == (2, 11, 22)
    assert first.started_at is not None
    assert first.last_activity_at is not None
    assert first.last_activity_at >= first.started_at
    if version == "22":
        assert conversations["s2"].busy_by == pid
        assert conversations["s2"].parent == "s1"


def test_a_session_of_which_nothing_has_changed_is_the_same_object(any_home: Path) -> None:
    change(any_home, session("s1", 1.0), answered("s1", "openai-codex", "gpt-5.5", 2.0), session("s2", 3.0))
    reader = SessionReader(Database(any_home / "state.db"), clock=still)
    before = {one.id: one for one in reader.read(1.0).conversations}

    change(any_home, said("s2", "user", "Hello", 4.0), answered("s2", "openai-codex", "gpt-5.5", 5.0))
    after = {one.id: one for one in reader.read(2.0).conversations}

    assert after["s1"] is before["s1"]
    assert [route.model for route in after["s2"].served] == ["gpt-5.5"]
