"""A crowd that streams: drops, the lag of the loop, CPU and memory, beside bare clients and the router."""

from collections.abc import Iterator
from typing import Final

from tests.benchmarks.crowd import PAUSE_SECONDS, RATE, crowd
from tests.benchmarks.measuring import MIB, Figure, mebibytes, microseconds, milliseconds, ratio_of
from tests.benchmarks.plan import NOT_INSTALLED, Plan
from tests.benchmarks.provider import provider

LAG_GOAL_SECONDS: Final = 0.05
CPU_GOAL: Final = 1.0
MEMORY_GOAL_MIB: Final = 150
ROUTER_STREAMS: Final = 20
ROUTER_TOKENS: Final = 100


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure sessions that stream at once, all in one process, against a provider in another."""
    count, seconds = plan.of((1000, 5), (200, 3), (2, 0.3))
    tokens = int((PAUSE_SECONDS * count + seconds) * RATE)
    with provider() as (first, _):
        paced = f"{first}/paced/{RATE}/{tokens}"
        ours, bare = crowd("ours", count, tokens, paced), crowd("bare", count, tokens, paced)
        others = _by_router(plan, first)
    name = f"{count:,} sessions, {RATE} tokens/s each"
    share, bare_share = ours.cpu * count * RATE, bare.cpu * count * RATE
    whole = f"{ours.complete:,} of {count:,}, the last {ours.late:.1f} s late"
    yield Figure(
        f"{name}: complete replies",
        whole,
        "no drop",
        whole,
        ours.complete == count,
        f"{bare.complete:,}, {bare.late:.1f} s late",
    )
    yield Figure(
        f"{name}: loop lag p99",
        milliseconds(ours.lag),
        f"≤ {milliseconds(LAG_GOAL_SECONDS)}",
        milliseconds(ours.lag),
        ours.lag <= LAG_GOAL_SECONDS,
        milliseconds(bare.lag),
    )
    yield Figure(
        f"{name}: CPU",
        f"{share:.0%}",
        f"≤ {CPU_GOAL:.0%} of a core",
        f"{share:.0%}, {microseconds(ours.cpu)} a token",
        share <= CPU_GOAL,
        f"{bare_share:.0%}",
        ratio_of(ours.cpu, bare.cpu),
        f"{share:.0%}",
        f"{bare_share:.0%}",
        others,
    )
    yield Figure(
        f"{name}: memory",
        mebibytes(ours.memory),
        f"≤ {MEMORY_GOAL_MIB} MiB",
        mebibytes(ours.memory),
        ours.memory <= MEMORY_GOAL_MIB * MIB,
        mebibytes(bare.memory),
        ratio_of(ours.memory, bare.memory),
        others=f"LiteLLM at its import {mebibytes(plan.router.memory) if plan.router else NOT_INSTALLED}",
    )


def _by_router(plan: Plan, base_url: str) -> str:
    if plan.router is None:
        return f"LiteLLM Router: {NOT_INSTALLED}"
    answer = plan.router.ask("streams", f"{base_url}/paced/{RATE}/{ROUTER_TOKENS}", ROUTER_STREAMS)
    return f"LiteLLM Router, {ROUTER_STREAMS} streams: {microseconds(answer['cpu'] / answer['tokens'])} a token"
