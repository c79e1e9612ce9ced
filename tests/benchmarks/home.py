"""A large Hermes home on the screen while it is written to: time to its first picture, CPU, memory, bytes read.

Beside our own dashboard with no home, and hermesd on a copy of the same home. Last, how soon a change in `auth.json` is
on the screen.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from tests.benchmarks.filled_home import AWAY, Extent, fill, write_logins
from tests.benchmarks.measuring import MIB, Figure, Spent, in_turn, mebibytes, middle, milliseconds, ratio_of, times
from tests.benchmarks.plan import NOT_INSTALLED, Plan, Size
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import benched_state
from tests.benchmarks.starting import OURS, SIGHT, first_frame
from tests.benchmarks.terminal import Taken, terminal, watched

START_GOAL: Final = 2.5
IDLE_GOAL: Final = 1.5
WRITTEN_GOAL: Final = 0.05
"""Of a core: what a home may take that is written to once a second."""

READ_GOAL_MIB: Final = 8
"""In a second: what may be read of a home that is written to once a second."""

MEMORY_GOAL_MIB: Final = 90
CHANGE_GOAL_SECONDS: Final = 0.5
PAUSE_SECONDS: Final = 1.37
"""Between two changes: no multiple of any tick, and longer than a screen may rest after one that was much to show."""


@dataclass(frozen=True, slots=True)
class Work:
    """A home of so much; started so often, settled and watched for so many seconds, then changed so often."""

    extent: Extent
    starts: int
    settle: float
    watch: float
    changes: int

    def __str__(self) -> str:
        return f"home of {self.extent.sessions:,} sessions, {self.extent.messages:,} messages"


LARGE: Final = Extent(2000, 240_000, 5 << 20, 20)
FULL: Final = Work(LARGE, 5, 8.0, 30.0, 15)
QUICK: Final = Work(LARGE, 3, 6.0, 10.0, 7)
LEAST: Final = Work(Extent(20, 200, 1 << 12, 3), 1, 0.01, 0.1, 1)


@dataclass(frozen=True, slots=True)
class Side:
    """A program that shows something: how it is started, what is seen when all is there, and the home that it shows.

    `changed` tells what is seen after the logins of the home were written for a turn.
    """

    command: Sequence[str]
    environment: dict[str, str]
    sight: bytes
    home: Path
    changed: Callable[[int], str] = str

    def first(self) -> Spent:
        """Start it, and return what it took until all was there."""
        return first_frame(self.command, self.environment, self.sight)


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure a home on our screen beside our dashboard without one, and hermesd where it is installed."""
    work = plan.of(FULL, QUICK, LEAST)
    with tempfile.TemporaryDirectory() as name, provider() as hosts:
        folder = Path(name)
        bare = benched_state(folder, hosts, sessions=20, keys=20, seconds=7200)
        if plan.size is not Size.LEAST:  # as from an installed package: nothing is compiled while it is measured
            bare |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{name}/bytecode"}
        fill(folder / "home", work.extent)
        sides = [
            Side(
                (*OURS, "attach", str(folder / "home")),
                bare,
                AWAY.encode(),
                folder / "home",
                lambda turn: f"turn-{turn}",
            ),
            Side(OURS, bare, SIGHT, folder),
        ]
        if plan.hermesd is not None:
            other = Path(shutil.copytree(folder / "home", folder / "copy"))
            command = (str(plan.hermesd), "--hermes-home", str(other))
            sides.append(
                Side(command, bare, f"{work.extent.sessions} total".encode(), other, lambda turn: f"{turn + 1} pools")
            )
        yield _start(work, sides)
        yield _idle(work, sides)
        homes = [sides[0], *sides[2:]]
        yield from _written(work, homes)
        yield _change(work, homes)


def _start(work: Work, sides: Sequence[Side]) -> Figure:
    runs = [side.first for side in sides]
    if work.starts > 1:
        in_turn(1, *runs)
    own, without, *others = map(middle, in_turn(work.starts, *runs))
    return Figure(
        f"{work}: start to all of it",
        milliseconds(own.wall),
        f"≤ {times(START_GOAL)}",
        ratio_of(own.wall, without.wall),
        own.wall <= START_GOAL * without.wall,
        milliseconds(without.wall),
        ratio_of(own.wall, without.wall),
        milliseconds(own.cpu),
        milliseconds(without.cpu),
        _by_hermesd([milliseconds(other.wall) for other in others]),
    )


def _idle(work: Work, sides: Sequence[Side]) -> Figure:
    ours, without, *others = _watched(work, sides)
    return Figure(
        f"{work}, nothing happens: CPU",
        f"{ours.share:.2%}",
        f"≤ {times(IDLE_GOAL)}",
        ratio_of(ours.share, without.share),
        ours.share <= IDLE_GOAL * without.share,
        f"{without.share:.2%}",
        ratio_of(ours.share, without.share),
        f"{ours.share:.2%}",
        f"{without.share:.2%}",
        _by_hermesd([f"{other.share:.2%}" for other in others]),
    )


def _written(work: Work, homes: Sequence[Side]) -> Iterator[Figure]:
    with ExitStack() as stack:
        for side in homes:
            stack.enter_context(_written_to(side.home))
        ours, *others = _watched(work, homes)

    def figure(what: str, goal: str, met: bool, of: Callable[[Taken], float], words: Callable[[Taken], str]) -> Figure:
        beside = [(words(other), ratio_of(of(ours), of(other))) for other in others]
        told, ratio = beside[0] if beside else ("", "")
        name = f"{work}, a row a second: {what}"
        return Figure(
            name, words(ours), goal, words(ours), met, told, ratio, others=_by_hermesd([told] if told else [])
        )

    yield figure(
        "CPU",
        f"≤ {WRITTEN_GOAL:.0%} of a core",
        ours.share <= WRITTEN_GOAL,
        lambda taken: taken.share,
        lambda taken: f"{taken.share:.2%}",
    )
    yield figure(
        "memory",
        f"≤ {MEMORY_GOAL_MIB} MiB",
        ours.memory <= MEMORY_GOAL_MIB * MIB,
        lambda taken: taken.memory,
        lambda taken: mebibytes(taken.memory),
    )
    yield figure(
        "read",
        f"≤ {READ_GOAL_MIB} MiB/s",
        ours.read <= READ_GOAL_MIB * MIB,
        lambda taken: taken.read,
        lambda taken: f"{mebibytes(int(taken.read), 1)}/s, {taken.from_disk:,.0f} B/s from disk",
    )


def _change(work: Work, homes: Sequence[Side]) -> Figure:
    """Replace `auth.json` in turn, and wait until each screen shows it."""
    own, *others = ([*_changes(work, side)] for side in homes)
    beside = [(milliseconds(median(other)), ratio_of(median(own), median(other))) for other in others]
    return Figure(
        f"{work}: from a change in auth.json to the screen",
        milliseconds(median(own)),
        f"≤ {milliseconds(CHANGE_GOAL_SECONDS)}",
        f"{milliseconds(median(own))}, at most {milliseconds(max(own))}",
        median(own) <= CHANGE_GOAL_SECONDS,
        beside[0][0] if beside else "",
        beside[0][1] if beside else "",
        others=_by_hermesd([f"{milliseconds(median(other))}, at most {milliseconds(max(other))}" for other in others]),
    )


def _changes(work: Work, side: Side) -> Iterator[float]:
    with terminal(side.command, side.environment) as running:
        running.until(side.sight)
        for turn in range(1, work.changes + 1):
            watched([running], PAUSE_SECONDS)
            sight = re.compile(re.escape(side.changed(turn)).encode())
            write = partial(write_logins, side.home, work.extent.logins, turn)
            yield running.after(write, sight)


def _watched(work: Work, sides: Sequence[Side]) -> list[Taken]:
    with ExitStack() as stack:
        running = [stack.enter_context(terminal(side.command, side.environment)) for side in sides]
        for one, side in zip(running, sides, strict=True):
            one.until(side.sight)
        watched(running, work.settle)
        return watched(running, work.watch)


@contextmanager
def _written_to(home: Path) -> Iterator[None]:
    """Let another process write to the home, a message a second."""
    with subprocess.Popen([sys.executable, "-m", "tests.benchmarks.filled_home", str(home)]) as writer:
        try:
            yield
        finally:
            writer.kill()


def _by_hermesd(words: Sequence[str]) -> str:
    return f"hermesd {words[0]}" if words else f"hermesd: {NOT_INSTALLED}"
