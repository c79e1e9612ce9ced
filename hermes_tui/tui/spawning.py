"""A session's coroutine as a Textual worker."""

import asyncio
import contextlib

from textual.worker import Worker, WorkerCancelled, WorkerFailed


class Spawned:
    """A worker as the engine knows it: something that runs, can be cancelled and waited for."""

    def __init__(self, worker: Worker[None]) -> None:
        self._worker = worker

    def cancel(self) -> None:
        """Ask it to end."""
        self._worker.cancel()

    async def wait(self) -> None:
        """Wait until it has ended, however it ends; to give up waiting does not end it."""
        waiting = asyncio.ensure_future(self._worker.wait())
        with contextlib.suppress(WorkerFailed, WorkerCancelled):
            await asyncio.shield(waiting)
