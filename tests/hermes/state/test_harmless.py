"""C122: a viewer leaves a home as it was, to the byte, and lets whoever writes there do so."""

import os
import tempfile
from pathlib import Path

import pytest

from hermes_tui.core.errors import StateError
from hermes_tui.hermes.database import Database
from hermes_tui.hermes.messages import transcript
from hermes_tui.hermes.state import SessionReader
from tests.hermes.state.homes import Writer, a_folder_without_writing, change, contents, copied, make, said, session

MANY = 100

OPEN_FILES = Path("/proc/self/fd")


def look(home: Path, times: int = 1) -> set[str]:
    """Read the sessions and a transcript as often, anew each time; returns the ids that were found."""
    found: set[str] = set()
    for _ in range(times):
        database = Database(home / "state.db")
        found |= {one.id for one in SessionReader(database).read(1.0).conversations}
        try:
            transcript(database, "s1", 20)
        except StateError:
            found.add("no transcript")
    return found


def filled(home: Path) -> Path:
    change(home, session("s1", 1.0), said("s1", "user", "Hello", 2.0))
    return home


def test_c122_a_home_at_rest_stays_as_it_was(any_home: Path) -> None:
    before = contents(filled(any_home))

    assert look(any_home, MANY) == {"s1"}

    assert contents(any_home) == before


def test_c122_a_home_at_rest_in_a_folder_without_writing_is_read(any_kind: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = filled(copied(any_kind, Path(folder) / "home"))
        Path(folder).chmod(0o755)
        (home / "state.db").chmod(0o644)
        before = contents(home)

        with a_folder_without_writing(home):
            assert look(home, 3) == {"s1"}

        assert contents(home) == before


def test_c122_the_files_of_a_writer_that_is_there_stay_as_they_were(any_home: Path) -> None:
    filled(any_home)

    with Writer(any_home, "open") as writer:
        before = contents(any_home)
        assert look(any_home, MANY) == {"s1"}
        assert contents(any_home) == before
        writer.end()

    assert set(contents(any_home)) == {name for name in before if not name.endswith(("-wal", "-shm"))}


def test_c122_a_writer_under_load_finds_no_lock_and_ends_in_order(any_home: Path) -> None:
    names = set(contents(filled(any_home)))
    beside = {f"state.db{suffix}" for suffix in ("-wal", "-shm", "-journal")}
    seen: set[str] = set()

    with Writer(any_home, "write on") as writer:
        for _ in range(MANY):
            look(any_home)
            seen |= {str(path.relative_to(any_home)) for path in any_home.rglob("*") if path.is_file()}
        written = writer.end()

    assert written > 0
    assert seen <= names | beside
    assert set(contents(any_home)) == names
    assert len(transcript(Database(any_home / "state.db"), "s1", written + 10).messages) == written + 2


def test_c122_what_a_killed_writer_left_is_read_and_stays(any_home: Path) -> None:
    filled(any_home)
    with Writer(any_home, "open") as writer:
        writer.kill()
    before = contents(any_home)

    assert look(any_home, MANY) == {"s1"}
    assert len(transcript(Database(any_home / "state.db"), "s1").messages) == 2

    assert contents(any_home) == before


def test_c122_a_write_that_was_cut_off_is_told_and_left_to_hermes(home: Path) -> None:
    filled(home)
    with Writer(home, "die in the middle") as writer:
        writer.kill()
    before = contents(home)
    assert "state.db-journal" in before

    found = SessionReader(Database(home / "state.db")).read(1.0)

    assert "cut off" in found.fault
    assert contents(home) == before


def test_c122_a_log_without_its_index_is_told_and_left_to_hermes(tmp_path: Path) -> None:
    home = filled(make("22 with a log", tmp_path / "home"))
    with Writer(home, "open") as writer:
        writer.kill()
    (home / "state.db-shm").unlink()
    before = contents(home)

    found = SessionReader(Database(home / "state.db")).read(1.0)

    assert "index" in found.fault
    assert contents(home) == before


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="this system does not list open files there")
def test_c122_nothing_stays_open_between_reads(any_home: Path) -> None:
    filled(any_home)

    with Writer(any_home, "open"):
        look(any_home, 3)
        opened = [os.readlink(entry) for entry in OPEN_FILES.iterdir() if entry.is_symlink()]  # noqa: PTH115

    assert not [path for path in opened if "state.db" in path]
