"""The dashboard in a storm of events: CPU, bytes to the terminal, and from a key to its paint.

Beside a bare app through which the same storm passes unseen, a naive one that shows it, and hermesd with nothing to do.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.benchmarks.measuring import Figure, milliseconds, percentile, ratio_of, times
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.benchmarks.staging import names
from tests.benchmarks.starting import HERMESD_SIGHT, hermesd
from tests.benchmarks.terminal import terminal, watched

CPU_GOAL: Final = 5 / 53
"""What showing the storm may take of what the naive app takes, as on the machine on which the goal was set.

That it passes at all is the synthetic part: it takes the bare app as much, and is left out.
"""

KEY_GOAL: Final = 2.0
KEY_SHARE: Final = 0.95
PAUSE_SECONDS: Final = 0.137
"""Between two keys: no multiple of any tick."""

DOWN: Final = b"\x1b[B"
ESCAPE: Final = b"\x1b"

HERMESD_KEYS: Final = 5
HERMESD_PANEL: Final = re.compile(b"Prev/next")
"""In its footer when one panel has the screen."""


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
    """What it came to: a share of a core, bytes a second, and the seconds from each key to its paint."""

    share: float
    written: float
    keys: list[float]

    @property
    def worst_key(self) -> str:
        """From a key to its paint, at the 95th percentile, in words."""
        return milliseconds(percentile(self.keys, KEY_SHARE))


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure one app after the other: together they would disturb each other's keys."""
    many = plan.of(Work(200, 1000, 3.0, 15.0, 60), Work(200, 1000, 2.0, 5.0, 20), Work(5, 50, 0.01, 0.1, 1))
    few = plan.of(Work(50, 1000, 3.0, 15.0, 45), Work(50, 1000, 2.0, 5.0, 20), Work(4, 50, 0.01, 0.1, 1))
    other = _hermesd(plan.hermesd)
    for work in (few, many):
        ours, bare, naive = (_busy(kind, work) for kind in ("ours", "bare", "naive"))
        yield from _figures(work, ours, bare, naive, other)


def _figures(work: Work, ours: Busy, bare: Busy, naive: Busy, other: str) -> Iterator[Figure]:
    name, more = f"busy, {work.rows} rows and {work.rate:,} events/s", ours.share - bare.share
    yield Figure(
        f"{name}: CPU",
        f"{ours.share:.1%}",
        f"≤ {times(CPU_GOAL)} a naive app's, without the bare one's",
        f"{more:.1%}, {ratio_of(more, naive.share)}",
        more <= CPU_GOAL * naive.share,
        f"{bare.share:.1%}",
        ratio_of(ours.share, bare.share),
        f"{ours.share:.1%}",
        f"{bare.share:.1%}",
        f"a naive app {naive.share:.1%}",
    )
    own, beside = median(ours.keys), median(bare.keys)
    yield Figure(
        f"{name}: key to paint",
        milliseconds(own),
        f"≤ {times(KEY_GOAL)}",
        f"{times(own / beside)}; p95 {ours.worst_key}",
        own <= KEY_GOAL * beside,
        f"{milliseconds(beside)}; p95 {bare.worst_key}",
        times(own / beside),
        others=f"a naive app {milliseconds(median(naive.keys))}, p95 {naive.worst_key}; {other}",
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


def _hermesd(program: Path | None) -> str:
    """Return in words how long hermesd takes from the key of a panel to that panel, in an empty home."""
    if program is None:
        return f"hermesd: {NOT_INSTALLED}"
    with tempfile.TemporaryDirectory() as folder, terminal(hermesd(program, Path(folder)), {}) as running:
        running.until(HERMESD_SIGHT)
        waited = []
        for _ in range(HERMESD_KEYS):
            watched([running], 1 + PAUSE_SECONDS)
            waited.append(running.press(b"2", HERMESD_PANEL))
            running.press(ESCAPE, re.compile(HERMESD_SIGHT))
    return f"hermesd, an empty home {milliseconds(median(waited))}"


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
    return Busy(taken.share, taken.written, waited)
