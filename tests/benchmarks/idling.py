"""The dashboard when nothing happens but time: CPU, bytes to the terminal and memory, beside a bare app and hermesd."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.benchmarks import bare
from tests.benchmarks.measuring import MIB, Figure, mebibytes, ratio_of, times
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import benched_state
from tests.benchmarks.starting import BARE, HERMESD_SIGHT, OURS, SIGHT, hermesd
from tests.benchmarks.terminal import terminal, watched

BYTES_GOAL: Final = 1000
MEMORY_GOAL_MIB: Final = 80
MOST_KEYS: Final = 20
"""Credentials that count down beside the sessions, at most."""


@dataclass(frozen=True, slots=True)
class Case:
    """So many rows count down to a date so many seconds ahead, and may take so many times what the bare app takes."""

    rows: int
    seconds: int
    goal: float

    def __str__(self) -> str:
        return f"idle, {self.rows} rows, dates {self.seconds} s ahead"


FEW_GOAL: Final = 0.5 / 0.14
MANY_GOAL: Final = 1.0 / 0.14
"""Goals of 0.5 and 1 % of a core, set on a machine on which the bare app took 0.14 %."""

CASES: Final = (
    Case(20, 7200, FEW_GOAL),
    Case(20, 1800, FEW_GOAL),
    Case(20, 58, FEW_GOAL),
    Case(50, 7200, FEW_GOAL),
    Case(200, 7200, MANY_GOAL),
)
"""Lists count hours and minutes, and seconds in the last minute before a date; the way back always tells seconds."""


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure the idle dashboard over long and over short countdowns."""
    cases = plan.of(CASES, CASES, (Case(2, 7200, FEW_GOAL),))
    settle, watch = plan.of((6.0, 20.0), (4.0, 5.0), (0.01, 0.1))
    with provider() as hosts:
        for case in cases:
            yield from _idle(case, settle, watch, hosts, plan.hermesd)


def _idle(case: Case, settle: float, watch: float, hosts: tuple[str, str], other: Path | None) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        environment = benched_state(
            Path(name), hosts, sessions=case.rows, keys=min(case.rows, MOST_KEYS), seconds=case.seconds
        )
        programs = [(OURS, SIGHT), ((*BARE, "tick"), bare.SIGHT)]
        if other is not None:
            programs.append((hermesd(other, Path(name)), HERMESD_SIGHT))
        running = [stack.enter_context(terminal(command, environment)) for command, _ in programs]
        for one, (_, sight) in zip(running, programs, strict=True):
            one.until(sight)
        watched(running, settle)
        ours, beside, *others = watched(running, watch)
    yield Figure(
        f"{case}: CPU",
        f"{ours.share:.2%}",
        f"≤ {times(case.goal)}",
        ratio_of(ours.share, beside.share),
        ours.share <= case.goal * beside.share,
        f"{beside.share:.2%}",
        ratio_of(ours.share, beside.share),
        f"{ours.share:.2%}",
        f"{beside.share:.2%}",
        _by_hermesd([f"{taken.share:.2%}" for taken in others]),
    )
    yield Figure(
        f"{case}: output",
        f"{ours.written:,.0f} B/s",
        f"≤ {BYTES_GOAL:,} B/s",
        f"{ours.written:,.0f} B/s",
        ours.written <= BYTES_GOAL,
        f"{beside.written:,.0f} B/s",
        others=_by_hermesd([f"{taken.written:,.0f} B/s" for taken in others]),
    )
    yield Figure(
        f"{case}: memory",
        mebibytes(ours.memory),
        f"≤ {MEMORY_GOAL_MIB} MiB",
        mebibytes(ours.memory),
        ours.memory <= MEMORY_GOAL_MIB * MIB,
        mebibytes(beside.memory),
        ratio_of(ours.memory, beside.memory),
        others=_by_hermesd([mebibytes(taken.memory) for taken in others]),
    )


def _by_hermesd(words: Sequence[str]) -> str:
    return f"hermesd, an empty home {words[0]}" if words else f"hermesd: {NOT_INSTALLED}"
