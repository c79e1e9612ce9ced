"""Turns over the bare HTTP calls that they are made of; durable writes are included."""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final

import httpx

from hermes_tui.core.acts import ResetChain, ResetCooldown
from hermes_tui.core.credential import CredentialKey
from hermes_tui.engine.fleet import Fleet
from tests.benchmarks.measuring import Figure, Spent, Watch, overhead
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import PRIMARY, configure, started

SESSIONS: Final = 20
TURNS: Final = 15
PROMPT: Final = "Go on."
ANSWER: Final = "".join(f"token {n} " for n in range(8))

CLEAN_GOAL_SECONDS: Final = 0.0003
SWITCH_GOAL_SECONDS: Final = 0.001


def measure() -> Iterator[Figure]:
    """Measure a clean turn, and a turn with a 429 and a switch."""
    with provider() as hosts:
        yield asyncio.run(_clean(*hosts))
        yield asyncio.run(_switch(*hosts))


async def _clean(first: str, second: str) -> Figure:
    ours: list[Spent] = []
    bare: list[Spent] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = configure(folder, first, second, sessions=SESSIONS)
        async with started(config, folder / "state") as fleet, httpx.AsyncClient() as client:
            for number in range(SESSIONS):
                session = f"session-{number:02}"
                await _warm(lambda: _turn(fleet, session), lambda: _call(client, first, 1))  # noqa: B023
                for turn in range(2, TURNS + 2):
                    bare.append(await _timed(lambda: _call(client, first, turn)))  # noqa: B023
                    ours.append(await _timed(lambda: _turn(fleet, session)))  # noqa: B023
    return overhead("a clean turn over one httpx call", ours, bare, goal_seconds=CLEAN_GOAL_SECONDS)


async def _switch(first: str, second: str) -> Figure:
    ours: list[Spent] = []
    bare: list[Spent] = []
    limited = f"{first}/limited/100000"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = configure(folder, limited, second, sessions=SESSIONS)
        async with started(config, folder / "state") as fleet, httpx.AsyncClient() as client:
            for number in range(SESSIONS):
                session = f"session-{number:02}"
                for turn in range(1, TURNS + 2):
                    both = (await _timed(lambda: _calls(client, limited, second, turn)),)  # noqa: B023
                    own = (await _timed(lambda: _turn(fleet, session)),)  # noqa: B023
                    if turn > 1:
                        bare += both
                        ours += own
                    await fleet.execute(ResetCooldown(CredentialKey(PRIMARY, "key-00")))
                    await fleet.execute(ResetChain(session))
    return overhead("a turn with a 429 and a switch over two", ours, bare, goal_seconds=SWITCH_GOAL_SECONDS)


async def _warm(*works: Callable[[], Awaitable[None]]) -> None:
    for work in works:
        await work()


async def _timed(work: Callable[[], Awaitable[None]]) -> Spent:
    watch = Watch()
    await work()
    return watch.spent()


async def _turn(fleet: Fleet, session: str) -> None:
    assert await fleet.prompt(session, PROMPT)


async def _calls(client: httpx.AsyncClient, refusing: str, answering: str, turn: int) -> None:
    await _call(client, refusing, turn, status=429)
    await _call(client, answering, turn)


async def _call(client: httpx.AsyncClient, base_url: str, turn: int, *, status: int = 200) -> None:
    """Send what a session sends at its `turn`, and read the reply to its end."""
    said = {"role": "user", "content": PROMPT}, {"role": "assistant", "content": ANSWER}
    messages = [*(said * (turn - 1)), said[0]]
    body = {"model": "large", "messages": messages, "stream": True, "stream_options": {"include_usage": True}}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer benchmark-key"}
    async with client.stream(
        "POST", f"{base_url}/chat/completions", content=json.dumps(body).encode(), headers=headers
    ) as response:
        assert response.status_code == status
        async for _ in response.aiter_raw():
            pass
