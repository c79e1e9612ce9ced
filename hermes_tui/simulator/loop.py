"""An event loop whose time jumps to the next timer whenever no socket is ready.

    loop.time()   stands still while there is work, then leaps to the next timer
    sockets       are polled first: bytes on their way are never overtaken by a timeout
    threads       while one works, time runs as on the wall, because nobody can say when it ends

Client and server on one such loop live through days of waits in the time that their work takes. A peer in
another process or in a thread of its own is not waited for.
"""

import asyncio
import concurrent.futures
import functools
import os
import selectors
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, ParamSpec, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Arguments = ParamSpec("Arguments")
Positional = TypeVarTuple("Positional")
Ready = list[tuple[selectors.SelectorKey, int]]

LONG_JUMP_SECONDS: Final = 1.0
"""A jump from here on could overtake bytes that the kernel still carries, so it waits a real moment first."""
GRACE_SECONDS: Final = 0.001
THREAD_POLL_SECONDS: Final = 0.05
RESOLUTION_SECONDS: Final = 1e-6
"""What asyncio takes as the same moment; its own 1e-9 drowns in the float of a time that has jumped for months."""


class _JumpingSelector(selectors.DefaultSelector):
    """A selector that never sleeps for a timer: it polls, then tells how far to jump."""

    def __init__(self, jump: Callable[[float], None], threads: Callable[[], int]) -> None:
        super().__init__()
        self._jump = jump
        self._threads = threads

    def select(self, timeout: float | None = None) -> Ready:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            return super().select(None)
        if self._threads():
            return self._wait_really(timeout)
        ready = self._last_look(timeout)
        if not ready:
            self._jump(timeout)
        return ready

    def _last_look(self, timeout: float) -> Ready:
        if timeout >= LONG_JUMP_SECONDS:
            return super().select(GRACE_SECONDS)
        _yield_processor()
        return super().select(0)

    def _wait_really(self, timeout: float) -> Ready:
        started = time.monotonic()
        ready = super().select(min(timeout, THREAD_POLL_SECONDS))
        self._jump(min(time.monotonic() - started, timeout))
        return ready


def _yield_processor() -> None:
    if hasattr(os, "sched_yield"):
        os.sched_yield()


class JumpingLoop(asyncio.SelectorEventLoop):
    """The event loop whose `time()` starts at 0 and jumps; `asyncio.Runner(loop_factory=JumpingLoop)` takes it."""

    def __init__(self) -> None:
        self._elapsed = 0.0
        self._threads = 0
        super().__init__(_JumpingSelector(self._advance, lambda: self._threads))
        self._clock_resolution = RESOLUTION_SECONDS

    def time(self) -> float:
        """Return the seconds that have passed on this loop."""
        return self._elapsed

    def run_in_executor(
        self,
        executor: concurrent.futures.Executor | None,
        func: Callable[[Unpack[Positional]], T],
        *args: *Positional,
    ) -> asyncio.Future[T]:
        """Run `func` in a thread; until it is done, time passes as on the wall."""
        future = super().run_in_executor(executor, func, *args)
        self._threads += 1
        future.add_done_callback(self._thread_ended)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 asyncio names it
        """Wait for the threads, really; `timeout` (seconds) counts where this Python knows it."""
        self._threads += 1
        try:
            if sys.version_info >= (3, 12):
                await super().shutdown_default_executor(timeout)
            else:
                await super().shutdown_default_executor()
        finally:
            self._threads -= 1

    def _advance(self, seconds: float) -> None:
        self._elapsed += seconds

    def _thread_ended(self, _: asyncio.Future[Any]) -> None:
        self._threads -= 1


def run_jumping(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run `main()` on a new jumping loop, clean it up, and return the result."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main())


def jumping(test: Callable[Arguments, Coroutine[Any, Any, T]]) -> Callable[Arguments, T]:
    """Make a coroutine function an ordinary one that runs on a jumping loop: a decorator for tests."""

    @functools.wraps(test)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> T:
        return run_jumping(lambda: test(*args, **kwargs))

    return run
