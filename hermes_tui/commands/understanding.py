"""What this program makes of a shape: a real request meets it on loopback, through wire and engine."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.configuration import Settings
from hermes_tui.core.failure import Failure, RequestError
from hermes_tui.core.ports import ModelRequest
from hermes_tui.core.route import Route
from hermes_tui.core.secret import Redactor
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText, plain
from hermes_tui.core.turning import (
    Compact,
    GiveUp,
    NextRoute,
    RecoverPrimary,
    Retry,
    Rotate,
    Step,
    TurnState,
    Unseal,
    after_failure,
)
from hermes_tui.engine.attempt import Stream, attempt
from hermes_tui.engine.clock import EngineClock
from hermes_tui.providers.wire import HttpWire
from hermes_tui.simulator.account import Account, Provider
from hermes_tui.simulator.action import SetShape
from hermes_tui.simulator.loop import run_jumping
from hermes_tui.simulator.shape import Next, Shape
from hermes_tui.simulator.simulator import Simulator
from hermes_tui.simulator.world import World

BEGIN: Final = 1_900_000_000.0
"""The moment of the first request (epoch seconds): a shape is read alike at any time."""

ANYONE: Final = "anyone"
"""The account that takes any key."""

_STEPS: Final[dict[type[Step], Next]] = {
    Retry: Next.RETRY,
    RecoverPrimary: Next.RETRY,
    Rotate: Next.ROTATE,
    NextRoute: Next.FALL_BACK,
    Compact: Next.COMPACT,
    Unseal: Next.UNSEAL,
    GiveUp: Next.STOP,
}
_SETTINGS: Final = Settings()
_EVEN_CHANCE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Understood:
    """A shape with what became of the request that met it, sent at `sent_at` (epoch seconds): failure and next step."""

    shape: Shape
    failure: Failure
    next: Next
    sent_at: float

    @property
    def resets_in(self) -> float | None:
        """Return the seconds from the request to the end of the limit, None where none is believed."""
        return None if self.failure.reset is None else self.failure.reset.at - self.sent_at


def understand(shapes: Iterable[Shape]) -> list[Understood]:
    """Return what becomes of a request that meets each shape, by a configuration that changes nothing.

    Raises ValueError for a shape that is taken for an answer. Time jumps: a stall takes no minute.
    """
    return run_jumping(lambda: _meet(list(shapes)))


async def _meet(shapes: list[Shape]) -> list[Understood]:
    clock = EngineClock(start=BEGIN, elapsed=asyncio.get_running_loop().time)
    providers = {shape.provider: Provider(shape.provider, accounts={ANYONE: Account(ANYONE)}) for shape in shapes}
    world = World(providers.values(), now=clock.now)
    wire = HttpWire(_redacted, now=clock.now)
    try:
        async with Simulator(world, now=clock.now, sleep=clock.sleep) as simulator:
            return [await _met(shape, simulator, wire, clock) for shape in shapes]
    finally:
        await wire.close()


async def _met(shape: Shape, simulator: Simulator, wire: HttpWire, clock: EngineClock) -> Understood:
    simulator.world.apply(SetShape(provider=shape.provider, shape=shape.name))
    base_url = f"{simulator.base_url}/{shape.provider}/v1"
    route = Route(shape.provider, shape.model, base_url, shape.api_mode, shape.provider)
    sent_at = clock.now()
    failure = await _failure(route, wire, clock)
    if failure is None:
        raise ValueError(f"{shape.name} was taken for an answer")
    state = TurnState(deadline=sent_at + _SETTINGS.turn_timeout_seconds)
    step = after_failure(failure, state, _SETTINGS, on_primary=True, now=clock.now(), dice=lambda: _EVEN_CHANCE)
    return Understood(shape, failure, _STEPS[type(step)], sent_at)


async def _failure(route: Route, wire: HttpWire, clock: EngineClock) -> Failure | None:
    said = Message("shapes", 0, Role.USER, PlainText("Hello?"), clock.now())
    request = ModelRequest(route, None, (said,), timeout_seconds=_SETTINGS.turn_timeout_seconds)
    stream = Stream(wire, clock, _SETTINGS, lambda _: None, _redacted)
    try:
        await attempt(stream, request, None)
    except RequestError as error:
        return error.failure
    return None


def _redacted(text: str) -> PlainText:
    return plain(Redactor().clean(text))
