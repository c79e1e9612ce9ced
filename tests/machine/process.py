"""One process of several: its own ledger, fleet, clock and clients on the shared state; it may be killed."""

import asyncio
import random
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TypeVar

from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.acts import Command
from hermes_tui.core.decision import Decision
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.facts import Facts
from hermes_tui.engine.clock import EngineClock
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.writable import WritableFile
from hermes_tui.wiring import open_desk, open_fleet
from tests.machine.world import World

T = TypeVar("T")


class MortalLedger(SqliteLedger):
    """A ledger whose process can be killed: from then on no commit of it reaches the disk.

    The commit that is the last one takes whoever made it down with it.
    """

    def __init__(self, state: Path) -> None:
        super().__init__(WritableFile(state))
        self.death = asyncio.Event()
        self._left: int | None = None

    def dies_after(self, commits: int) -> None:
        """Let the process die right after so many more commits."""
        self._left = commits

    def commit(self, decide: Callable[[Facts], Decision[T]]) -> T:
        """Commit, while the process is alive."""
        if self.death.is_set():
            return decide(self.facts).value
        value = super().commit(decide)
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self.death.set()
                raise asyncio.CancelledError
        return value


class Process:
    """A program that runs the sessions that it takes, as its user and its kernel see it.

    `pending` are the turns that are under way; `questions_lost` counts questions to usage endpoints that its end cut
    off.
    """

    def __init__(self, world: World, *, takes: Collection[str]) -> None:
        self.pending: dict[str, asyncio.Task[bool]] = {}
        self.questions_lost = 0
        self._world = world
        self._takes = takes
        self._stack = AsyncExitStack()

    async def start(self) -> None:
        """Start it, with its sessions as far as nobody else runs them."""
        clock = EngineClock(elapsed=self._world.elapsed)
        desk = open_desk(self._world.config, {}, clock.now)
        self.ledger = MortalLedger(self._world.state)
        self._stack.callback(self.ledger.close)
        dice = random.Random(0).random
        opened = open_fleet(desk.load(), self.ledger, self._world.state, clock=clock, desk=desk, dice=dice)
        self.fleet = await self._stack.enter_async_context(opened)
        self._spawner = TaskSpawner()
        await self.fleet.start(self._spawner, only=self._takes)

    def sessions(self) -> set[str]:
        """Return the sessions that it runs."""
        return {state.name for state in self.fleet.snapshot().sessions if state.mine}

    def begin_turn(self, session: str) -> None:
        """Send a prompt, and leave the turn to go on by itself; one at a time."""
        if session not in self.pending:
            task = asyncio.ensure_future(self.fleet.prompt(session, "Go on."))
            self.pending[session] = task
            task.add_done_callback(lambda _: self.pending.pop(session, None))

    async def settle(self, sessions: Collection[str]) -> None:
        """Wait until no turn of `sessions` runs."""
        turns = [turn for session, turn in self.pending.items() if session in sessions]
        await asyncio.gather(*turns)

    async def act(self, command: Command) -> None:
        """Do what the user asks, unless it is refused."""
        with suppress(RefusedError):
            await self.fleet.execute(command)

    def failure(self) -> BaseException | None:
        """Return the error that ended a part of it, if one did."""
        failed = self._spawner.failed
        return failed.exception() if failed.done() else None

    def questions_open(self) -> int:
        """Return how many questions to usage endpoints it waits for."""
        return len(self.fleet._around.probing._in_flight)

    async def end(self) -> None:
        """End it as its user does."""
        self.questions_lost = self.questions_open()
        await self._stack.aclose()
        await self.settle(tuple(self.pending))

    async def die(self) -> None:
        """End it as by kill: what it has not written is lost, and the kernel lets its locks go."""
        self.ledger.death.set()
        await self.end()

    async def die_in_turn(self, session: str, commits: int) -> None:
        """Let it die after so many commits of a turn, or with the turn's end."""
        self.ledger.dies_after(commits)
        self.begin_turn(session)
        death = asyncio.ensure_future(self.ledger.death.wait())
        await asyncio.wait((death, self.pending[session]), return_when=asyncio.FIRST_COMPLETED)
        death.cancel()
        await self.die()
