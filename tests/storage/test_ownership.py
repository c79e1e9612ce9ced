"""One process runs a session, and everyone can tell which."""

import os
from pathlib import Path

import pytest

from hermes_tui.core.errors import StateError
from hermes_tui.storage.ownership import Ownership

from .conftest import Spawn

HOLDER = """
import os, sys
from pathlib import Path
from hermes_tui.storage.ownership import Ownership
ownership = Ownership(Path(sys.argv[1]))
print(ownership.acquire(sys.argv[2]), os.getpid(), flush=True)
sys.stdin.read()
"""


def test_a_session_has_one_owner_and_asking_does_not_disturb(state: Path) -> None:
    mine, theirs = Ownership(state), Ownership(state)
    assert mine.acquire("docs")
    assert not theirs.acquire("docs")
    assert theirs.owner("docs") == os.getpid()
    assert not theirs.acquire("docs")
    assert mine.owner("docs") == os.getpid()


def test_a_session_that_nobody_ever_ran_is_free_and_asking_makes_nothing(state: Path) -> None:
    assert Ownership(state).owner("docs") is None
    assert not state.exists()


def test_taking_a_session_twice_is_taking_it_once(state: Path) -> None:
    mine, theirs = Ownership(state), Ownership(state)
    assert mine.acquire("docs")
    assert mine.acquire("docs")
    mine.release("docs")
    assert theirs.acquire("docs")


def test_release_all_frees_every_session(state: Path) -> None:
    mine, theirs = Ownership(state), Ownership(state)
    assert mine.acquire("docs")
    assert mine.acquire("code")
    mine.release_all()
    assert theirs.owner("docs") is None
    assert theirs.acquire("code")
    assert mine.owner("code") == os.getpid()


def test_names_that_no_path_could_hold_are_names(state: Path) -> None:
    mine, theirs = Ownership(state), Ownership(state)
    for name in ("../../etc/passwd", "a/b", "", "x" * 5000, "\ud800", "a\x00b"):
        assert mine.acquire(name)
        assert not theirs.acquire(name)
    assert {path.parent for path in state.rglob("*.lock")} == {state / "owners"}


def test_another_process_is_named_by_its_pid_and_keeps_the_session(state: Path, spawn: Spawn) -> None:
    holder = spawn("-c", HOLDER, state, "docs")
    assert holder.stdout
    assert holder.stdout.readline().split() == ["True", str(holder.pid)]
    mine = Ownership(state)
    assert mine.owner("docs") == holder.pid
    assert not mine.acquire("docs")
    assert mine.acquire("code")


def test_a_killed_owner_frees_its_session_at_once(state: Path, spawn: Spawn) -> None:
    holder = spawn("-c", HOLDER, state, "docs")
    assert holder.stdout
    holder.stdout.readline()
    holder.kill()
    holder.wait()
    mine = Ownership(state)
    assert mine.owner("docs") is None
    assert mine.acquire("docs")
    assert mine.owner("docs") == os.getpid()


def test_lock_files_are_the_owners_only(state: Path) -> None:
    mine = Ownership(state)
    assert mine.acquire("docs")
    (lock,) = (state / "owners").iterdir()
    assert lock.stat().st_mode & 0o777 == 0o600
    assert (state / "owners").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_may_not_be_written_gives_the_systems_reason(unprivileged: Path) -> None:
    unprivileged.chmod(0o500)
    with pytest.raises(StateError, match="Permission denied"):
        Ownership(unprivileged).acquire("docs")
    unprivileged.chmod(0o700)
