"""Start: from exec to the first frame in a terminal, and the commands that show no screen."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.benchmarks import bare
from tests.benchmarks.measuring import Figure, Spent, in_turn, proportion
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import benched_state
from tests.benchmarks.terminal import terminal

ROUNDS: Final = 9
SESSIONS: Final = 5
FRAME_GOAL: Final = 1.3
COMMAND_GOAL: Final = 0.4

PYTHON: Final = (sys.executable,)
OURS: Final = (*PYTHON, "-m", "hermes_tui")
BARE: Final = (*PYTHON, "-m", "tests.benchmarks.bare")
SIGHT: Final = b"Sessions"


def measure() -> Iterator[Figure]:
    """Measure the dashboard, `status` and `--help` beside the first frame of the bare app."""
    with tempfile.TemporaryDirectory() as name, provider() as hosts:
        environment = benched_state(Path(name), hosts, sessions=SESSIONS, keys=SESSIONS, seconds=7200)
        frame, status, words, beside = in_turn(
            ROUNDS,
            lambda: _first_frame(OURS, environment, SIGHT),
            lambda: _command((*OURS, "status", "--json"), environment),
            lambda: _command((*OURS, "--help"), environment),
            lambda: _first_frame(BARE, environment, bare.SIGHT),
        )
    yield proportion("start to first frame over a bare app's", frame, beside, goal_ratio=FRAME_GOAL)
    yield proportion("`status --json`", status, beside, goal_ratio=COMMAND_GOAL)
    yield proportion("`--help`", words, beside, goal_ratio=COMMAND_GOAL)


def _first_frame(command: Sequence[str], environment: dict[str, str], sight: bytes) -> Spent:
    with terminal(command, environment) as running:
        return running.until(sight)


def _command(command: Sequence[str], environment: dict[str, str]) -> Spent:
    """Run a command to its end; its exit code is its own affair."""
    began = time.perf_counter()
    with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL) as process:
        _, _, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = 0
    return Spent(wall, used.ru_utime + used.ru_stime)
