"""A state that another process holds: waited for, said, and never gone ahead without."""

import asyncio

from hermes_tui.core.event import TurnCompleted
from hermes_tui.engine.patience import LOCKED
from hermes_tui.storage.locks import FileLock
from hermes_tui.storage.writable import LOCK_FILE
from tests.engine.theatre import play, scenario, theatre


@play
async def test_a_turn_waits_for_a_locked_state_and_the_screen_says_so_until_it_is_free() -> None:
    async with theatre(scenario("backup/small")) as on:
        with FileLock(on.on.state / LOCK_FILE):
            turn = asyncio.ensure_future(on.turn())
            await on.until(lambda: on.fleet.snapshot().locked == LOCKED)
            assert on.calls() == 0
        assert await turn
        assert on.fleet.snapshot().locked is None
        assert len(on.events(TurnCompleted)) == 1
