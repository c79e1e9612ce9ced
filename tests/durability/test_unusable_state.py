"""A state that cannot be used, met on the command line: one sentence, the right exit code, and no file touched."""

import fcntl
import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from hermes_tui.storage.schema import SCHEMA_VERSION
from hermes_tui.storage.writable import LOCK_FILE, STATE_FILE
from tests.cli.conftest import Provider
from tests.durability.conftest import new_world
from tests.durability.life import World, play_once
from tests.durability.lives import Zygote
from tests.durability.programs import Surroundings, give_away, run, run_on_terminal
from tests.terminal.conftest import Open

Spoil = Callable[[Path], AbstractContextManager[object]]


def damaged(state: Path) -> AbstractContextManager[object]:
    (state / STATE_FILE).write_bytes(b"my precious notes " * 1000)
    return nullcontext()


def newer(state: Path) -> AbstractContextManager[object]:
    connection = sqlite3.connect(state / STATE_FILE)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    return nullcontext()


@contextmanager
def locked(state: Path) -> Iterator[None]:
    with (state / LOCK_FILE).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def not_to_be_written(state: Path) -> Iterator[None]:
    state.chmod(0o500)
    yield
    state.chmod(0o700)


def contents(state: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in state.rglob("*") if path.is_file()}


@pytest.fixture
def world(lives: Zygote, provider: Provider) -> Iterator[World]:
    """A place with a state, which belongs to somebody whom permissions bind."""
    with tempfile.TemporaryDirectory() as name:
        place = new_world(Path(name), provider)
        lives.life(play_once, place).outlive()
        give_away(place.home)
        yield place


@pytest.mark.parametrize(
    ("spoil", "sentence", "reads"),
    [
        (damaged, r"state\.db: the state is damaged .*; move it away .* to start anew", False),
        (locked, r"state is locked by another process .*, try again", True),
        (newer, r"state\.db: a newer version wrote this state .*: update hermes-tui", True),
        (not_to_be_written, r"state\.db: the state cannot be opened or written here: ", True),
    ],
    ids=["damaged", "locked", "newer", "not to be written"],
)
def test_a_state_that_cannot_be_used_is_said_in_one_sentence_and_left_as_it_is(
    lives: Zygote, world: World, tmp_path: Path, spoil: Spoil, sentence: str, reads: bool
) -> None:
    around = Surroundings(os.environ | world.environment, tmp_path, unprivileged=True)
    complaint = re.compile(rf"hermes-tui: {re.escape(str(world.state))}.*{sentence}.*\n")
    with spoil(world.state):
        before = contents(world.state)
        done = run(lives, around, "run", "--prompt", "Two.")
        assert (done.exit_code, done.output) == (1, "")
        assert complaint.fullmatch(done.errors)
        for arguments in (("status",), ("status", "--json"), ("why", "s1")):
            done = run(lives, around, *arguments)
            assert done.exit_code == (0 if reads else 1)
            assert ("s1" in done.output and done.errors == "") if reads else complaint.fullmatch(done.errors)
        if spoil is not newer:
            done = run_on_terminal(lives, around)
            assert done.exit_code == 1
            assert complaint.fullmatch(done.output.replace("\r\n", "\n"))
        assert contents(world.state) == before


def test_a_newer_state_is_shown_on_the_dashboard_and_every_act_is_refused(world: World, terminal: Open) -> None:
    newer(world.state)
    before = contents(world.state)
    screen = terminal(120, 40, environment=world.environment)
    sentence = f"{world.state / STATE_FILE}: a newer"
    screen.shows(f"Read only: {sentence}", "openai-codex/gpt", "One more.")
    screen.press("b")
    screen.until(lambda text: text.count(sentence) == 2, "the refusal, beside the notice")
    assert screen.leave() == 0
    assert contents(world.state) == before
