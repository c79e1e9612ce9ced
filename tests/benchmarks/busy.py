"""The dashboard in a storm of events: CPU, bytes to the terminal, and from a key to its paint, beside a naive app."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.measuring import Figure, milliseconds, percentile, ratio_of
from tests.benchmarks.plan import Plan
from tests.benchmarks.staging import names
from tests.benchmarks.terminal import terminal, watched

CPU_GOAL: Final = 0.05
KEY_GOAL_SECONDS: Final = 0.05
KEY_SHARE: Final = 0.95
PAUSE_SECONDS: Final = 0.137
"""Between two keys: no multiple of any tick."""

DOWN: Final = b"\x1b[B"


@dataclass(frozen=True, slots=True)
class Work:
    """So many rows and events a second; settled, then watched for so many seconds, then so many keys."""

    rows: int
    rate: int
    settle: float
    watch: float
    keys: int


@dataclass(frozen=True, slots=True)
class Busy:
    """What it came to: a share of a core, bytes a second, and seconds from a key to its paint."""

    share: float
    written: float
    key: float


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure ours and the naive one, one after the other: together they would disturb each other's keys."""
    work = plan.of(Work(200, 1000, 3.0, 15.0, 60), Work(200, 1000, 2.0, 5.0, 20), Work(5, 50, 0.01, 0.1, 1))
    ours, naive = _busy("ours", work), _busy("naive", work)
    name = f"busy, {work.rows} rows and {work.rate:,} events/s"
    yield Figure(
        f"{name}: CPU",
        f"{ours.share:.1%}",
        f"≤ {CPU_GOAL:.0%} of a core",
        f"{ours.share:.1%}",
        ours.share <= CPU_GOAL,
        f"{naive.share:.1%}",
        ratio_of(ours.share, naive.share),
        f"{ours.share:.1%}",
        f"{naive.share:.1%}",
    )
    yield Figure(
        f"{name}: key to paint, p95",
        milliseconds(ours.key),
        f"≤ {milliseconds(KEY_GOAL_SECONDS)}",
        milliseconds(ours.key),
        ours.key <= KEY_GOAL_SECONDS,
        milliseconds(naive.key),
        ratio_of(ours.key, naive.key),
    )
    yield Figure(
        f"{name}: output",
        f"{ours.written:,.0f} B/s",
        "below the naive one",
        f"{ours.written:,.0f} B/s",
        ours.written <= naive.written,
        f"{naive.written:,.0f} B/s",
        ratio_of(ours.written, naive.written),
    )


def _busy(kind: str, work: Work) -> Busy:
    command = [sys.executable, "-m", "tests.benchmarks.storm", kind, str(work.rows), str(work.rate)]
    first, *others = names(work.rows)
    with terminal(command, {}) as running:
        running.until(first.encode())
        watched([running], work.settle)
        (taken,) = watched([running], work.watch)
        waited = []
        for name in others[: work.keys]:
            watched([running], PAUSE_SECONDS)
            waited.append(running.press(DOWN, re.compile("› (?:\x1b\\[[0-9;]*m)*".encode() + name.encode())))
    return Busy(taken.share, taken.written, percentile(waited, KEY_SHARE))
