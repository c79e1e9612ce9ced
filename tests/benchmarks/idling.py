"""The dashboard when nothing happens but time: CPU and bytes to the terminal, beside a bare app; and its memory."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.benchmarks import bare
from tests.benchmarks.measuring import Figure, times
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import benched_state
from tests.benchmarks.starting import BARE, OURS, SIGHT
from tests.benchmarks.terminal import terminal

ROWS: Final = 20
SETTLE_SECONDS: Final = 3.0
WATCH_SECONDS: Final = 15.0
COUNTDOWNS: Final = {"hours away": 7200, "seconds away": 115}
"""Coarse texts far from a date, seconds in its last two minutes."""

SHARE_GOAL: Final = 0.005
BYTES_GOAL: Final = 1000
MANY_SESSIONS: Final = 50
MEMORY_GOAL_MIB: Final = 80
MIB: Final = 1024 * 1024


def measure() -> Iterator[Figure]:
    """Measure the idle dashboard at both ends of a countdown, and its memory with many sessions."""
    with provider() as hosts:
        for words, seconds in COUNTDOWNS.items():
            yield from _idle(words, seconds, hosts)
        yield _memory(hosts)


def _idle(words: str, seconds: int, hosts: tuple[str, str]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        environment = benched_state(Path(name), hosts, sessions=ROWS, keys=ROWS, seconds=seconds)
        with terminal(OURS, environment) as ours, terminal((*BARE, "tick"), environment) as beside:
            ours.until(SIGHT)
            beside.until(bare.SIGHT)
            ours.watch(SETTLE_SECONDS)
            beside.watch(0.1)
            before, bare_before = ours.cpu_seconds(), beside.cpu_seconds()
            written = ours.watch(WATCH_SECONDS) / WATCH_SECONDS
            share = (ours.cpu_seconds() - before) / WATCH_SECONDS
            bare_share = (beside.cpu_seconds() - bare_before) / WATCH_SECONDS
            bare_written = beside.watch(0.1) / WATCH_SECONDS
    name = f"idle, {ROWS} rows, dates {words}"
    yield Figure(
        f"{name}: CPU",
        f"{share:.2%}",
        f"≤ {SHARE_GOAL:.1%} of a core",
        f"{share:.2%}",
        share <= SHARE_GOAL,
        f"{bare_share:.2%}",
        times(share / bare_share),
        f"{share:.2%}",
        f"{bare_share:.2%}",
    )
    yield Figure(
        f"{name}: output",
        f"{written:,.0f} B/s",
        f"≤ {BYTES_GOAL:,} B/s",
        f"{written:,.0f} B/s",
        written <= BYTES_GOAL,
        f"{bare_written:,.0f} B/s",
    )


def _memory(hosts: tuple[str, str]) -> Figure:
    with tempfile.TemporaryDirectory() as name:
        environment = benched_state(Path(name), hosts, sessions=MANY_SESSIONS, keys=1, seconds=7200)
        with terminal(OURS, environment) as ours, terminal(BARE, environment) as beside:
            ours.until(SIGHT)
            beside.until(bare.SIGHT)
            ours.watch(SETTLE_SECONDS)
            own, other = ours.memory_bytes() / MIB, beside.memory_bytes() / MIB
    return Figure(
        f"memory of the screen with {MANY_SESSIONS} sessions",
        f"{own:.0f} MiB",
        f"≤ {MEMORY_GOAL_MIB} MiB",
        f"{own:.0f} MiB",
        own <= MEMORY_GOAL_MIB,
        f"{other:.0f} MiB",
        times(own / other),
    )
