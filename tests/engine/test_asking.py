"""A probe by hand, whoever wants it: the dashboard or the command line."""

from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.event import ActPerformed
from hermes_tui.engine.asking import probe_now
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
