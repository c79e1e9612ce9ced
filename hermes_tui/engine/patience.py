"""Waiting for a state that another process holds."""

from collections.abc import Callable
from typing import Final, TypeVar

from hermes_tui.core.decision import Decision
from hermes_tui.core.errors import StateLockedError
from hermes_tui.core.facts import Facts
from hermes_tui.core.ports import Clock, Ledger
from hermes_tui.core.text import PlainText

T = TypeVar("T")

LOCKED_SECONDS: Final = 0.25
"""The wait before a commit that found the state locked is tried again."""


LOCKED: Final = PlainText("The state is locked by another process: what was decided is written as soon as it is free.")
NOTICED: Final = 4
"""After so many tries it is worth a word: others may write as well, and are done in a moment."""


async def commit_patiently(
    ledger: Ledger,
    clock: Clock,
    decide: Callable[[Facts], Decision[T]],
    tell: Callable[[PlainText | None], None] = lambda _: None,
) -> T:
    """Commit a decision; while the state is locked it is tried again, and never gone ahead without.

    `tell` is told when that takes long, and None when it is over.
    """
    tries = 0
    try:
        while True:
            try:
                return ledger.commit(decide)
            except StateLockedError:
                tries += 1
                if tries == NOTICED:
                    tell(LOCKED)
                await clock.sleep(LOCKED_SECONDS)
    finally:
        if tries >= NOTICED:
            tell(None)
