"""A real agent with the bridge inside, its provider, and a client that talks to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hermes_tui.bridge import installation
from hermes_tui.bridge.live import LiveHome
from hermes_tui.bridge.values import Act, Live, LiveAgent
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.plugins import with_plugin
from hermes_tui.simulator import Mode, Reopen, SetMode, SetPace, SetUsage, Simulator, UsageMode
from tests.hermes.lab.agent import Agent, running_agent
from tests.hermes.lab.environments import Build
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import BACKUP, BACKUP_KEY, DAY, PRIMARY, make_world

ON_PRIMARY: Final = f"of gpt-5.5 by {PRIMARY}."
ON_FALLBACK: Final = f"of small by {BACKUP}."


@dataclass
class Bridged:
    """An agent of the lab that has had one turn on its primary."""

    build: Build
    agent: Agent
    home: Path
    configuration: str
    simulator: Simulator
    live: LiveHome

    async def say(self) -> str:
        """Run a turn; return its reply."""
        return str((await self.agent.turn("And then?"))["reply"])

    async def look(self) -> Live:
        return await asyncio.to_thread(self.live.look)

    async def where(self) -> LiveAgent:
        """Return where the session stands."""
        (agent,) = (await self.look()).agents
        return agent

    async def do(self, act: Act) -> PlainText:
        return await asyncio.to_thread(self.live.execute, act, await self.where())

    async def come_home(self) -> None:
        """Have everything as it was after the first turn: on the primary, nothing waiting, the chain of the file."""
        world = self.simulator.world
        world.apply(Reopen(provider=PRIMARY))
        world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.HONEST))
        world.apply(SetPace(provider=BACKUP, latency=0, tokens_per_second=0))
        (self.home / "config.yaml").write_text(self.configuration)
        await self.do(Act.RESET_CHAIN)
        if (await self.where()).on_fallback:
            await self.do(Act.FORCE_RESTORE)
        assert ON_PRIMARY in await self.say()
        home = await self.where()
        assert (home.position, len(home.chain), home.cooldown_until) == (0, 1, None)

    def run_out(self) -> None:
        self.simulator.world.apply(SetMode(provider=PRIMARY, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY))

    def asked(self) -> list[tuple[str, int | None]]:
        """Return the requests to models so far, with how they were answered."""
        return [
            (request.path.rpartition("/")[2], request.status)
            for request in self.simulator.requests
            if request.path.endswith(("/responses", "/chat/completions"))
        ]


@asynccontextmanager
async def bridged(build: Build, home: Path) -> AsyncIterator[Bridged]:
    """Yield a real agent at work in a new home with the bridge; it ends as a program does that is closed.

    Its fallback has a pool of its own.
    """
    async with Simulator(make_world()) as simulator:
        make_home(home, build, simulator.base_url, fallback=Fallback.POOLED, logins=["work"])
        put_bridge(home)
        async with running_agent(build, home, plugins=True) as agent:
            one = Bridged(build, agent, home, (home / "config.yaml").read_text(), simulator, LiveHome(home))
            assert ON_PRIMARY in await one.say()
            yield one
            one.live.close()
            await agent.end()
    assert list((home / "run").iterdir()) == []


def put_bridge(home: Path) -> None:
    installation.install(home)
    file = home / "config.yaml"
    file.write_bytes(with_plugin(file.read_bytes(), file, installation.NAME))


SECOND = """\
fallback_providers:
  - provider: custom
    model: small
    base_url: {address}/{backup}/v1
    api_key: {key}
    context_length: 200000
  - provider: custom:{backup}
    model: small
    context_length: 200000
"""


def with_second_entry(one: "Bridged") -> None:
    """Put another entry before the one that the chain in the file has."""
    file = one.home / "config.yaml"
    before, _, rest = file.read_text().partition("fallback_providers:\n")
    _, _, others = rest.partition("custom_providers:")
    second = SECOND.format(address=one.simulator.base_url, backup=BACKUP, key=BACKUP_KEY)
    file.write_text(f"{before}{second}custom_providers:{others}")
