"""The time for commands that run no engine."""

import time


def now() -> float:
    """Return the time in epoch seconds."""
    return time.time()
