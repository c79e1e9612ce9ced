"""Memory: the screen with many sessions, and a headless crowd, beside what has as many widgets or clients."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.benchmarks import bare
from tests.benchmarks.crowd import crowd
from tests.benchmarks.measuring import MIB, Figure, mebibytes, times
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import benched_state
from tests.benchmarks.starting import BARE, OURS, SIGHT
from tests.benchmarks.terminal import terminal, watched

SCREEN_GOAL_MIB: Final = 80
CROWD_GOAL_MIB: Final = 150
TOKENS: Final = 8


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure resident memory: of the screen after a moment, and of the crowd after a turn each."""
    shown, settle = plan.of((50, 3.0), (50, 3.0), (2, 0.1))
    count = plan.of(1000, 200, 2)
    with provider() as hosts:
        with tempfile.TemporaryDirectory() as name:
            environment = benched_state(Path(name), hosts, sessions=shown, keys=1, seconds=7200)
            with terminal(OURS, environment) as ours, terminal(BARE, environment) as beside:
                ours.until(SIGHT)
                beside.until(bare.SIGHT)
                watched((ours, beside), settle)
                yield _figure(
                    f"memory of the screen with {shown} sessions",
                    ours.memory_bytes(),
                    beside.memory_bytes(),
                    SCREEN_GOAL_MIB,
                )
        own, clients = (crowd(kind, count, TOKENS, hosts[0]).memory for kind in ("ours", "bare"))
    yield _figure(f"memory of {count:,} sessions, headless", own, clients, CROWD_GOAL_MIB, _by_router(plan))


def _figure(name: str, ours: int, beside: int, goal: int, others: str = "") -> Figure:
    own, met = mebibytes(ours), ours <= goal * MIB
    return Figure(name, own, f"≤ {goal} MiB", own, met, mebibytes(beside), times(ours / beside), others=others)


def _by_router(plan: Plan) -> str:
    if plan.router is None:
        return f"LiteLLM: {NOT_INSTALLED}"
    return f"LiteLLM at its import {mebibytes(plan.router.memory)}"
