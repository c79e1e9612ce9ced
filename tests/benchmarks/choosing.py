"""Choosing a credential while many are benched."""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.pool import Asker, Selected, select
from tests.benchmarks.measuring import Figure, Spent, Watch, microseconds, middle
from tests.core.made import BACKUP, NOW, benched, pool

ROUNDS: Final = 41
CALLS: Final = 5
GOALS: Final = {100: 10e-6, 10_000: 0.5e-3}
"""The seconds that a choice may take, by how many credentials are benched."""


def measure() -> Iterator[Figure]:
    """Measure `select` where only the last credential of a pool is free, and where none is."""
    for count, goal in GOALS.items():
        for free in (1, 0):
            own = middle([_choose(count, free) for _ in range(ROUNDS)])
            yield Figure(
                f"select, {count:,} benched, {free} free",
                microseconds(own.wall),
                f"≤ {microseconds(goal)}",
                microseconds(own.wall),
                own.wall <= goal,
                cpu=microseconds(own.cpu),
            )


_FACTS: Final[dict[int, Facts]] = {}


def _choose(count: int, free: int) -> Spent:
    """Return what one choice takes."""
    if count not in _FACTS:
        _FACTS[count] = fold(benched(f"key-{n}", pool_name=BACKUP.pool) for n in range(count))
    keys = pool(BACKUP.pool, *(f"key-{n}" for n in range(count + free)))
    watch = Watch()
    for _ in range(CALLS):
        chosen = select(_FACTS[count], BACKUP, keys, Asker("docs"), now=NOW, attempt=1, dice=lambda: 0.0).value
    spent = watch.spent()
    assert isinstance(chosen, Selected) == bool(free)
    return Spent(spent.wall / CALLS, spent.cpu / CALLS)
