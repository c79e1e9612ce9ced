"""Sessions that run by themselves: `every`, and runs that were missed."""

import tomllib
from dataclasses import replace

import pytest
import tomli_w

from hermes_tui.core.acts import ReloadConfiguration
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import SessionScheduled, TurnStarted
from tests.engine.theatre import DAY, play, scenario, second_process, theatre

EVERY_QUARTER = scenario("backup/small", session_fields={"prompt": "What is new?", "every": "15m"})


@play
async def test_opening_sends_nothing_before_a_schedule_is_due() -> None:
    async with theatre(EVERY_QUARTER) as on:
        await on.clock.sleep(899)
        assert on.calls() == 0
        assert on.row().next_run_at == pytest.approx(on.clock.now() + 1, abs=1)


@play
async def test_a_scheduled_session_runs_at_its_interval() -> None:
    async with theatre(EVERY_QUARTER) as on:
        await on.clock.sleep(3600 + 60)
        assert on.calls() == 4
        assert {event.prompt for event in on.events(TurnStarted)} == {"What is new?"}


@play
async def test_missed_runs_are_made_up_for_once() -> None:
    async with theatre(EVERY_QUARTER) as on:
        await on.clock.sleep(1)
        on.clock.advance(10 * 900)
        await on.clock.sleep(60)
        assert on.calls() == 1


@play
async def test_a_clock_that_was_far_ahead_and_set_back_while_nothing_ran_delays_no_run() -> None:
    async with theatre(EVERY_QUARTER) as on:
        await on.fleet.close()
        at = on.clock.now() + 400 * DAY
        event = SessionScheduled(time=on.clock.now(), session="s1", at=at)
        on.on.ledger.commit(lambda _facts: Decision(None, (Record(event, (replace(on.row(), next_run_at=at),)),)))
        async with second_process(on) as again:
            await again.clock.sleep(3600 + 60)
            assert again.calls() == 4


@pytest.mark.parametrize(("every", "wait"), [("1m", 60.0), (None, None)], ids=["shorter", "none"])
@play
async def test_a_changed_schedule_of_the_file_holds_at_once(every: str | None, wait: float | None) -> None:
    async with theatre(EVERY_QUARTER) as on:
        await on.clock.sleep(1)
        tables = tomllib.loads(on.on.config.read_text(encoding="utf-8"))
        del tables["sessions"][0]["every"]
        tables["sessions"][0] |= {"every": every} if every else {}
        on.on.config.write_text(tomli_w.dumps(tables), encoding="utf-8")
        await on.fleet.execute(ReloadConfiguration())
        await on.clock.sleep(1)
        due = on.row().next_run_at
        assert (None if due is None else due - on.clock.now()) == (wait and pytest.approx(wait - 1, abs=1))
