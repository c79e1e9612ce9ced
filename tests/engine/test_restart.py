"""What a new process knows: everything that a gate reads, and the conversation (M21)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from hermes_tui.commands.stage import Stage, stage
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import diagnose
from hermes_tui.core.event import SessionInterrupted
from hermes_tui.core.facts import Facts
from hermes_tui.core.lifecycle import load_configuration as put_in_force
from hermes_tui.core.restoring import way_back
from hermes_tui.core.session import Phase
from hermes_tui.core.verdict import Verdict
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.simulator.action import Reopen
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.locks import FileLock
from hermes_tui.storage.ownership import Ownership
from hermes_tui.wiring import load_configuration, open_fleet, open_ledger
from tests.engine.theatre import START, Theatre, play, scenario, theatre

ONE_FALLBACK = scenario("backup/small")
PROBE = ProbeNow(CredentialKey("openai-codex", "openai-codex-1"), "gpt")


@asynccontextmanager
async def _second_process(on: Stage, clock: EngineClock) -> AsyncIterator[tuple[Fleet, SqliteLedger]]:
    """Open the same files as another process would: its own ledger, fleet and clients."""
    ledger = SqliteLedger.open(on.state)
    loaded = load_configuration(on.config, on.scenario.environment, clock.now())
    async with open_fleet(loaded, ledger, on.state, clock=clock) as fleet:
        yield fleet, ledger
    ledger.close()


def _explained(facts: Facts, now: float) -> tuple[object, object]:
    session = facts.sessions["s1"]
    return way_back(facts, session, now), diagnose(facts, session, now)


@play
async def test_m21_a_new_process_resumes_on_the_fallback_and_comes_home_when_the_quota_reopens() -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    async with stage(ONE_FALLBACK, clock) as on:
        await on.fleet.start(TaskSpawner(), watch=False)
        first = Theatre(on, clock)
        first.limit()
        await first.turn()
        now = clock.now()
        told = _explained(on.ledger.facts, now)
        await on.fleet.close()
        async with _second_process(on, clock) as (fleet, ledger):
            await fleet.start(TaskSpawner(), watch=False)
            assert _explained(ledger.facts, now) == told
            assert ledger.messages("s1")[0].text == "Go on."
            on.simulator.world.apply(Reopen(provider="openai-codex"))
            await clock.sleep(60)
            assert await fleet.prompt("s1", "And now?")
            assert ledger.facts.sessions["s1"].position == 0
            assert ledger.facts.sessions["s1"].cooldown is None


@play
async def test_m21_the_throttle_outlives_a_restart() -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    async with stage(ONE_FALLBACK, clock) as on:
        await on.fleet.start(TaskSpawner(), watch=False)
        first = Theatre(on, clock)
        first.limit()
        await first.turns(2, apart=1)
        assert first.probes() == 1
        await on.fleet.close()
        async with _second_process(on, clock) as (fleet, _):
            await fleet.start(TaskSpawner(), watch=False)
            await fleet.prompt("s1", "Again.")
            assert first.probes() == 1


@play
async def test_one_process_runs_a_session_and_the_other_says_who_does() -> None:
    async with theatre(ONE_FALLBACK) as on, _second_process(on.on, on.clock) as (fleet, _):
        await fleet.start(TaskSpawner(), watch=False)
        state = fleet.snapshot().sessions[0]
        assert not state.mine
        assert state.owner is not None


@play
async def test_the_other_process_sees_that_nobody_runs_a_session_any_more_and_a_reload_takes_it() -> None:
    async with theatre(ONE_FALLBACK) as on, _second_process(on.on, on.clock) as (fleet, _):
        await fleet.start(TaskSpawner())
        await on.clock.sleep(2)
        assert fleet.snapshot().sessions[0].owner is not None
        on.fleet._roster.owners.release_all()  # as the kernel does when the owner dies, and nobody writes a word
        await on.clock.sleep(2)
        assert fleet.snapshot().sessions[0].owner is None
        await fleet.configure(load_configuration(on.on.config, on.on.scenario.environment, on.clock.now()))
        assert fleet.snapshot().sessions[0].mine


@play
async def test_the_other_process_sees_what_the_owner_does() -> None:
    async with theatre(ONE_FALLBACK) as on, _second_process(on.on, on.clock) as (fleet, ledger):
        await fleet.start(TaskSpawner(), watch=False)
        on.limit()
        await on.turn()
        assert ledger.refresh()
        assert fleet.snapshot().sessions[0].row.on_fallback
        assert len(fleet.snapshot().sessions[0].messages) == 2


@play
async def test_a_turn_that_the_end_of_the_program_cuts_off_is_recorded_as_interrupted() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.pace("openai-codex", latency=60)
        turn = asyncio.ensure_future(on.turn())
        await on.until(lambda: on.row().phase is Phase.RUNNING and on.row().messages == 1)
        await on.clock.sleep(1)
        await on.fleet.close()
        turn.cancel()
        assert on.row().phase is Phase.IDLE
        assert len(on.events(SessionInterrupted)) == 1


@play
async def test_m21_a_verdict_waits_while_another_process_holds_the_state() -> None:
    async with theatre(ONE_FALLBACK) as on:
        lock = FileLock(on.on.state / "state.lock")
        with lock:
            asked = asyncio.ensure_future(on.fleet.execute(PROBE))
            await asyncio.sleep(5)
            assert on.probes() == 1
            assert not on.facts.verdicts
        lock.close()
        await asked
        assert [row.verdict for row in on.facts.verdicts.values()] == [Verdict.QUOTA]


@play
async def test_m35_two_processes_that_ask_at_once_share_one_question() -> None:
    async with theatre(ONE_FALLBACK) as on, _second_process(on.on, on.clock) as (fleet, ledger):
        await fleet.start(TaskSpawner(), watch=False)
        await asyncio.gather(on.fleet.execute(PROBE), fleet.execute(PROBE))
        assert on.probes() == 1
        assert ledger.facts.verdicts == on.facts.verdicts


@play
async def test_m35_a_process_that_stands_still_while_it_asks_does_not_blind_the_others() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await on.fleet.execute(PROBE)
        (verdict,) = on.facts.verdicts.values()
        suspended = Ownership(on.on.state)
        assert suspended.acquire(f"usage of {'/'.join(verdict.key.subject)}")
        await on.clock.sleep(301)
        await asyncio.wait_for(on.fleet.execute(PROBE), 20)
        assert on.probes() == 2
        suspended.release_all()


@play
async def test_m21_another_process_with_another_file_does_not_take_this_ones_pools_away() -> None:
    async with theatre(ONE_FALLBACK) as on:
        loaded = load_configuration(on.on.config, on.on.scenario.environment, on.clock.now())
        other = replace(loaded.configuration, chain=(), pools=())
        with open_ledger(on.on.state) as second:
            second.commit(lambda facts: put_in_force(facts, other))
        on.limit()
        assert await on.turn()
        assert on.calls("backup") == 1
