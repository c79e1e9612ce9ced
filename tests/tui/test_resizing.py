"""A window of another size: what is shown then is what a program started at that size shows."""

import itertools
import random

import pytest
from textual import _time

from tests.tui import situations
from tests.tui.driving import dashboard, everything, settle
from tests.tui.situations import Situation

SIZES = ((120, 40), (80, 24), (60, 20), (48, 14), (30, 8), (160, 50), (80, 50), (72, 22), (60, 50))


async def fresh(size: tuple[int, int], panel: str, situation: Situation) -> str:
    """Return what a program that was started at `size` shows once `panel` has the focus."""
    app, _ = dashboard(situation())
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press(panel)
        await settle(pilot)
        return everything(app)


@pytest.mark.parametrize(
    ("panel", "situation"),
    [("1", situations.story), ("3", situations.story), ("6", situations.all_dead), ("4", situations.broken_file)],
)
async def test_c136_nothing_is_stale_after_a_resize(panel: str, situation: Situation) -> None:
    sizes = (*random.Random(panel).choices(SIZES, k=8), (48, 14), (30, 8), (80, 24))
    wanted = {size: await fresh(size, panel, situation) for size in set(sizes)}
    app, _ = dashboard(situation())
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(panel)
        for size in sizes:
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert everything(app).split("\n") == wanted[size].split("\n"), size


async def test_c136_no_resize_is_lost_on_a_machine_that_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    size = (80, 24)
    wanted = await fresh(size, "1", situations.story)
    app, _ = dashboard(situations.story())
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        seconds = itertools.count()  # whoever looks at the clock is interrupted for a second
        monkeypatch.setattr(_time, "get_time", lambda: float(next(seconds)))
        await pilot.resize_terminal(100, 30)
        await pilot.resize_terminal(*size)
        await settle(pilot)
        assert everything(app).split("\n") == wanted.split("\n")
