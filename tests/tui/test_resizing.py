"""A window of another size: what is shown then is what a program started at that size shows."""

import random

import pytest

from tests.tui.driving import dashboard, everything, settle

SIZES = ((120, 40), (80, 24), (60, 20), (48, 14), (30, 8), (160, 50), (80, 50), (72, 22), (60, 50))


async def fresh(size: tuple[int, int], panel: str) -> str:
    """Return what a program that was started at `size` shows once `panel` has the focus."""
    app, _ = dashboard()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press(panel)
        await settle(pilot)
        return everything(app)


@pytest.mark.parametrize("panel", ["1", "3", "6"])
async def test_c136_nothing_is_stale_after_a_resize(panel: str) -> None:
    dice = random.Random(panel)
    wanted = {size: await fresh(size, panel) for size in SIZES}
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(panel)
        for _ in range(10):
            size = dice.choice(SIZES)
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert everything(app).split("\n") == wanted[size].split("\n"), size
