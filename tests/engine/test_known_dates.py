"""A date that the provider gave: nothing is tried before it, and it survives with its source (M14, M16, M22, C38)."""

import pytest

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import CredentialBenched
from hermes_tui.core.failure import ResetSource
from hermes_tui.simulator.action import SetShape
from tests.engine.theatre import DAY, START, play, scenario, theatre

ONE_FALLBACK = scenario("backup/small")


@play
async def test_c38_a_date_three_days_ahead_costs_no_call_and_few_checks_in_an_hour() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=3 * DAY)
        await on.turn()
        assert (on.calls("openai-codex"), on.row().on_fallback) == (1, True)
        before = on.probes()
        await on.turns(20, apart=180)
        assert on.calls("openai-codex") == 1
        assert on.probes() - before <= 12
        own, bench = on.row().cooldown, on.credential("openai-codex").cooldown
        assert own is not None
        assert bench is not None
        assert own.until == bench.until == pytest.approx(START + 3 * DAY, abs=1)


@pytest.mark.parametrize(
    ("shape", "source", "approximate"),
    [
        ("codex-usage-limit", ResetSource.BODY_DATE, False),
        ("codex-usage-limit-seconds", ResetSource.BODY_WAIT, False),
        ("codex-week-limit", ResetSource.QUOTA_HEADERS, False),
        ("codex-limit-sentence", ResetSource.SENTENCE, False),
        ("codex-limit-clock", ResetSource.SENTENCE, True),
    ],
)
def test_m14_where_a_date_was_said_and_how_sure_it_is_stays_with_it(
    shape: str, source: ResetSource, approximate: bool
) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK) as on:
            on.on.simulator.world.apply(SetShape(provider="openai-codex", shape=shape))
            await on.turn()
            bench, own = on.credential("openai-codex").cooldown, on.row().cooldown
            assert bench is not None
            assert own is not None
            assert (bench.source, bench.said_in, bench.approximate) == (Said.PROVIDER, source, approximate)
            assert (own.until, own.approximate) == (bench.until, approximate)
            assert [event.approximate for event in on.events(CredentialBenched)] == [approximate]

    run()
