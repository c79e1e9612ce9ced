"""Asking another process of the state: whoever listens there, it brings values or an error, in time, nothing unsafe."""

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from hermes_tui.bridge import neighbours as neighbours_module
from hermes_tui.bridge.neighbours import LONGEST_REQUEST, StateNeighbours
from hermes_tui.core.acts import SendPrompt, StopTurn
from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.core.snapshot import Live
from tests.bridge.impostor import impostor, saying
from tests.bridge.knocking import place

ME = os.getpid()
WELCOME = b'{"id": 1, "result": {"protocol": 1}}\n'


@pytest.fixture
def state(tmp_path: Path) -> StateNeighbours:
    return StateNeighbours(tmp_path)


def telling(lives: object) -> Callable[[socket.socket], object]:
    """Tell this of the sessions."""
    return saying(WELCOME, json.dumps({"id": 2, "result": {"lives": lives}}).encode() + b"\n")


def test_what_is_told_of_sessions_is_taken(tmp_path: Path, state: StateNeighbours) -> None:
    told = {"docs": {"text": "Three", "sent_at": 5.0, "queued": 2}, "triage": {"waiting_until": 9.0}}
    with impostor(tmp_path, telling(told)):
        assert state.lives(ME) == {"docs": Live("Three", 5.0, None, 2), "triage": Live(waiting_until=9.0)}  # type: ignore[arg-type]


def test_what_a_hostile_process_tells_is_made_plain_and_bounded(tmp_path: Path, state: StateNeighbours) -> None:
    evil = {"text": "\x1b[2Jcaf\u202e", "sent_at": 1e400, "waiting_until": "soon", "queued": -5}
    told = {"a": evil, "b": None, "c": {"text": 5, "queued": 10**30}}
    with impostor(tmp_path, telling(told)):
        lives = state.lives(ME)
    assert "\x1b" not in lives["a"].text
    assert "\u202e" not in lives["a"].text
    assert (lives["a"].sent_at, lives["a"].waiting_until, lives["a"].queued) == (None, None, 0)
    assert lives["b"] == Live()
    assert lives["c"].queued == 1_000_000


@pytest.mark.parametrize("lives", [None, 5, [], "docs"])
def test_what_is_no_table_of_sessions_tells_of_none(tmp_path: Path, state: StateNeighbours, lives: object) -> None:
    with impostor(tmp_path, telling(lives)):
        assert state.lives(ME) == {}


@pytest.mark.parametrize("answer", [b"", b"garbage\n", b"[]\n", b'{"id": 7, "result": {}}\n'])
def test_what_is_no_process_of_this_program_is_not_reachable(
    tmp_path: Path, state: StateNeighbours, answer: bytes
) -> None:
    with impostor(tmp_path, saying(answer)), pytest.raises(NothingReachableError, match=f"process {ME} "):
        state.lives(ME)


def test_a_process_of_another_version_says_why_it_takes_nothing(tmp_path: Path, state: StateNeighbours) -> None:
    why = b'{"id": 1, "error": "process 5 is another version of hermes-tui"}\n'
    with impostor(tmp_path, saying(why)), pytest.raises(RefusedError, match="another version"):
        state.execute(ME, StopTurn("docs"))


def test_a_state_without_a_door_or_without_that_of_the_process_is_told_alike(
    tmp_path: Path, state: StateNeighbours
) -> None:
    for _ in range(2):
        with pytest.raises(NothingReachableError, match=f"process {ME} cannot be reached"):
            state.lives(ME)
        (tmp_path / "run").mkdir(mode=0o700, exist_ok=True)


def test_a_folder_into_which_others_can_write_is_not_looked_into(tmp_path: Path, state: StateNeighbours) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o777)
    with pytest.raises(RefusedError, match="others can write"):
        state.lives(ME)


def test_a_socket_in_the_name_of_another_process_is_not_talked_to(tmp_path: Path, state: StateNeighbours) -> None:
    parent = os.getppid()
    with impostor(tmp_path, telling({})):
        place(tmp_path).rename(place(tmp_path, parent))
        with pytest.raises(RefusedError, match=f"held by process {ME}"):
            state.execute(parent, StopTurn("docs"))
        place(tmp_path, parent).unlink()


def test_who_never_answers_is_given_up_in_time(
    tmp_path: Path, state: StateNeighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours_module, "PATIENCE_SECONDS", 0.2)
    over = threading.Event()
    with impostor(tmp_path, lambda _: over.wait(10)):
        with pytest.raises(NothingReachableError, match=f"process {ME} did not answer"):
            state.lives(ME)
        over.set()


def test_a_prompt_that_no_door_takes_is_refused_before_it_is_sent(tmp_path: Path, state: StateNeighbours) -> None:
    with pytest.raises(RefusedError, match="too long"):
        state.execute(ME, SendPrompt("docs", "x" * LONGEST_REQUEST))


def test_no_question_leaves_a_line_open(tmp_path: Path, state: StateNeighbours) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for say in (telling({}), saying(b"garbage\n"), saying(WELCOME)):
        with impostor(tmp_path, say), suppress(NothingReachableError):
            state.lives(ME)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
