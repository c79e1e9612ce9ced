"""Choosing a credential while many are benched."""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.pool import Asker, select
from tests.benchmarks.measuring import Figure, Spent, Watch, microseconds, middle
from tests.core.made import BACKUP, NOW, benched, pool

ROUNDS: Final = 41
CALLS: Final = 5
GOALS: Final = {100: 10e-6, 10_000: 0.5e-3}
"""The seconds that a choice may take, by how many credentials are benched."""


def measure() -> Iterator[Figure]:
    """Measure `select` where only the last credential of a pool is free, and where none is."""
    for count, goal in GOALS.items():
        facts = fold(benched(f"key-{n}", pool_name=BACKUP.pool) for n in range(count))
        for free in (1, 0):
            own = middle([_choose(facts, count + free) for _ in range(ROUNDS)])
            yield Figure(
                f"select, {count:,} benched, {free} free",
                microseconds(own.wall),
                f"≤ {microseconds(goal)}",
                microseconds(own.wall),
                own.wall <= goal,
                cpu=microseconds(own.cpu),
            )


def _choose(facts: Facts, count: int) -> Spent:
    """Return what one choice takes in a pool of `count` credentials."""
    keys = pool(BACKUP.pool, *(f"key-{n}" for n in range(count)))
    watch = Watch()
    for _ in range(CALLS):
        select(facts, BACKUP, keys, Asker("docs"), now=NOW, attempt=1, dice=lambda: 0.0)
    spent = watch.spent()
    return Spent(spent.wall / CALLS, spent.cpu / CALLS)
