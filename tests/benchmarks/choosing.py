"""Choosing a credential while many are benched."""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.configuration import Pool
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.pool import Asker, select
from tests.benchmarks.measuring import Figure, Spent, Watch, microseconds, middle
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.core.made import BACKUP, NOW, benched, pool

CALLS: Final = 5
ROUTER_COUNT: Final = 100
"""The router is asked about so many at most: it takes long to be made with more."""

GOALS: Final = {100: 10e-6, 10_000: 0.5e-3}
"""The seconds that a choice may take, by how many credentials are benched."""


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure `select` where only the last credential of a pool is free, and where none is; what it counts is kept."""
    rounds = plan.of(41, 11, 1)
    for count, goal in GOALS.items():
        facts = fold(benched(f"key-{n}", pool_name=BACKUP.pool) for n in range(count))
        for free in (1, 0):
            keys = pool(BACKUP.pool, *(f"key-{n}" for n in range(count + free)))
            _choose(facts, keys)
            own = middle([_choose(facts, keys) for _ in range(rounds)])
            yield Figure(
                f"select, {count:,} benched, {free} free",
                microseconds(own.wall),
                f"≤ {microseconds(goal)}",
                microseconds(own.wall),
                own.wall <= goal,
                cpu=microseconds(own.cpu),
                others=_by_router(plan, rounds) if free and count <= ROUTER_COUNT else "",
            )


def _by_router(plan: Plan, rounds: int) -> str:
    if plan.router is None:
        return f"LiteLLM Router: {NOT_INSTALLED}"
    chosen = middle([plan.router.timed("choice", ROUTER_COUNT, CALLS) for _ in range(rounds)])
    return f"LiteLLM Router {microseconds(chosen.wall)} (CPU {microseconds(chosen.cpu)})"


def _choose(facts: Facts, keys: Pool) -> Spent:
    """Return what one choice takes."""
    watch = Watch()
    for _ in range(CALLS):
        chosen = select(facts, BACKUP, keys, Asker("docs"), now=NOW, attempt=1, dice=lambda: 0.0)
        fold((row for record in chosen.records for row in record.rows), facts)
    spent = watch.spent()
    return Spent(spent.wall / CALLS, spent.cpu / CALLS)
