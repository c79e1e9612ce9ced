"""A window that is dragged, a hand that does anything: no fault, no spin, the right screen at the end (C136)."""

import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.terminal import hostile
from tests.terminal.boxes import corners, crooked
from tests.terminal.codes import left, strangers
from tests.terminal.conftest import PATIENCE_SECONDS, Open, Terminal
from tests.terminal.fuzzing import disturb
from tests.terminal.hostile import KEY, Provider

RESIZES = 200
BETWEEN_SECONDS = 0.02
BUSY_SHARE = 0.5
"""Of a core: above it a program that has nothing to do spins."""

FINAL = (101, 33)


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    yield server
    server.close()


@pytest.fixture
def files(provider: Provider, tmp_path: Path) -> dict[str, str]:
    path = hostile.write(tmp_path, provider.url)
    return {"HERMES_TUI_CONFIG": str(path), "HERMES_TUI_STATE": str(tmp_path / "state"), "EDITOR": "true"}


def dashboard(terminal: Open, files: dict[str, str], columns: int, rows: int) -> Terminal:
    screen = terminal(columns, rows, environment=files)
    screen.shows("0 [/]", "Help")
    screen.settled()
    return screen


def comes_to_rest(screen: Terminal) -> bool:
    """Wait until a second goes by in which the program is not busy; tell whether one did."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        used, began = screen.processor_seconds(), time.monotonic()
        while time.monotonic() - began < 1:
            screen.settled()
        if screen.processor_seconds() - used < BUSY_SHARE * (time.monotonic() - began):
            return True
    return False


OPENED = {
    "the dashboard": ("", "123456jkGgsS", "1", ()),
    "a panel that is zoomed": ("z", "123456jkGgsS", "1", ()),
    "a question": ("f", "hl", "", ("Confirm",)),
    "the editor": ("e", "\t", "", ("Check",)),
    "the prompt": ("i", "[/]\x7f\x7f\x7f", "", ("Prompt",)),  # as much is taken away as is written: it stays short
}
"""What opens it, what is pressed there, what brings it back to where it began, and words that it shows."""


@pytest.mark.parametrize("what", OPENED)
def test_c136_after_two_hundred_resizes_the_screen_is_that_of_a_fresh_start(
    terminal: Open, provider: Provider, files: dict[str, str], what: str
) -> None:
    opens, keys, back, shown = OPENED[what]
    fresh = dashboard(terminal, files, *FINAL)
    fresh.press(f"1g{opens}")
    fresh.shows(*shown)
    assert comes_to_rest(fresh)
    right = corners(fresh.cells)
    fresh.kill(signal.SIGTERM)
    fresh.ends()
    chance = random.Random(what)
    screen = dashboard(terminal, files, 120, 40)
    screen.press("1gji")
    screen.shows("Prompt 1 [")
    screen.press("Go on.\r")
    screen.shows("Sent to")
    screen.leave_prompt()
    screen.press(f"1g{opens}")
    screen.shows(*shown)
    for number in range(RESIZES):
        screen.resize(chance.randint(1, 300), chance.randint(1, 100))
        screen.press(chance.choice(keys))
        screen.overlooks(BETWEEN_SECONDS)
        if number == RESIZES // 2:
            provider.held.set()  # the rest of the reply streams from here on
    screen.resize(*FINAL)
    screen.press(back)
    screen.until(lambda _: corners(screen.cells) == right and not crooked(screen.cells), "the layout of a fresh start")
    assert comes_to_rest(screen)
    screen.kill(signal.SIGTERM)
    assert screen.ends() == 0
    assert left(screen.written).is_clean


@pytest.mark.parametrize("seed", [2])
def test_whatever_is_pressed_clicked_pasted_and_dragged_the_program_lives_and_ends_well(
    terminal: Open, provider: Provider, files: dict[str, str], seed: int
) -> None:
    provider.held.set()
    chance = random.Random(seed)
    screen = dashboard(terminal, files, 120, 40)
    for _ in range(300):
        with suppress(OSError):  # the mouse may find the way out
            disturb(screen, chance)
        screen.reads(BETWEEN_SECONDS)
    assert not screen.is_alive or comes_to_rest(screen)
    screen.kill(signal.SIGTERM)
    assert screen.ends() == 0
    assert left(screen.written).is_clean
    assert strangers(screen.written) == []
    assert KEY.encode() not in screen.written
    assert not re.search(rb"Traceback|fault of the program", screen.written)
