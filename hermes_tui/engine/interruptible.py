"""Work that another part of the program may cut short, with a reason (M2: waits end at once)."""

import asyncio
from collections.abc import Coroutine
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")


class Interruption(Enum):
    """Why work was cut short."""

    RETRY_NOW = "retry now"
    USE_FALLBACK = "use the fallback now"
    STOP = "stop"


class InterruptedWork(Exception):  # noqa: N818 - not an error: somebody asked for it
    """The work was cut short; `why` says what was asked."""

    def __init__(self, why: Interruption) -> None:
        super().__init__(why.value)
        self.why = why


class Interruptible:
    """Runs one piece of work at a time; `interrupt` ends it with a reason."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._why: Interruption | None = None

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns. Raises InterruptedWork where it was cut short."""
        task: asyncio.Task[T] = asyncio.ensure_future(work)
        self._task = task
        self._why = None
        try:
            return await task
        except asyncio.CancelledError:
            if self._why is not None:
                raise InterruptedWork(self._why) from None
            raise
        finally:
            self._task = None

    def interrupt(self, why: Interruption) -> bool:
        """Cut the work short; tell whether there was any."""
        if self._task is None or self._task.done():
            return False
        self._why = why
        self._task.cancel()
        return True
