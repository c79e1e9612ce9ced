"""A plan: how much is measured, and what of the alternatives is here to be measured beside."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from tests.benchmarks.router import Router

T = TypeVar("T")

NOT_INSTALLED = "not installed"


class Size(Enum):
    """How much a run does: everything, a quick look, or the least that yields every row."""

    FULL = 0
    QUICK = 1
    LEAST = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run measures with. `router` is LiteLLM's, `hermesd` that program; each None where it is not installed."""

    size: Size = Size.FULL
    router: Router | None = None
    hermesd: Path | None = None

    def of(self, full: T, quick: T, least: T) -> T:
        """Return what belongs to this size."""
        return (full, quick, least)[self.size.value]
