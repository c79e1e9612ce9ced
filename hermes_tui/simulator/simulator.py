"""The simulator: a world behind a loopback server, and the timeline that changes it."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Self

from hermes_tui.simulator.app import Endpoints
from hermes_tui.simulator.building import build_world
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.scenario import Moment, Scenario
from hermes_tui.simulator.server import LoopbackServer
from hermes_tui.simulator.serving import Sleep
from hermes_tui.simulator.world import World


class Simulator:
    """Serves a scenario, or a world made by hand, on loopback while its context is open.

    `now` returns epoch seconds and `sleep` waits seconds of the same clock, so a scenario plays as fast as that
    clock runs. What the timeline says at 0 is true before the first request.
    """

    def __init__(
        self,
        source: Scenario | World,
        *,
        now: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
        port: int = 0,
    ) -> None:
        self.scenario = source if isinstance(source, Scenario) else None
        self.world = source if isinstance(source, World) else build_world(source, now=now)
        self.requests: list[LoggedRequest] = []
        self.started_at = now()
        self._now = now
        self._sleep = sleep
        endpoints = Endpoints(self.world, self.requests, sleep)
        self._server = LoopbackServer(endpoints.application(), port)
        self._stack = AsyncExitStack()
        self._playing: asyncio.Task[None] | None = None

    @property
    def base_url(self) -> str:
        """The address that `Scenario.configuration_for` takes; known once the context is open."""
        return self._server.base_url

    async def __aenter__(self) -> Self:
        self.started_at = self._now()
        timeline = sorted(self.scenario.timeline, key=lambda moment: moment.at) if self.scenario else []
        for moment in timeline:
            if moment.at <= 0:
                self._happen(moment)
        await self._stack.enter_async_context(self._server)
        later = [moment for moment in timeline if moment.at > 0]
        self._playing = asyncio.create_task(self._play(later), name="simulator timeline")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        playing = self._playing
        if playing is not None:
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([playing])
        await self._stack.aclose()
        if playing is not None and not playing.cancelled() and (fault := playing.exception()) is not None:
            raise fault

    async def play(self) -> None:
        """Wait until the whole timeline has happened; raises what went wrong in it."""
        if self._playing is not None:
            await asyncio.shield(self._playing)

    async def wait_until(self, seconds: float) -> None:
        """Wait until `seconds` after the start, on the simulator's clock: for a driver of `planned_turns`."""
        while (left := self.started_at + seconds - self._now()) > 0:
            await self._sleep(left)

    async def _play(self, timeline: Sequence[Moment]) -> None:
        for moment in timeline:
            await self.wait_until(moment.at)
            self._happen(moment)

    def _happen(self, moment: Moment) -> None:
        for action in moment.actions:
            self.world.apply(action)
