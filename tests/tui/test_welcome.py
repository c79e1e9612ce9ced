"""The first start: the page explains itself, promises, and takes the next step by key or click."""

import pytest

from hermes_tui.tui.themes import ANSI, DARK, Look
from hermes_tui.tui.welcome import WelcomeApp
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.welcome import Step
from tests.tui.driving import everything

PATH = "/home/ada/.config/hermes-tui/hermes-tui.toml"


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 24)])
async def test_it_says_what_this_is_where_the_file_would_be_and_what_comes_next(size: tuple[int, int]) -> None:
    app = WelcomeApp(PATH, look=Look(DARK, motion=False))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        page = everything(app)
        assert PATH in page
        assert "Watch the demo" in page
        assert "Write a commented configuration" in page
        assert "Nothing is sent anywhere until you" in " ".join(page.split())


@pytest.mark.parametrize(
    ("key", "step"),
    [
        ("d", Step.DEMO),
        ("i", Step.INIT),
        ("q", Step.LEAVE),
        ("escape", Step.LEAVE),
        ("ctrl+c", Step.LEAVE),
        ("ctrl+q", Step.LEAVE),
    ],
)
async def test_a_key_takes_the_step(key: str, step: Step) -> None:
    app = WelcomeApp(PATH, look=Look(DARK, motion=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
    assert app.return_value is step


async def test_a_click_takes_the_step() -> None:
    app = WelcomeApp(PATH, look=Look(DARK, motion=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        page = app.query_one("#welcome", Lines)
        row = next(y for y, parts in enumerate(page.lines) if parts and parts[0].act == Step.DEMO)
        await pilot.click("#welcome", offset=(6, row))
    assert app.return_value is Step.DEMO


@pytest.mark.parametrize("size", [(1, 1), (5, 3), (20, 6)])
async def test_no_terminal_is_too_small(size: tuple[int, int]) -> None:
    app = WelcomeApp(PATH, look=Look(ANSI, ascii=True, motion=False))
    async with app.run_test(size=size) as pilot:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert everything(app).isascii()
        await pilot.resize_terminal(*size)
        await pilot.press("q")
    assert app.return_value is Step.LEAVE
