"""A probe by hand, whoever wants it: the dashboard or the command line."""

import asyncio

from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.event import ActPerformed
from hermes_tui.engine.asking import probe_now
from hermes_tui.simulator.mode import UsageMode
from tests.engine.theatre import play, scenario, theatre

SHORT = scenario("backup/small", runtime={"probe_interval_seconds": 1})
COMMAND = ProbeNow(CredentialKey("openai-codex", "openai-codex-1"), "gpt")


@play
async def test_m41_ten_seconds_lie_between_two_questions_even_where_verdicts_are_stale_sooner() -> None:
    async with theatre(SHORT) as on:
        around = on.fleet._around
        first = await probe_now(around, COMMAND)
        await on.clock.sleep(9.0)
        assert not first.fresh(on.clock.now())
        assert await probe_now(around, COMMAND) is first
        assert (on.probes(), len(on.events(ActPerformed))) == (1, 1)
        await on.clock.sleep(1.0)
        await probe_now(around, COMMAND)
        assert (on.probes(), len(on.events(ActPerformed))) == (2, 2)


@play
async def test_a_question_in_flight_is_in_the_snapshot_until_it_is_answered() -> None:
    async with theatre(SHORT) as on:
        before = on.fleet.snapshot()
        asked = asyncio.ensure_future(on.fleet.execute(COMMAND))
        during = await on.fleet.changed(before.revision)
        assert [key.provider for key in during.asking] == ["openai-codex"]
        await asked
        assert on.fleet.snapshot().asking == frozenset()


@play
async def test_an_answer_that_tells_nothing_says_that_the_countdown_stays() -> None:
    async with theatre(SHORT) as on:
        on.usage(UsageMode.TIMEOUT)
        told = await on.fleet.execute(COMMAND)
        assert told.endswith("; this says nothing about quota, the countdown stays")
