"""Sessions as tasks of a headless program."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

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

    def spawn(self, name: str, work: Coroutine[object, object, None]) -> Task:
        """Start `work` under `name`."""
        task = asyncio.get_running_loop().create_task(cast("Coroutine[Any, Any, None]", work), name=name)
        task.add_done_callback(self._ended)
        return Task(task)

    async def unless_failed(self, work: asyncio.Future[T]) -> T:
        """Return what `work` brings; raises the error of a session that ended with one before."""
        await asyncio.wait((work, self.failed), return_when=asyncio.FIRST_COMPLETED)
        if self.failed.done():
            self.failed.result()
        return await work

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or self.failed.done():
            return
        error = task.exception()
        if error is not None:
            self.failed.set_exception(error)
