"""A host of sessions that run in the made-up Hermes."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from hermes_tui.core.text import PlainText
from hermes_tui.gateway.host import GatewayHost
from hermes_tui.gateway.launching import Launch
from hermes_tui.gateway.values import Hosted

FAKE = Path(__file__).with_name("fake.py")
PATIENCE_SECONDS = 20.0


class Running:
    """A host with what it told."""

    def __init__(self, mode: str, folder: Path, *, start_seconds: float, patience_seconds: float) -> None:
        self.changes = 0
        self.prompted: list[str] = []
        self.lost: list[tuple[str, PlainText]] = []
        launch = Launch((sys.executable, str(FAKE), mode), {"PATH": os.defpath}, folder)
        self.host = GatewayHost(
            launch,
            time.time,
            self._change,
            lambda one, why: self.lost.append((one.conversation, why)),
            start_seconds=start_seconds,
            patience_seconds=patience_seconds,
        )

    def _change(self) -> None:
        self.changes += 1
        for one in self.host.sessions().values():
            if one.said and one.said[0].text not in self.prompted[-1:]:
                self.prompted.append(one.said[0].text)

    @property
    def one(self) -> Hosted:
        (found,) = self.host.sessions().values()
        return found

    async def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert time.monotonic() < deadline, self.host.sessions()
            await asyncio.sleep(0.01)

    async def say(self, prompt: str) -> str:
        """Run a turn in a session that is there; return the reply."""
        conversation = self.one.conversation
        await self.host.prompt(conversation, prompt)
        await self.until(lambda: not self.one.in_turn and not self.one.queued)
        return self.one.said[-1].text


@asynccontextmanager
async def running(
    mode: str, folder: Path, *, start_seconds: float = PATIENCE_SECONDS, patience_seconds: float = PATIENCE_SECONDS
) -> AsyncIterator[Running]:
    run = Running(mode, folder, start_seconds=start_seconds, patience_seconds=patience_seconds)
    try:
        yield run
    finally:
        await run.host.end()
