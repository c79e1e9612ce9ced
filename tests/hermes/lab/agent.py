"""An agent of the lab, from our side: a process to give turns to."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from tests.hermes.lab.environments import Build, interpreter

INSIDE: Final = Path(__file__).parent / "inside"
"""What runs with the interpreter of Hermes."""

PATIENCE_SECONDS: Final = 120.0


class AgentError(Exception):
    """The agent ended, or did not answer in time; the message is what its process said last."""


class Agent:
    """A running agent. `turns` holds the answers to all turns, which `inside/driver.py` describes."""

    def __init__(self, process: asyncio.subprocess.Process, complaints: Path) -> None:
        self.turns: list[dict[str, Any]] = []
        self._process = process
        self._complaints = complaints

    async def turn(self, prompt: str) -> dict[str, Any]:
        """Run a turn."""
        self.turns.append(await self._ask({"do": "turn", "prompt": prompt}))
        return self.turns[-1]

    async def forget(self) -> None:
        """Let it forget what was said, so that each turn takes what a first one takes."""
        await self._ask({"do": "forget"})

    async def let_pass(self, seconds: float) -> dict[str, Any]:
        """Let so much time have passed since the last turn, for all that the agent knows; return its live fields."""
        return await self._ask({"do": "pass", "seconds": seconds})

    async def take_chain(self) -> dict[str, Any]:
        """Let it read its chain again as a session in a terminal does before each turn; return its live fields."""
        return await self._ask({"do": "take chain"})

    async def state(self) -> dict[str, Any]:
        """Return the live fields."""
        return await self._ask({"do": "state"})

    async def end(self) -> None:
        """Let it end its session as a program does that is closed, and wait for its process."""
        await self._ask({"do": "end"})
        await self._process.wait()

    async def leave(self) -> None:
        """Let it write out what it knows and be gone, with its session open, and wait for its process."""
        await self._ask({"do": "leave"})
        await self._process.wait()

    async def answer(self) -> dict[str, Any]:
        """Return the next answer; raises AgentError where none comes."""
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE_SECONDS)
        except TimeoutError as error:
            raise AgentError(f"no answer in {PATIENCE_SECONDS:.0f} s:\n{self._complaints.read_text()}") from error
        if not line:
            raise AgentError(self._complaints.read_text())
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _ask(self, order: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return await self.answer()


@asynccontextmanager
async def running_agent(build: Build, home: Path, *, plugins: bool = False) -> AsyncIterator[Agent]:
    """Yield an agent at work in `home`, with the home's plugins if they are wanted; afterwards it is gone.

    Whoever neither lets it end nor leave has it killed. What it complains of lies beside the home (`.stderr`).
    """
    complaints = home.with_name(f"{home.name}.stderr")
    with complaints.open("wb") as told:
        process = await asyncio.create_subprocess_exec(
            interpreter(build),
            "-P",
            INSIDE / "driver.py",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=told,
            cwd=home,
            env=hermes_environment(home, plugins=plugins),
        )
    agent = Agent(process, complaints)
    try:
        await agent.answer()
        yield agent
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def hermes_environment(home: Path, *, plugins: bool = False) -> dict[str, str]:
    """Return the environment of any program of Hermes in the lab: its own home, nothing beyond loopback.

    It has no plugins unless they are wanted.

    Of this process' own it has the time zone alone, in which its log is written.
    """
    zone = {name: value for name, value in os.environ.items() if name == "TZ"}
    home_alone = {"HERMES_HOME": str(home), "HOME": str(home.parent)} | ({} if plugins else {"HERMES_SAFE_MODE": "1"})
    return {**zone, **home_alone, "PYTHONPATH": str(INSIDE), "PATH": os.defpath}
