"""What a life does: it opens the state, plays turns and acts at random, and works until it is killed.

What its commits bring is said as soon as each has returned: from then on it is acknowledged.
"""

import asyncio
import random
import resource
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, TypeVar

import tomli_w

from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.acts import (
    Command,
    ForceRestore,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    RetryNow,
    StopTurn,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.decision import Decision
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.facts import Facts
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.storage import writable
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.wiring import open_desk, open_fleet

T = TypeVar("T")

SPEED: Final = 60.0
"""Seconds of the story in one: waits, throttles and holds come round within a few lives."""

PAUSE_SECONDS: Final = 0.3
"""Between two turns of a session, in seconds of the story."""

ACT_SECONDS: Final = 1.0
"""Between two of the user's acts at most, in seconds of the story."""

LOG_BYTES: Final = 64 * 1024
"""The log is moved into the file this early, so that lives also end during that."""

PRIMARY: Final = CredentialKey("openai-codex", "openai-codex-1")


class TellingLedger(SqliteLedger):
    """A ledger that says what a commit is about to write, and None once it has returned."""

    said: Connection

    def commit(self, decide: Callable[[Facts], Decision[T]]) -> T:
        """Commit as ever, and say so."""

        def overheard(facts: Facts) -> Decision[T]:
            decision = decide(facts)
            self.said.send(decision.records)
            return decision

        value = super().commit(overheard)
        self.said.send(None)
        return value


@dataclass(frozen=True, slots=True)
class World:
    """Where lives take place: a folder, what the configuration says, and when the story began (epoch seconds)."""

    home: Path
    tables: dict[str, Any]
    began: float

    @property
    def state(self) -> Path:
        """The folder of the state."""
        return self.home / "state"

    @property
    def config(self) -> Path:
        """The configuration file."""
        return self.home / "hermes-tui.toml"

    @property
    def environment(self) -> dict[str, str]:
        """What tells a program where its files are."""
        return {"HERMES_TUI_CONFIG": str(self.config), "HERMES_TUI_STATE": str(self.state)}

    @property
    def chain(self) -> list[Any]:
        """The whole fallback chain; the file may say less of it."""
        return list(self.tables["fallback_providers"])

    def write_configuration(self, chain: Sequence[Any]) -> None:
        """Put a configuration with `chain` in the place of the file."""
        beside = self.config.with_suffix(".new")
        beside.write_text(tomli_w.dumps(self.tables | {"fallback_providers": list(chain)}), encoding="utf-8")
        beside.replace(self.config)


def make_state(world: World, said: Connection) -> None:
    """Make the state, say so, and wait to be killed."""
    SqliteLedger.open(world.state).close()
    said.send(None)
    signal.pause()


def make_state_within(world: World, size: int, said: Connection) -> None:
    """Make the state, and be killed by the first write that would make one of its files larger than `size` bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    SqliteLedger.open(world.state).close()
    said.send(None)


def play_once(world: World, said: Connection) -> None:
    """Play one turn of each session, and leave."""

    async def play() -> None:
        async with _open(world, said) as (fleet, _, names):
            await asyncio.gather(*(fleet.prompt(name, "One more.") for name in names))

    asyncio.run(play())


def work(world: World, seed: str, said: Connection) -> None:
    """Play turns of each session and act, without end."""
    writable.WAL_LIMIT_BYTES = LOG_BYTES  # type: ignore[misc]

    async def live() -> None:
        dice = random.Random(seed)
        async with _open(world, said) as (fleet, clock, names):
            await asyncio.gather(
                _act(fleet, clock, world, names, dice), *(_converse(fleet, clock, name) for name in names)
            )

    asyncio.run(live())


@asynccontextmanager
async def _open(world: World, said: Connection) -> AsyncIterator[tuple[Fleet, EngineClock, tuple[str, ...]]]:
    clock = EngineClock(speed=SPEED, start=world.began + (time.time() - world.began) * SPEED)
    desk = open_desk(world.config, {}, clock.now)
    ledger = TellingLedger.open(world.state)
    ledger.said = said
    try:
        async with open_fleet(desk.load(), ledger, world.state, clock=clock, desk=desk) as fleet:
            await fleet.start(TaskSpawner())
            yield fleet, clock, tuple(state.name for state in fleet.snapshot().sessions)
    finally:
        ledger.close()


async def _converse(fleet: Fleet, clock: EngineClock, session: str) -> None:
    while True:
        await fleet.prompt(session, "Go on.")
        await clock.sleep(PAUSE_SECONDS)


async def _act(fleet: Fleet, clock: EngineClock, world: World, names: Sequence[str], dice: random.Random) -> None:
    while True:
        await clock.sleep(dice.uniform(0, ACT_SECONDS))
        act = dice.choice(_acts_on(dice.choice(names)))
        if isinstance(act, ReloadConfiguration):
            world.write_configuration(dice.sample(world.chain, dice.randint(1, len(world.chain))))
        with suppress(RefusedError):
            await fleet.execute(act)


def _acts_on(session: str) -> tuple[Command, ...]:
    return (
        ForceRestore(session),
        ResetChain(session),
        UseFallback(session),
        StopTurn(session),
        RetryNow(session),
        ResetCooldown(PRIMARY),
        ProbeNow(PRIMARY, "gpt"),
        ReloadConfiguration(),
    )
