"""Every chain of up to five entries, under every subset of failing routes, against a model of one line."""

import itertools

import pytest

from hermes_tui.core.event import TurnCompleted, TurnFailed
from hermes_tui.simulator.mode import Mode
from tests.engine.theatre import play, scenario, theatre


@pytest.mark.parametrize("length", range(6))
def test_m7_each_usable_entry_is_tried_exactly_once_and_in_order(length: int) -> None:
    names = [f"p{number}" for number in range(1, length + 1)]
    script = scenario(*(f"{name}/model" for name in names), primary="p0/model")

    @play
    async def run() -> None:
        for failing in itertools.product((False, True), repeat=length + 1):
            async with theatre(script) as on:
                routes = ["p0", *names]
                bad = {name for name, fails in zip(routes, failing, strict=True) if fails}
                for name in bad:
                    on.mode(name, Mode.UNKNOWN_MODEL)
                served = await on.turn()
                asked = [request.provider for request in on.on.simulator.requests]
                expected = list(itertools.takewhile(bad.__contains__, routes))
                first_good = routes[len(expected) : len(expected) + 1]
                assert asked == expected + first_good
                assert served == bool(first_good)
                if first_good:
                    assert on.events(TurnCompleted)[0].provider == first_good[0]
                    assert on.row().position == len(expected)
                else:
                    assert len(on.events(TurnFailed)) == 1
                    assert on.row().index == 0

    run()
