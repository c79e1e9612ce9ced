"""Sessions as tasks of a headless program."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Self, TypeVar, cast

T = TypeVar("T")


class Task:
    """Implements `core.ports.Running` over an asyncio task."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    def cancel(self) -> None:
        """Ask the task to end."""
        self._task.cancel()

    async def wait(self) -> None:
        """Wait until the task has ended, however it ends."""
        await asyncio.wait([self._task])


class TaskSpawner:
    """Implements `core.ports.Spawner`: each session is a task; `failed` holds the first error that ended one."""

    def __init__(self) -> None:
        self.failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Raise the error that ended a session, though nobody waits for it any more."""
        if self.failed.done():
            self.failed.result()

    def spawn(self, name: str, work: Coroutine[object, object, None]) -> Task:
        """Start `work` under `name`."""
        task = asyncio.get_running_loop().create_task(cast("Coroutine[Any, Any, None]", work), name=name)
        task.add_done_callback(self._ended)
        return Task(task)

    async def unless_failed(self, work: asyncio.Future[T]) -> T:
        """Return what `work` brings; gives it up and raises the error of a session that ended with one before."""
        await asyncio.wait((work, self.failed), return_when=asyncio.FIRST_COMPLETED)
        if self.failed.done():
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            self.failed.result()
        return await work

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or self.failed.done():
            return
        error = task.exception()
        if error is not None:
            self.failed.set_exception(error)
