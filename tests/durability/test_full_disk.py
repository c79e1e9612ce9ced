"""A disk that takes nothing more while turns run: one sentence says so, nothing acknowledged is lost, work goes on."""

import asyncio
import json
import os
import re
from dataclasses import replace
from pathlib import Path

from hermes_tui.commands.stage import Stage, stage
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.acts import ReloadConfiguration
from hermes_tui.core.codec import decode_event
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import SessionInterrupted
from hermes_tui.core.session import Phase
from hermes_tui.engine.clock import EngineClock
from hermes_tui.storage.ledger import SqliteLedger
from tests.durability.life import World
from tests.durability.lives import Zygote
from tests.durability.programs import Surroundings, run
from tests.engine.theatre import START, Theatre, play, scenario

LONG = "And now? " * 1000

SIZES = (8192, 36864, 53248, 77824)
"""How large a file may grow: too small for SQLite's index, and for a turn's first, later and last commits."""


def allow_pages(on: Stage, pages: int) -> None:
    """Let the state grow to `pages` pages; where it is larger already it may stay so."""
    on.ledger._file.read(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone())


@play
async def test_a_disk_that_is_full_in_the_middle_of_a_turn_stops_the_session_and_a_reload_goes_on() -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    async with stage(scenario("backup/small", sessions=2), clock) as on:
        spawner = TaskSpawner()
        await on.fleet.start(spawner)
        theatre = Theatre(on, clock)
        on.simulator.world.providers["openai-codex"].replies = (LONG,)
        theatre.pace("openai-codex", latency=10)
        turn = asyncio.ensure_future(theatre.turn())
        await theatre.until_asked("openai-codex")
        acknowledged = on.ledger.tail(0)
        allow_pages(on, 1)
        assert not await turn
        snapshot = on.fleet.snapshot()
        assert snapshot.engine_stopped
        assert snapshot.problem == (
            f"s1: {on.state / 'state.db'}: the disk is full; nothing was written, free some space and try again"
        )
        assert isinstance(spawner.failed.exception(), StateError)
        on_disk = SqliteLedger.open(on.state, read_only=True)
        assert on_disk.tail(0)[: len(acknowledged)] == acknowledged
        assert on_disk.facts == on.ledger.facts
        allow_pages(on, 2**30)
        await on.fleet.execute(ReloadConfiguration())
        assert (on.fleet.snapshot().problem, on.fleet.snapshot().engine_stopped) == (None, False)
        assert theatre.row().phase is Phase.IDLE
        assert len(theatre.events(SessionInterrupted)) == 1
        assert await theatre.turn("s1")
        assert await theatre.turn("s2")


def test_a_run_that_cannot_write_says_so_and_the_next_one_goes_on(lives: Zygote, world: World, tmp_path: Path) -> None:
    around = Surroundings(os.environ | world.environment, tmp_path)
    assert run(lives, around, "run", "--prompt", "One.").exit_code == 0
    came_through = []
    for size in SIZES:
        limited = replace(around, largest_file_bytes=size)
        done = run(lives, limited, "run", "--json", "--prompt", "Two.", "--prompt", "Three.")
        assert done.exit_code == 1
        assert re.fullmatch(rf"hermes-tui: {world.state}/state\.db: the disk .*, and try again\n", done.errors)
        written = [event for _, event in SqliteLedger.open(world.state, read_only=True).tail(0)]
        told = [decode_event(json.loads(line)) for line in done.output.splitlines()]
        assert [event for event in told if event not in written] == []
        came_through.append(len(told))
    assert came_through == sorted(set(came_through))
    assert run(lives, around, "run", "--prompt", "Four.").exit_code == 0
