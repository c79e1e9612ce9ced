"""A state that another process holds: waited for, said, and never gone ahead without."""

import asyncio
from typing import Any

import pytest

from hermes_tui.core.event import TurnCompleted
from hermes_tui.engine.patience import LOCKED, NOTICED
from hermes_tui.storage.ledger import SqliteLedger
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


@pytest.mark.parametrize("sessions", [2, 12])
def test_however_many_sessions_wait_for_a_locked_state_one_of_them_tries(
    sessions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[float] = []
    commit = SqliteLedger.commit

    @play
    async def wait() -> None:
        def counted(ledger: SqliteLedger, decide: Any) -> Any:
            tries.append(on.on.fleet.now())
            return commit(ledger, decide)

        async with theatre(scenario("backup/small", sessions=sessions)) as on:
            with FileLock(on.on.state / LOCK_FILE):
                monkeypatch.setattr(SqliteLedger, "commit", counted)
                turns = [asyncio.ensure_future(on.fleet.prompt(f"s{n}", "Go on.")) for n in range(1, sessions + 1)]
                await on.until(lambda: on.fleet.snapshot().locked == LOCKED)
                assert len(tries) == NOTICED
            assert all(await asyncio.gather(*turns))

    wait()
