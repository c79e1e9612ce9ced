"""What opens over the dashboard leaves once, however often it is told to (C140)."""

from pathlib import Path

import pytest

from tests.tui.driving import STILL, dashboard, main, settle
from tests.tui.test_accessibility import editable, go


@pytest.mark.parametrize("way", ["b", "question_mark", "n", "v", "u", "colon", "e", "e a"])
async def test_told_to_leave_twice_it_leaves_once(way: str, tmp_path: Path) -> None:
    app = editable(tmp_path, STILL)
    async with app.run_test(size=(100, 40)) as pilot:
        await go(pilot, way)
        opened, below = app.screen, app.screen_stack[-2]
        opened.dismiss(None)
        opened.dismiss(None)
        await settle(pilot)
        assert app.screen is below


async def test_what_is_covered_does_not_take_away_what_covers_it() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(100, 40)) as pilot:
        await go(pilot, "v")
        covered = app.screen
        await go(pilot, "f1")
        covered.dismiss(None)
        await settle(pilot)
        assert app.screen_stack[1] is covered
        assert len(app.screen_stack) == 3


async def test_the_palette_of_a_window_without_room_can_be_walked_through() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(1, 1)) as pilot:
        await go(pilot, "colon down pagedown pageup end r escape")
        assert app.screen is main(app)
