"""Turns of a real Hermes with the bridge inside: nobody asks, the screen asks, and all that a bridge should bear.

Beside them turns of the same release without the bridge, one after another while the same happens on the machine.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from statistics import median
from typing import Final

from hermes_tui.bridge.live import LiveHome
from hermes_tui.hermes.watching import ASK_SECONDS
from hermes_tui.simulator import Simulator
from tests.benchmarks.measuring import Figure, milliseconds, percentile, ratio_of, times
from tests.benchmarks.plan import Plan
from tests.bridge.bridged import put_bridge
from tests.hermes.lab.agent import Agent, running_agent
from tests.hermes.lab.environments import Build
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import make_world

QUIET_GOAL: Final = 1.1
BOTHERED_GOAL: Final = 1.5


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure both releases."""
    rounds, requests = plan.of((60, 10_000), (20, 4_000), (1, 20))
    for build in plan.of(tuple(Build), tuple(Build), (Build.HERMES_19,)):
        with tempfile.TemporaryDirectory() as folder:
            yield from asyncio.run(_figures(build, Path(folder), rounds, requests))


async def _figures(build: Build, folder: Path, rounds: int, requests: int) -> list[Figure]:
    async with Simulator(make_world()) as simulator, AsyncExitStack() as stack:
        homes = [folder / "with", folder / "without"]
        for home in homes:
            make_home(home, build, simulator.base_url, fallback=Fallback.POOLED, logins=["work"])
        put_bridge(homes[0])
        agents = [await stack.enter_async_context(running_agent(build, home, plugins=True)) for home in homes]
        for agent in agents * 2:  # a first turn loads what the others use
            await _turn(agent)
        figures = [await _figure(build, "nobody asks the bridge", agents, rounds, QUIET_GOAL)]
        async with _asked(homes[0]):
            figures.append(await _figure(build, "the screen asks it", agents, rounds, QUIET_GOAL))
        async with _bothered(homes[0], requests):
            figures.append(
                await _figure(build, f"while it bears {requests:,} questions and worse", agents, rounds, BOTHERED_GOAL)
            )
        return figures


async def _figure(build: Build, what: str, agents: list[Agent], rounds: int, goal: float) -> Figure:
    ours: list[float] = []
    without: list[float] = []
    for _ in range(rounds):
        for agent, samples in zip(agents, (ours, without), strict=True):
            samples.append(await _turn(agent))
    own, bare = median(ours), median(without)
    return Figure(
        f"a turn of {build.requirement}, {what}",
        milliseconds(own),
        f"≤ {times(goal)}",
        f"{ratio_of(own, bare)}, p95 {milliseconds(percentile(ours, 0.95))}",
        own <= goal * bare,
        milliseconds(bare),
        ratio_of(own, bare),
        others=f"p95 without it {milliseconds(percentile(without, 0.95))}",
    )


async def _turn(agent: Agent) -> float:
    await agent.forget()
    began = time.perf_counter()
    told = await agent.turn("And then?")
    assert not told["failed"]
    return time.perf_counter() - began


@asynccontextmanager
async def _asked(home: Path) -> AsyncIterator[None]:
    """Ask as the screen does."""

    async def ask() -> None:
        with closing(LiveHome(home)) as live:
            while True:
                assert len((await asyncio.to_thread(live.look)).agents) == 1
                await asyncio.sleep(ASK_SECONDS)

    asking = asyncio.create_task(ask())
    yield
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking


@asynccontextmanager
async def _bothered(home: Path, requests: int) -> AsyncIterator[None]:
    """Let another process bother the bridge; each of its questions is answered."""
    with closing(LiveHome(home)) as live:
        (process,) = live.look().processes
    words = ("-m", "tests.bridge.bothering", str(home), str(process.pid), str(requests))
    bothering = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    yield
    answered, _ = await bothering.communicate()
    assert int(answered) == requests
