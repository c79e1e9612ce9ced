"""What all families share: samples of wall and CPU time, their medians, and figures as rows of one table."""

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

HEADS: Final = (
    *("figure", "ours", "beside", "ratio", "CPU ours", "CPU beside", "against the goal", "goal", "", "for comparison"),
)

MIB: Final = 1024 * 1024
YARDSTICK: Final = 200_000
"""How many numbers the yardstick adds."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run of something took: seconds on the wall, and seconds of this process's CPU."""

    wall: float
    cpu: float


class Watch:
    """Measures from its making on."""

    def __init__(self) -> None:
        self._cpu = _cpu()
        self._wall = time.perf_counter()

    def spent(self) -> Spent:
        """Return what was spent since the watch was made."""
        wall = time.perf_counter() - self._wall
        return Spent(wall, _cpu() - self._cpu)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Yardstick:
    """A small computation that is always the same: how much its time differs is the noise of the machine."""

    def __init__(self) -> None:
        self._taken: list[Spent] = []

    def lay(self) -> None:
        """Do it once more."""
        watch = Watch()
        sum(range(YARDSTICK))
        self._taken.append(watch.spent())

    def words(self) -> str:
        """Return the shortest and the longest time."""
        walls, cpus = [each.wall for each in self._taken], [each.cpu for each in self._taken]
        return (
            f"the same sum took {milliseconds(min(walls))} to {milliseconds(max(walls))}, "
            f"{milliseconds(min(cpus))} to {milliseconds(max(cpus))} of CPU"
        )


def middle(samples: Sequence[Spent]) -> Spent:
    """Return the median wall time and the median CPU time."""
    return Spent(median(each.wall for each in samples), median(each.cpu for each in samples))


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table: what was measured, what was measured beside it, and the goal with what is held to it."""

    name: str
    ours: str
    goal: str
    reached: str
    met: bool
    beside: str = ""
    ratio: str = ""
    cpu: str = ""
    cpu_beside: str = ""
    others: str = ""
    """What else does the same work, in words."""

    def cells(self) -> tuple[str, ...]:
        """Return the row's cells, in the order of the heads."""
        verdict = "met" if self.met else "NOT MET"
        shown = (self.name, self.ours, self.beside, self.ratio, self.cpu, self.cpu_beside)
        return (*shown, self.reached, self.goal, verdict, self.others)


def overhead(
    name: str, ours: Sequence[Spent], beside: Sequence[Spent], *, goal_seconds: float, others: str = ""
) -> Figure:
    """Return the figure of something that may take `goal_seconds` more than what stands beside it."""
    own, bare = middle(ours), middle(beside)
    more = own.wall - bare.wall
    return Figure(
        name,
        milliseconds(own.wall),
        f"≤ {milliseconds(goal_seconds)} more",
        f"{milliseconds(more)} more (CPU {milliseconds(own.cpu - bare.cpu)})",
        more <= goal_seconds,
        milliseconds(bare.wall),
        ratio_of(own.wall, bare.wall),
        milliseconds(own.cpu),
        milliseconds(bare.cpu),
        others,
    )


def proportion(
    name: str, ours: Sequence[Spent], beside: Sequence[Spent], *, goal_ratio: float, others: str = ""
) -> Figure:
    """Return the figure of something that may take `goal_ratio` times what stands beside it."""
    own, bare = middle(ours), middle(beside)
    ratio = own.wall / bare.wall
    return Figure(
        name,
        milliseconds(own.wall),
        f"≤ {times(goal_ratio)}",
        times(ratio),
        ratio <= goal_ratio,
        milliseconds(bare.wall),
        times(ratio),
        milliseconds(own.cpu),
        milliseconds(bare.cpu),
        others,
    )


def in_turn(rounds: int, *runs: Callable[[], Spent]) -> list[list[Spent]]:
    """Play `runs` one after another, `rounds` times, so that noise meets all of them; return the samples of each."""
    samples: list[list[Spent]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, taken in zip(runs, samples, strict=True):
            taken.append(run())
    return samples


def percentile(samples: Sequence[float], share: float) -> float:
    """Return the sample that `share` of all are not above."""
    ordered = sorted(samples)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def milliseconds(seconds: float) -> str:
    """Return `seconds` as milliseconds, in words."""
    return f"{seconds * 1e3:.2f} ms" if seconds < 0.02 else f"{seconds * 1e3:.0f} ms"


def microseconds(seconds: float) -> str:
    """Return `seconds` as microseconds, in words."""
    return f"{seconds * 1e6:,.0f} µs"


def mebibytes(count: int, digits: int = 0) -> str:
    """Return a number of bytes as MiB, in words."""
    return f"{count / MIB:.{digits}f} MiB"


def ratio_of(ours: float, beside: float) -> str:
    """Return how many times of what stands beside it ours took, in words; nothing where that took nothing."""
    return times(ours / beside) if beside else ""


def times(ratio: float) -> str:
    """Return a ratio in words."""
    return f"{ratio:.2f}x"
