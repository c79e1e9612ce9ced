"""Every screen as text, at every size, with our glyphs and in ASCII.

What a screen shows is kept in `tests/snapshots/text/`. Where one is meant to look otherwise from now on, write it anew
and look at the difference: `python -m pytest tests/snapshots --update-snapshots`.
"""

import difflib
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from hermes_tui.commands.first_file import HereFile
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.themes import ANSI, DARK, Look
from hermes_tui.tui.welcome import WelcomeApp
from tests.snapshots.screens import SCREENS, SIZES, Screen
from tests.tui.driving import settle, shown
from tests.tui.editing import FILE, Editable

KEPT = Path(__file__).parent / "text"
LOOKS = {"": Look(DARK, motion=False), ".ascii": Look(ANSI, ascii=True, motion=False)}


def page(app: App[Any]) -> str:
    """Return what is shown under its size."""
    lines = "\n".join(line.rstrip() for line in shown(app))
    return f"{app.size.width}x{app.size.height}\n{lines}\n"


async def pages(screen: Screen, look: Look, folder: Path) -> str:
    """Return a screen at its sizes, each in a program of its own; in ASCII, at every other one."""
    told = []
    for number, size in enumerate(screen.sizes[1::2] if look.ascii else screen.sizes):
        path = folder / f"{number}" / "hermes-tui.toml"
        path.parent.mkdir()
        path.write_text(FILE, encoding="utf-8")
        book = Editable(path, {}, screen.situation())
        app = HermesApp(book, look=look)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            for key in screen.keys:
                await pilot.press(key)
            await settle(pilot)
            if screen.then is not None:
                await screen.then(pilot, path)
            book.offset += screen.seconds
            app.tick()
            await settle(pilot)
            told.append(page(app))
    return "\n".join(told)


def compare(name: str, text: str, *, updating: bool) -> None:
    """Compare `text` with what is kept as `name`, or keep it."""
    file = KEPT / f"{name}.txt"
    if updating:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return
    kept = file.read_text("utf-8") if file.exists() else ""
    lines = difflib.unified_diff(kept.split("\n"), text.split("\n"), "kept", "now", lineterm="")
    difference = "\n".join(lines)
    assert not difference, f"{name} looks otherwise:\n{difference}"


@pytest.mark.parametrize("suffix", LOOKS)
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
async def test_a_screen_looks_as_it_is_kept(screen: Screen, suffix: str, tmp_path: Path, updating: bool) -> None:
    text = await pages(screen, LOOKS[suffix], tmp_path)
    if suffix:
        assert text.isascii(), sorted({letter for letter in text if not letter.isascii()})
    compare(f"{screen.name}{suffix}", text, updating=updating)


WALK = ("s", "enter", "enter", "enter")
"""From the first page of the guided start to its last question; the file after it changes with every setting."""


@pytest.mark.parametrize("suffix", LOOKS)
async def test_the_welcome_looks_as_it_is_kept(suffix: str, updating: bool) -> None:
    told = []
    home = Path("/home/ada")
    environ = {"HOME": str(home), "GROQ_API_KEY": "gsk_a-key-that-nobody-may-see"}
    for size in SIZES:
        file = HereFile(home / ".config/hermes-tui/hermes-tui.toml", home / "state", environ)
        app = WelcomeApp(file, look=LOOKS[suffix])
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            told.append(page(app))
            for key in WALK:
                await pilot.press(key)
                await settle(pilot)
                told.append(page(app))
    compare(f"welcome{suffix}", "\n".join(told), updating=updating)


def test_nothing_is_kept_that_no_screen_shows() -> None:
    names = {f"{name}{suffix}.txt" for name in ("welcome", *(one.name for one in SCREENS)) for suffix in LOOKS}
    assert {file.name for file in KEPT.iterdir()} == names
