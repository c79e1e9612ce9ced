"""The chain of a home edited on the screen: the very editor, over `config.yaml`, with the lines shown before saving."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.screens.conflict import ConflictScreen
from hermes_tui.tui.screens.editor import EditorScreen
from hermes_tui.tui.screens.saving import SavingScreen
from hermes_tui.wiring import open_home
from tests.hermes.made import NOW
from tests.hermes.test_desk import FILE, FIRST, KEY, SECOND
from tests.tui.driving import STILL, everything, press, settle, showing, toasts

HomeApp = tuple[HermesApp, Pilot[None]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "home" / "config.yaml"
    file.parent.mkdir()
    file.write_text(FILE)
    return file


@asynccontextmanager
async def editing(file: Path, *keys: str, size: tuple[int, int] = (120, 40)) -> AsyncIterator[HomeApp]:
    """Open the home, the editor, and press keys in it."""
    app = HermesApp(open_home(file.parent, {}, lambda: NOW), look=STILL)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        await pilot.pause()
        assert isinstance(app.screen, EditorScreen)
        await do(pilot, *keys)
        yield app, pilot


async def do(pilot: Pilot[None], *keys: str) -> None:
    await press(pilot, *keys)
    await settle(pilot)


async def test_the_file_its_rows_and_its_check_are_side_by_side(file: Path) -> None:
    async with editing(file) as (app, pilot):
        await showing(pilot, "can be saved, 1 note")
        shown = everything(app)
        assert all(words in shown for words in ("config.yaml", "1 custom:fb/small", "2 anthropic/claude", "line 13:"))
        assert KEY not in shown


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_a_moved_entry_is_shown_before_it_is_saved_and_is_all_that_changes(
    file: Path, size: tuple[int, int]
) -> None:
    async with editing(file, "tab", "J", "ctrl+s", size=size) as (app, pilot):
        assert isinstance(app.screen, SavingScreen)
        await showing(pilot, "+  - {provider: anthropic, model: claude}   # dear")
        await showing(pilot, "none comes home")
        assert file.read_text() == FILE
        await do(pilot, "y")
        assert file.read_text() == FILE.replace(FIRST + SECOND, SECOND + FIRST)
        assert not isinstance(app.screen, EditorScreen)
        assert "next turn" in toasts(app)[-1]
        assert [str(link.route) for link in app.source.snapshot().facts.configuration.chain] == [  # type: ignore[union-attr]
            "anthropic/claude",
            "custom:fb/small",
        ]


async def test_a_no_goes_on_editing_and_undo_brings_the_file_back(file: Path) -> None:
    async with editing(file, "tab", "d", "ctrl+s", "n") as (app, pilot):
        assert isinstance(app.screen, EditorScreen)
        await showing(pilot, "config.yaml (changed)")
        await do(pilot, "u")
        await do(pilot, "ctrl+s")
        assert toasts(app)[-1] == "Nothing has changed."
        assert file.read_text() == FILE


async def test_an_edit_of_hermes_meanwhile_is_shown_beside_ones_own_and_both_are_kept(file: Path) -> None:
    async with editing(file, "tab", "d", "ctrl+s") as (app, pilot):
        file.write_text(FILE + "_config_version: 50\n")
        await do(pilot, "y")
        assert isinstance(app.screen, ConflictScreen)
        await do(pilot, "b")
        await do(pilot, "ctrl+s", "y")
        assert file.read_text() == FILE.replace(FIRST, "") + "_config_version: 50\n"


async def test_the_form_speaks_of_what_hermes_takes(file: Path) -> None:
    async with editing(file, "tab", "a") as (_, pilot):
        await showing(pilot, "one that Hermes knows, or custom:NAME")
        await showing(pilot, "the provider's logins; or ${NAME} of .env")
        await showing(pilot, "custom:fb     in the file, 1 key set")
        await showing(pilot, "anthropic     in the file; ANT")
        await do(pilot, *"nous", "tab", *"hermes-4", "ctrl+s")
        await showing(pilot, "2 nous/hermes-4")


@pytest.mark.parametrize(("key", "words"), [("t", "nobody to ask"), ("o", "every session takes it")])
async def test_what_a_home_cannot_do_is_said(file: Path, key: str, words: str) -> None:
    async with editing(file, "tab", key) as (app, _):
        assert words in toasts(app)[-1]


async def test_a_form_that_cannot_be_changed_safely_says_why(file: Path) -> None:
    file.write_text(FILE.replace("in this order", "x").replace("providers:   #", "providers: &c   #"))
    async with editing(file, "tab", "J") as (app, _):
        assert "it has an anchor (&)" in toasts(app)[-1]
