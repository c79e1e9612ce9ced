"""The engine's one clock: epoch seconds that may run faster, waits that follow it, and steps of the wall clock."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

STEP_SECONDS: Final = 2.0
"""A wall clock that differs from the elapsed time by more was set by somebody."""

SLEEP_IS_COUNTED: Final = hasattr(time, "CLOCK_BOOTTIME")
"""Whether elapsed time goes on while a laptop sleeps; where it does not, a step forward may be a sleep."""


def _elapsed_seconds() -> float:
    """Return seconds that also count while a laptop sleeps, where the system can tell."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


class EngineClock:
    """Implements `core.ports.Clock`.

    At speed 1 it follows the wall clock. At any other speed, or with a `start`, it starts there (epoch seconds) and
    runs by `elapsed`, which tests replace with a loop's own time.
    """

    def __init__(
        self, *, speed: float = 1.0, start: float | None = None, elapsed: Callable[[], float] = _elapsed_seconds
    ) -> None:
        self.speed = speed
        self._elapsed = elapsed
        self._follows_wall = speed == 1.0 and start is None
        self._start = time.time() if start is None else start
        self._start_elapsed = elapsed()
        self._offset = 0.0

    def now(self) -> float:
        """Return the time in epoch seconds."""
        if self._follows_wall:
            return time.time() + self._offset
        return self._start + (self._elapsed() - self._start_elapsed) * self.speed + self._offset

    def advance(self, seconds: float) -> None:
        """Move the clock ahead without waiting."""
        self._offset += seconds

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` of this clock."""
        await asyncio.sleep(max(seconds, 0.0) / self.speed)

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """Return a context that raises TimeoutError when it takes longer than `seconds` of this clock."""
        return asyncio.timeout(max(seconds, 0.0) / self.speed)

    def wall_step(self) -> float:
        """Return by how many seconds the wall clock was set since the last call; 0.0 where it was not (M23)."""
        if not self._follows_wall:
            return 0.0
        elapsed, wall = self._elapsed(), time.time()
        step = (wall - self._start) - (elapsed - self._start_elapsed)
        if abs(step) < STEP_SECONDS or (step > 0 and not SLEEP_IS_COUNTED):
            return 0.0
        self._start, self._start_elapsed = wall, elapsed
        return step
