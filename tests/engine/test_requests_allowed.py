"""How many requests a turn may send: whatever it meets, however long the chain and however many keys (M2 ... M9).

The simulator counts; what is allowed is worked out here from the rules. Every route of a chain meets the same.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

import pytest

from hermes_tui.core.configuration import Settings
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.leaving import FAILING_LADDER_SECONDS
from hermes_tui.core.route import ApiMode
from hermes_tui.core.turning import MAX_COMPRESSION_ATTEMPTS
from hermes_tui.simulator.gallery import shapes
from hermes_tui.simulator.mode import Mode
from hermes_tui.simulator.scenario import Scenario
from tests.engine.theatre import Theatre, play, theatre

MAX_RETRIES: Final = Settings().max_retries
QUICK: Final = {
    "backoff_base_seconds": 0.1,
    "backoff_cap_seconds": 0.2,
    "first_token_timeout_seconds": 0.5,
    "idle_timeout_seconds": 0.5,
}
"""So that a turn over the longest chain ends within the hold of its first route."""

SIZES: Final = ((0, 10), (0, 9), (1, 8), (1, 7), (2, 6), (2, 5), (3, 4), (3, 3), (4, 2), (5, 1))
"""Length of the chain, and keys at each of its routes: every length and every number of keys."""

FEW_SIZES: Final = ((0, 1), (1, 3), (5, 2))
"""For one shape among many of its kind, and where each session has a long history first."""

ROTATED: Final = {
    FailureKind.RATE_LIMIT,
    FailureKind.USAGE_LIMIT,
    FailureKind.BILLING,
    FailureKind.AUTH,
    FailureKind.AUTH_REVOKED,
}
RECOVERED: Final = {FailureKind.CONNECTION, FailureKind.TIMEOUT, FailureKind.SERVER_ERROR}
RETRIED: Final = RECOVERED | {
    FailureKind.OVERLOADED,
    FailureKind.INVALID_RESPONSE,
    FailureKind.BLOCKED,
    FailureKind.UNKNOWN,
}
STOPPED: Final = {FailureKind.REFUSED, FailureKind.BAD_REQUEST}

KINDS: Final = {
    Mode.USAGE_LIMIT: FailureKind.USAGE_LIMIT,
    Mode.RATE_LIMIT: FailureKind.RATE_LIMIT,
    Mode.PAYMENT_REQUIRED: FailureKind.BILLING,
    Mode.UNAUTHORIZED: FailureKind.AUTH,
    Mode.REVOKED: FailureKind.AUTH_REVOKED,
    Mode.FORBIDDEN: FailureKind.AUTH,
    Mode.UNKNOWN_MODEL: FailureKind.MODEL_UNAVAILABLE,
    Mode.TOO_LONG: FailureKind.CONTEXT_OVERFLOW,
    Mode.CONTENT_REFUSED: FailureKind.REFUSED,
    Mode.SERVER_ERROR: FailureKind.SERVER_ERROR,
    Mode.UNAVAILABLE: FailureKind.OVERLOADED,
    Mode.OVERLOADED: FailureKind.OVERLOADED,
    Mode.TIMEOUT: FailureKind.TIMEOUT,
    Mode.STALL: FailureKind.TIMEOUT,
    Mode.EMPTY: FailureKind.INVALID_RESPONSE,
    Mode.BROKEN: FailureKind.INVALID_RESPONSE,
    Mode.ERROR_FRAME: FailureKind.OVERLOADED,
    Mode.HTML: FailureKind.BLOCKED,
}


@dataclass(frozen=True, slots=True)
class Met:
    """What every request of a turn meets: a mode or a shape, its kind, and the provider that sends it."""

    name: str
    kind: FailureKind
    provider: str = ""
    mode: Mode | None = None

    def __str__(self) -> str:
        return self.name


def everything() -> Iterator[Met]:
    """Yield every mode, and of the gallery one shape for each kind, scope and ending."""
    yield from (Met(mode.value, kind, mode=mode) for mode, kind in KINDS.items())
    seen = set()
    for shape in shapes().values():
        reading = (shape.reading.kind, shape.reading.scope, shape.ending)
        if shape.api_mode is ApiMode.CHAT_COMPLETIONS and reading not in seen:
            seen.add(reading)
            yield Met(shape.name, shape.reading.kind, shape.provider)


def world(met: Met, sizes: tuple[tuple[int, int], ...]) -> Scenario:
    """Return a world in which each size has a session and providers of its own."""
    providers: dict[str, Any] = {}
    sessions = []
    for length, keys in sizes:
        routes = [{"provider": name, "model": "model"} for name in chain_of(met, length, keys)]
        for route in routes:
            name = route["provider"]
            made = [{"label": f"{name}-{n}", "api_key": f"simulated-{name}-{n}"} for n in range(keys)]
            providers[name] = {"api_mode": "chat_completions", "credentials": made}
        sessions.append({"name": session_of(length, keys), "primary": routes[0], "fallback_providers": routes[1:]})
    return Scenario.model_validate(
        {
            "title": "A test",
            "story": "As the test says.",
            "configuration": {
                "primary": sessions[0]["primary"],
                "providers": providers,
                "sessions": sessions,
                "runtime": QUICK,
            },
        }
    )


def session_of(length: int, keys: int) -> str:
    return f"chain{length}keys{keys}"


def chain_of(met: Met, length: int, keys: int) -> list[str]:
    """Return the providers of a session, primary first; each is known for what it is by a word of its name."""
    known = f"-{met.provider}" if met.provider else ""
    return [f"{session_of(length, keys)}r{number}{known}" for number in range(length + 1)]


def allowed(met: Met, length: int, keys: int, *, history: bool) -> int:
    """Return how many requests a turn may send that finds nothing benched, and meets the same everywhere."""
    if met.kind in STOPPED:
        return 1
    return sum(allowed_on_route(met, keys, primary=not position, history=history) for position in range(length + 1))


def allowed_on_route(met: Met, keys: int, *, primary: bool, history: bool) -> int:
    """Return how many requests may go to one route: keys, attempts, recovery or compaction, by the failure's kind."""
    if met.kind in ROTATED:
        return keys
    if met.kind in RETRIED:
        return MAX_RETRIES + (1 if primary and met.kind in RECOVERED else 0)
    if met.kind is FailureKind.CONTEXT_OVERFLOW and history:
        return 1 + MAX_COMPRESSION_ATTEMPTS
    return 1


def allowed_again(met: Met, length: int, keys: int, *, history: bool) -> int:
    """Return how many a turn may send right after one that nobody served.

    What is benched is not asked, and what is on hold is not tried; a session without a chain keeps to its primary.
    """
    if met.kind in STOPPED:
        return 1
    if met.kind in ROTATED or length:
        return 0
    return allowed(met, length, keys, history=history)


def meet(on: Theatre, met: Met, providers: list[str]) -> None:
    for provider in providers:
        if met.mode is not None:
            on.mode(provider, met.mode)
        else:
            on.shape(provider, met.name)


EVERYTHING: Final = tuple(everything())


@pytest.mark.parametrize("met", EVERYTHING, ids=str)
def test_m2_m3_m5_m9_a_turn_that_nobody_serves_sends_exactly_what_the_rules_allow(met: Met) -> None:
    @play
    async def run() -> None:
        history = met.mode is Mode.TOO_LONG
        sizes = SIZES if met.mode and not history else FEW_SIZES
        async with theatre(world(met, sizes)) as on:
            requests = on.on.simulator.requests
            for length, keys in sizes:
                name = session_of(length, keys)
                for _ in range(12 if history else 0):
                    assert await on.turn(name, "word " * 20)
                meet(on, met, chain_of(met, length, keys))
                before, began = len(requests), on.clock.now()
                assert not await on.turn(name)
                assert len(requests) - before == allowed(met, length, keys, history=history)
                assert on.clock.now() - began < FAILING_LADDER_SECONDS[0]
                before = len(requests)
                assert not await on.turn(name)
                assert len(requests) - before == allowed_again(met, length, keys, history=history)

    run()


ONE_OF_EACH: Final = (Mode.USAGE_LIMIT, Mode.SERVER_ERROR, Mode.EMPTY, Mode.UNKNOWN_MODEL)
"""Rotated, recovered, retried, and left at once."""


@pytest.mark.parametrize("met", [met for met in EVERYTHING if met.mode in ONE_OF_EACH], ids=str)
def test_m6_the_first_route_that_serves_costs_one_request_more(met: Met) -> None:
    @play
    async def run() -> None:
        length, keys = 3, 2
        async with theatre(world(met, ((length, keys),))) as on:
            *failing, last = chain_of(met, length, keys)
            meet(on, met, failing)
            assert await on.turn(session_of(length, keys))
            assert len(on.on.simulator.requests) == allowed(met, length - 1, keys, history=False) + 1
            assert on.calls(last) == 1

    run()


@pytest.mark.parametrize("seed", range(6))
def test_m6_each_route_has_its_own_allowance_whatever_the_one_before_it_met(seed: int) -> None:
    @play
    async def run() -> None:
        length, keys = 5, 3
        met = random.Random(seed).choices([met for met in EVERYTHING if met.mode], k=length + 1)
        async with theatre(world(met[0], ((length, keys),))) as on:
            for provider, one in zip(chain_of(met[0], length, keys), met, strict=True):
                meet(on, one, [provider])
            assert not await on.turn(session_of(length, keys))
            until_stop = list(takewhile(lambda one: one.kind not in STOPPED, met))
            stop = len(until_stop) <= length
            each = [allowed_on_route(one, keys, primary=not n, history=False) for n, one in enumerate(until_stop)]
            assert len(on.on.simulator.requests) == sum(each) + stop

    run()
