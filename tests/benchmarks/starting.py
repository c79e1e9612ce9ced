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
from tests.benchmarks.measuring import Figure, Spent, in_turn, middle, milliseconds, proportion
from tests.benchmarks.plan import NOT_INSTALLED, Plan, Size
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import benched_state
from tests.benchmarks.terminal import terminal

FRAME_GOAL: Final = 1.3
COMMAND_GOAL: Final = 0.4

PYTHON: Final = (sys.executable,)
OURS: Final = (*PYTHON, "-m", "hermes_tui")
BARE: Final = (*PYTHON, "-m", "tests.benchmarks.bare")
SIGHT: Final = b"Sessions"
HERMESD_SIGHT: Final = b"Gateway"


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure the dashboard, `status` and `--help` beside the first frame of the bare app, and hermesd's."""
    rounds, sessions = plan.of(9, 5, 1), plan.of(5, 5, 1)
    with tempfile.TemporaryDirectory() as name, provider() as hosts:
        environment = benched_state(Path(name), hosts, sessions=sessions, keys=sessions, seconds=7200)
        runs = [
            lambda: first_frame(OURS, environment, SIGHT),
            lambda: _command((*OURS, "status", "--json"), environment),
            lambda: _command((*OURS, "--help"), environment),
            lambda: first_frame(BARE, environment, bare.SIGHT),
        ]
        if plan.hermesd is not None:
            other = hermesd(plan.hermesd, Path(name))
            runs.append(lambda: first_frame(other, environment, HERMESD_SIGHT))
        if plan.size is not Size.LEAST:
            # As from an installed package: nothing is compiled while it is measured.
            environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{name}/bytecode"}
            in_turn(1, *runs)
        frame, status, words, beside, *others = in_turn(rounds, *runs)
    yield proportion("start to first frame", frame, beside, goal_ratio=FRAME_GOAL, others=_by_hermesd(others))
    yield proportion("`status --json` over a first frame", status, beside, goal_ratio=COMMAND_GOAL)
    yield proportion("`--help` over a first frame", words, beside, goal_ratio=COMMAND_GOAL)


def hermesd(program: Path, folder: Path) -> tuple[str, ...]:
    """Return the command that shows an empty home in `folder` by hermesd."""
    home = folder / "hermes-home"
    home.mkdir()
    return (str(program), "--hermes-home", str(home))


def _by_hermesd(samples: Sequence[Sequence[Spent]]) -> str:
    if not samples:
        return f"hermesd: {NOT_INSTALLED}"
    own = middle(samples[0])
    return f"hermesd, an empty home {milliseconds(own.wall)} (CPU {milliseconds(own.cpu)})"


def first_frame(command: Sequence[str], environment: dict[str, str], sight: bytes) -> Spent:
    """Run a program in a terminal until a sight was written; return what it took."""
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
