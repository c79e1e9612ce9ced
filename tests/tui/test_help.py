"""Help is there on every screen, and the palette says why something cannot be done."""

from pathlib import Path

import pytest

from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.editor import EditorScreen
from hermes_tui.tui.screens.palette import PaletteScreen
from hermes_tui.tui.screens.reading import ReadingScreen
from hermes_tui.tui.screens.session_form import SessionForm
from tests.tui.driving import STILL, dashboard, everything, press, settle, showing
from tests.tui.test_accessibility import editable, go
from tests.tui.test_remapped_keys import with_keys


@pytest.mark.parametrize(
    ("way", "screen", "told"),
    [
        ("b f1", ConfirmScreen, "n esc q ctrl+q        No"),
        ("b question_mark", ConfirmScreen, "y                     Yes"),
        ("n f1", SessionForm, "esc ctrl+q            Leave"),
        ("colon f1", PaletteScreen, "esc ctrl+q            Leave"),
        ("e f1", EditorScreen, "ctrl+s                Writes the text into the file"),
    ],
)
async def test_f1_tells_the_keys_of_whatever_is_open(way: str, screen: type, told: str, tmp_path: Path) -> None:
    app = editable(tmp_path, STILL)
    async with app.run_test(size=(100, 40)) as pilot:
        await go(pilot, way)
        assert isinstance(app.screen, ReadingScreen)
        assert told in await showing(pilot, "esc closes")
        await go(pilot, "f1")
        assert isinstance(app.screen, screen)


async def test_a_question_mark_that_is_typed_is_text() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, "n a question_mark")
        assert isinstance(app.screen, SessionForm)
        assert "a?" in everything(app)


async def test_help_elsewhere_follows_the_keys_in_force() -> None:
    app, _ = dashboard(with_keys(help="f5"))
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, "b f1")
        assert isinstance(app.screen, ConfirmScreen)
        await go(pilot, "f5")
        assert isinstance(app.screen, ReadingScreen)


@pytest.mark.parametrize("size", [(48, 14), (60, 20), (120, 40)])
async def test_the_help_of_a_panel_has_a_line_for_every_key_however_narrow(size: tuple[int, int]) -> None:
    app, _ = dashboard()
    async with app.run_test(size=size) as pilot:
        await go(pilot, "question_mark")
        await showing(pilot, "Force restore")
        await go(pilot, "G")
        await showing(pilot, "STALE: asked longer ago")


async def test_the_palette_keeps_what_cannot_be_done_and_says_why() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "colon", *"retry")
        await showing(pilot, "Retry now       w      nightly-docs is not waiting")
        await press(pilot, *["backspace"] * 5, *"reset")
        text = await showing(pilot, "Reset chain     r")
        offered = next(line for line in text.split("\n") if "Reset chain     r" in line)
        assert offered.rpartition("Reset chain     r")[2].split("┃")[0].strip() == ""
