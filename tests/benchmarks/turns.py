"""Turns over the bare HTTP calls that they are made of; durable writes are included."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx

from hermes_tui.core.acts import ResetChain, ResetCooldown
from hermes_tui.core.credential import CredentialKey
from hermes_tui.engine.fleet import Fleet
from tests.benchmarks.measuring import Figure, Spent, Watch, overhead
from tests.benchmarks.provider import provider
from tests.benchmarks.staging import PRIMARY, configure, started

SESSIONS: Final = tuple(f"session-{number:02}" for number in range(20))
TURNS: Final = 15
DAY_SECONDS: Final = 86400
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
    async with _program(first, second) as (fleet, client):
        for session in SESSIONS:
            await _call(client, first, 1)
            await _turn(fleet, session)
            for turn in range(2, TURNS + 2):
                bare.append(await _timed(_call(client, first, turn)))
                ours.append(await _timed(_turn(fleet, session)))
    return overhead("a clean turn over one httpx call", ours, bare, goal_seconds=CLEAN_GOAL_SECONDS)


async def _switch(first: str, second: str) -> Figure:
    ours: list[Spent] = []
    bare: list[Spent] = []
    refusing = f"{first}/limited/{DAY_SECONDS}"
    async with _program(refusing, second) as (fleet, client):
        for session in SESSIONS:
            for turn in range(1, TURNS + 2):
                bare.append(await _timed(_calls(client, refusing, second, turn)))
                ours.append(await _timed(_turn(fleet, session)))
                await fleet.execute(ResetCooldown(CredentialKey(PRIMARY, "key-00")))
                await fleet.execute(ResetChain(session))
    return overhead("a turn with a 429 and a switch over two", ours, bare, goal_seconds=SWITCH_GOAL_SECONDS)


@asynccontextmanager
async def _program(primary: str, fallback: str) -> AsyncIterator[tuple[Fleet, httpx.AsyncClient]]:
    """Run our fleet, and a bare client that is kept open."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = configure(folder, primary, fallback, sessions=len(SESSIONS))
        async with started(config, folder / "state") as fleet, httpx.AsyncClient() as client:
            yield fleet, client


async def _timed(work: Coroutine[object, object, None]) -> Spent:
    watch = Watch()
    await work
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
