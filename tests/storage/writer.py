"""A process that counts turns of one session and says each number once it is committed: DIRECTORY SESSION COUNT."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hermes_tui.core.errors import StateLockedError
from hermes_tui.storage.ledger import SqliteLedger

sys.path.insert(0, str(Path(__file__).parent))
next_turn = importlib.import_module("samples").next_turn


T = TypeVar("T")


def patiently(work: Callable[[], T]) -> T:
    """Return what `work` brings; while others hold the state it is tried again."""
    while True:
        try:
            return work()
        except StateLockedError:
            continue


def main(directory: str, session: str, count: str) -> None:
    """Commit `count` turns, without end where it is negative."""
    ledger = patiently(lambda: SqliteLedger.open(Path(directory)))
    done = 0
    while done != int(count):
        turn = patiently(lambda: ledger.commit(lambda facts: next_turn(facts, session)))
        sys.stdout.write(f"{turn}\n")
        sys.stdout.flush()
        done += 1
    ledger.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
