"""The herd at the end of a cooldown: how many calls a primary that still fails has to refuse.

Real requests against the simulator, on a loop whose time jumps. All sessions begin a turn at the same moment.
"""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Final

import httpx

from hermes_tui.simulator.loop import run_jumping
from tests.benchmarks.measuring import Figure
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.benchmarks.provider import provider
from tests.engine.theatre import Theatre, scenario, theatre

PRIMARY: Final = "openai-codex"
RESET_SECONDS: Final = 3600.0
INTERVAL_SECONDS: Final = 300.0
LATENCY_SECONDS: Final = 0.2
CALLS_GOAL: Final = 1
ROUTER_CALLS: Final = 100
ROUTER_COOLDOWN_SECONDS: Final = 1.0


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure calls per interval where the date has come, and before it where the probe says quota all along."""
    sessions, intervals = plan.of(1000, 200, 3), plan.of(6, 6, 2)
    at_date, *_ = run_jumping(partial(_refused, sessions, 1, lying=False))
    yield _figure(
        f"{sessions:,} sessions, the primary still fails at its date: calls", at_date, sessions, _by_router(plan)
    )
    lied = run_jumping(partial(_refused, sessions, intervals, lying=True))
    yield _figure(f"{sessions:,} sessions, a lying probe: most calls of {intervals} intervals", max(lied), sessions)


def _figure(name: str, calls: int, sessions: int, others: str = "") -> Figure:
    words = f"{calls:,} of {sessions:,}"
    return Figure(name, words, f"≤ {CALLS_GOAL} per interval", words, calls <= CALLS_GOAL, others=others)


async def _refused(sessions: int, intervals: int, *, lying: bool) -> list[int]:
    """Bench the primary, then let every session take a turn per interval; return the primary's calls in each."""
    async with theatre(scenario("backup/small", primary=f"{PRIMARY}/gpt", sessions=sessions)) as on:
        _fail(on, lying=lying)
        on.pace(PRIMARY, latency=LATENCY_SECONDS)
        await on.turn("s1")
        await _all(on, sessions)
        if not lying:
            await on.clock.sleep(RESET_SECONDS)
        calls = []
        for _ in range(intervals):
            await on.clock.sleep(INTERVAL_SECONDS)
            _fail(on, lying=lying)
            before = on.calls(PRIMARY)
            await _all(on, sessions)
            calls.append(on.calls(PRIMARY) - before)
        return calls


def _fail(on: Theatre, *, lying: bool) -> None:
    on.limit(PRIMARY, resets_in=RESET_SECONDS)
    if lying:
        on.lie()


async def _all(on: Theatre, sessions: int) -> None:
    answered = await asyncio.gather(*(on.turn(f"s{number}") for number in range(1, sessions + 1)))
    assert all(answered)


def _by_router(plan: Plan) -> str:
    if plan.router is None:
        return f"LiteLLM Router: {NOT_INSTALLED}"
    with provider() as (first, second):
        limited = f"{first}/limited/{ROUTER_COOLDOWN_SECONDS:.0f}"
        plan.router.ask("herd", limited, second, ROUTER_CALLS, ROUTER_COOLDOWN_SECONDS)
        refused = httpx.get(first, trust_env=False).json()
    return f"LiteLLM Router {refused - 1} of {ROUTER_CALLS}"
