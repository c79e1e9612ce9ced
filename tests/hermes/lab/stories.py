"""What happened in the homes that the tests read: each is played by a real agent, against a provider that obeys."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from hermes_tui.simulator import Mode, Reopen, SetMode, SetUsage, Simulator, UsageMode, World
from tests.hermes.lab.agent import Agent, running_agent
from tests.hermes.lab.environments import Build
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import DAY, PRIMARY, make_world

OUT_FOR_SECONDS: Final = 2 * DAY
BETWEEN_TURNS_SECONDS: Final = 301.0
"""Longer than any of an agent's own waits: 300 s between two looks at the quota, 60 s on the fallback of 0.19."""

LIES: Final = 3

Play = Callable[[Agent, World], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Story:
    """What a home is like, and what happens in it; `ends` tells that its session is closed afterwards."""

    play: Play
    fallback: Fallback = Fallback.POOLLESS
    logins: tuple[str, ...] = ("work",)
    ends: bool = False


async def _runs_out(agent: Agent, world: World) -> None:
    await agent.turn("What is left to do?")
    world.apply(SetMode(provider=PRIMARY, mode=Mode.USAGE_LIMIT, resets_in=OUT_FOR_SECONDS))
    await agent.turn("And then?")


async def _quota_out(agent: Agent, world: World) -> None:
    await _runs_out(agent, world)
    await agent.turn("And after that?")
    await agent.turn("Thank you.")


async def _lying(agent: Agent, world: World) -> None:
    world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.LIES, used_percent=5.0))
    await _runs_out(agent, world)
    for number in range(LIES):
        await agent.let_pass(BETWEEN_TURNS_SECONDS)
        await agent.turn(f"Try it once more, {number}.")


async def _two(agent: Agent, world: World) -> None:
    world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.LIES, used_percent=5.0))
    await _runs_out(agent, world)


async def _comes_back(agent: Agent, world: World) -> None:
    await _runs_out(agent, world)
    world.apply(Reopen(provider=PRIMARY))
    await agent.let_pass(BETWEEN_TURNS_SECONDS)
    await agent.turn("Is it back?")


async def _dead(agent: Agent, world: World) -> None:
    await agent.turn("What is left to do?")
    world.apply(SetMode(provider=PRIMARY, mode=Mode.REVOKED))
    await agent.turn("And then?")


STORIES: Final[Mapping[str, Story]] = {
    "quota_out": Story(_quota_out, Fallback.POOLED),
    "poolless": Story(_quota_out),
    "lying": Story(_lying),
    "two": Story(_two, logins=("work", "home"), ends=True),
    "restored": Story(_comes_back),
    "stuck": Story(_comes_back, Fallback.POOLED),
    "dead": Story(_dead, ends=True),
}


async def play(name: str, build: Build, home: Path) -> None:
    """Make `home`, and let the story happen in it; beside it lies a record of what was asked and said (`.json`)."""
    story = STORIES[name]
    async with Simulator(make_world()) as simulator:
        make_home(home, build, simulator.base_url, fallback=story.fallback, logins=story.logins)
        async with running_agent(build, home) as agent:
            await story.play(agent, simulator.world)
            state = await agent.state()
            await (agent.end() if story.ends else agent.leave())
    requests = [asdict(request) for request in simulator.requests]
    record: dict[str, Any] = {"state": state, "turns": agent.turns, "requests": requests}
    home.with_name(f"{home.name}.json").write_text(json.dumps(record, indent=2))
