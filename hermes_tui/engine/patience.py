"""Waiting for a state that another process holds."""

from collections.abc import Callable
from typing import Final, TypeVar

from hermes_tui.core.decision import Decision
from hermes_tui.core.errors import StateLockedError
from hermes_tui.core.facts import Facts
from hermes_tui.core.ports import Clock, Ledger

T = TypeVar("T")

LOCKED_SECONDS: Final = 0.25
"""The wait before a commit that found the state locked is tried again."""


async def commit_patiently(ledger: Ledger, clock: Clock, decide: Callable[[Facts], Decision[T]]) -> T:
    """Commit a decision; while the state is locked it is tried again, and never gone ahead without."""
    while True:
        try:
            return ledger.commit(decide)
        except StateLockedError:
            await clock.sleep(LOCKED_SECONDS)
