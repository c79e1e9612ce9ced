"""Turns over the bare HTTP calls that they are made of; durable writes are included."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from hermes_tui.core.acts import ResetChain, ResetCooldown
from hermes_tui.core.credential import CredentialKey
from hermes_tui.engine.fleet import Fleet
from hermes_tui.providers.transport import make_client
from tests.benchmarks.measuring import Figure, Spent, Watch, middle, milliseconds, overhead
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.benchmarks.provider import provider
from tests.benchmarks.router import Router
from tests.benchmarks.staging import PRIMARY, configure, names, started

DAY_SECONDS: Final = 86400
PROMPT: Final = "Go on."
ANSWER: Final = "".join(f"token {n} " for n in range(8))

CLEAN_GOAL_SECONDS: Final = 0.0003
SWITCH_GOAL_SECONDS: Final = 0.001


@dataclass(frozen=True, slots=True)
class Work:
    """How many sessions play how many turns each; the router takes part in the last so many of them."""

    sessions: int
    turns: int
    by_router: int


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure a clean turn, and a turn with a 429 and a switch."""
    work = plan.of(Work(20, 15, 3), Work(5, 10, 2), Work(1, 2, 1))
    with provider() as hosts:
        yield asyncio.run(_clean(work, plan.router, *hosts))
        yield asyncio.run(_switch(work, plan.router, *hosts))


async def _clean(work: Work, router: Router | None, first: str, second: str) -> Figure:
    ours: list[Spent] = []
    bare: list[Spent] = []
    routed: list[Spent] = []
    _warm_up(router, first, second)
    async with _program(first, second, work.sessions) as (fleet, client):
        for session in names(work.sessions):
            await _call(client, first, 1)
            await _turn(fleet, session)
            for turn in range(2, work.turns + 2):
                bare.append(await _timed(_call(client, first, turn)))
                ours.append(await _timed(_turn(fleet, session)))
                if router is not None and turn >= work.turns + 2 - work.by_router:
                    routed.append(router.timed("turn", first, second, _said(turn)))
    others = _by_router(routed, bare)
    return overhead("a clean turn over one httpx call", ours, bare, goal_seconds=CLEAN_GOAL_SECONDS, others=others)


async def _switch(work: Work, router: Router | None, first: str, second: str) -> Figure:
    ours: list[Spent] = []
    bare: list[Spent] = []
    new: list[Spent] = []
    routed: list[Spent] = []
    refusing = f"{first}/limited/{DAY_SECONDS}"
    _warm_up(router, refusing, second)
    async with _program(refusing, second, work.sessions) as (fleet, client):
        for session in names(work.sessions):
            for turn in range(1, work.turns + 2):
                bare.append(await _timed(_calls(client, refusing, second, turn)))
                ours.append(await _timed(_turn(fleet, session)))
                new.append(await _timed(_calls_by_new_clients(refusing, second, turn)))
                if router is not None and turn >= work.turns + 2 - work.by_router:
                    routed.append(router.timed("turn", refusing, second, _said(turn)))
                await fleet.execute(ResetCooldown(CredentialKey(PRIMARY, "key-00")))
                await fleet.execute(ResetChain(session))
    afresh = middle(new)
    others = f"a new client for each call (M6) {milliseconds(afresh.wall)} (CPU {milliseconds(afresh.cpu)}); "
    others += _by_router(routed, bare)
    return overhead(
        "a turn with a 429 and a switch over two", ours, bare, goal_seconds=SWITCH_GOAL_SECONDS, others=others
    )


def _warm_up(router: Router | None, primary: str, fallback: str) -> None:
    """Let the router do once what it does the first time only."""
    if router is not None:
        router.ask("turn", primary, fallback, _said(1))


def _by_router(routed: Sequence[Spent], bare: Sequence[Spent]) -> str:
    if not routed:
        return f"LiteLLM Router: {NOT_INSTALLED}"
    own, other = middle(routed), middle(bare)
    return (
        f"LiteLLM Router {milliseconds(own.wall)}, {milliseconds(own.wall - other.wall)} more "
        f"(CPU {milliseconds(own.cpu - other.cpu)})"
    )


@asynccontextmanager
async def _program(primary: str, fallback: str, sessions: int) -> AsyncIterator[tuple[Fleet, httpx.AsyncClient]]:
    """Run our fleet, and a bare client that is kept open."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = configure(folder, primary, fallback, sessions=sessions)
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


async def _calls_by_new_clients(refusing: str, answering: str, turn: int) -> None:
    async with make_client() as client:
        await _call(client, refusing, turn, status=429)
    async with make_client() as client:
        await _call(client, answering, turn)


def _said(turn: int) -> list[dict[str, str]]:
    """Return what a session sends at its `turn`: the whole conversation."""
    said = {"role": "user", "content": PROMPT}, {"role": "assistant", "content": ANSWER}
    return [*(said * (turn - 1)), said[0]]


async def _call(client: httpx.AsyncClient, base_url: str, turn: int, *, status: int = 200) -> None:
    """Send what a session sends at its `turn`, and read the reply to its end."""
    body = {"model": "large", "messages": _said(turn), "stream": True, "stream_options": {"include_usage": True}}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer benchmark-key"}
    async with client.stream(
        "POST", f"{base_url}/chat/completions", content=json.dumps(body).encode(), headers=headers
    ) as response:
        assert response.status_code == status
        async for _ in response.aiter_raw():
            pass
