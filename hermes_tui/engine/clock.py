"""The engine's one clock: epoch seconds that may run faster, waits that follow it, and steps of the wall clock."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Final, Self

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
        self._start_elapsed, wall = self._moment()
        self._start = wall if start is None else start
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

    def watchdog(self, seconds: float) -> "Watchdog":
        """Return a context that raises TimeoutError when nothing touches it for `seconds` of this clock."""
        return Watchdog(seconds / self.speed, self.speed)

    def wall_step(self) -> float:
        """Return by how many seconds the wall clock was set since the last call; 0.0 where it was not (M23)."""
        if not self._follows_wall:
            return 0.0
        elapsed, wall = self._moment()
        step = (wall - self._start) - (elapsed - self._start_elapsed)
        if abs(step) < STEP_SECONDS or (step > 0 and not SLEEP_IS_COUNTED):
            return 0.0
        self._start, self._start_elapsed = wall, elapsed
        return step

    def _moment(self) -> tuple[float, float]:
        """Return elapsed seconds and the wall clock's of one moment: whoever is held up between them looks again."""
        while True:
            elapsed, wall = self._elapsed(), time.time()
            if self._elapsed() - elapsed < STEP_SECONDS / 2:
                return elapsed, wall


class Watchdog:
    """Implements `core.ports.Watchdog`: one timer for a whole stream, however many pieces come."""

    def __init__(self, patience: float, speed: float) -> None:
        self._patience = patience
        self._speed = speed
        self._expired = False

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._touched = self._loop.time()
        self._timer = self._loop.call_at(self._touched + self._patience, self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._expired and self._task is not None and self._task.uncancel() <= 0 and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def touch(self, seconds: float) -> None:
        """Start waiting anew, from now on for `seconds` of the clock."""
        self._touched = self._loop.time()
        if seconds / self._speed < self._patience:
            self._timer.cancel()
            self._timer = self._loop.call_at(self._touched + seconds / self._speed, self._look)
        self._patience = seconds / self._speed

    def _look(self) -> None:
        due = self._touched + self._patience
        if self._loop.time() < due:
            self._timer = self._loop.call_at(due, self._look)
        elif self._task is not None:
            self._expired = True
            self._task.cancel()
