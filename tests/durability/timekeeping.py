"""A life by a wall clock that is set, and by a machine that sleeps, both from outside."""

import asyncio
import mmap
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.engine import watching
from hermes_tui.engine.clock import EngineClock
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.wiring import open_desk, open_fleet
from tests.durability.life import World

LOOK_SECONDS: Final = 0.01
"""How often a life looks at its clock."""


class Shifts:
    """Seconds by which clocks are off, in a file that all processes map: the wall clock was set, the machine slept."""

    def __init__(self, file: Path) -> None:
        """Map `file`; makes it, with no shift at all, where it is missing."""
        if not file.exists():
            file.write_bytes(bytes(16))
        with file.open("r+b") as opened:
            self._seconds = memoryview(mmap.mmap(opened.fileno(), 16)).cast("d")

    def set_clock(self, by: float) -> None:
        """Set the wall clock."""
        self._seconds[0] += by

    def sleep(self, seconds: float) -> None:
        """Close the laptop for `seconds`: the wall and what counts sleep go on, timers stand still."""
        self._seconds[1] += seconds

    def wall(self) -> float:
        """Return epoch seconds."""
        return _real_time() + self._seconds[0] + self._seconds[1]

    def elapsed(self) -> float:
        """Return seconds that nobody can set, the machine's sleep included."""
        return time.monotonic() + self._seconds[1]


_real_time: Final = time.time


class TellingClock(EngineClock):
    """A clock that says what each look at it found."""

    def __init__(self, shifts: Shifts, said: Connection) -> None:
        super().__init__(elapsed=shifts.elapsed)
        self._said = said

    def wall_step(self) -> float:
        """Look as ever, and say so."""
        step = super().wall_step()
        self._said.send(step)
        return step


def keep_time(world: World, shifts: Path, said: Connection) -> None:
    """Keep the sessions open without end, and look at the clock all the time."""

    async def idle() -> None:
        clock = TellingClock(shared, said)
        desk = open_desk(world.config, {}, clock.now)
        ledger = SqliteLedger.open(world.state)
        async with open_fleet(desk.load(), ledger, world.state, clock=clock, desk=desk) as fleet:
            spawner = TaskSpawner()
            await fleet.start(spawner)
            await spawner.failed

    shared = Shifts(shifts)
    time.time = shared.wall
    watching.LOOK_SECONDS = LOOK_SECONDS  # type: ignore[misc]
    asyncio.run(idle())
