"""The story in a real terminal, at both sizes, and the user's hand in it."""

import signal

import pytest

from tests.terminal.conftest import Open

LEAVE_ALTERNATE_SCREEN = b"\x1b[?1049l"
SHOW_CURSOR = b"\x1b[?25h"


SIZES = pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])


@SIZES
def test_the_whole_story_can_be_watched(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "90")
    screen.shows("nightly-docs", "all on their primary")
    screen.shows("backup/small", "WAITING FOR RESET")
    screen.shows("all on their primary")
    screen.shows("LYING PROBE")
    assert screen.leave() == 0
    assert LEAVE_ALTERNATE_SCREEN in screen.written
    assert SHOW_CURSOR in screen.written


@SIZES
def test_force_restore_asks_first_and_takes_effect_at_the_next_turn(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "90")
    screen.shows("WAITING FOR RESET")
    screen.press("b")
    screen.shows("Put nightly-docs back on openai-codex/gpt-5.5 before its")
    screen.press("y")
    screen.press("6/was put back\r")  # the story goes on, and would push it out of sight
    screen.shows("nightly-docs was put back")


def test_a_signal_leaves_a_clean_terminal(terminal: Open) -> None:
    screen = terminal(80, 24, "demo")
    screen.shows("nightly-docs")
    screen.kill(signal.SIGTERM)
    screen.ends()
    assert LEAVE_ALTERNATE_SCREEN in screen.written
    assert SHOW_CURSOR in screen.written


def test_a_window_may_shrink_to_nothing_and_grow_again(terminal: Open) -> None:
    screen = terminal(120, 40, "demo")
    screen.shows("nightly-docs")
    for columns, rows in ((1, 1), (20, 5), (48, 14), (60, 20), (200, 60), (80, 24)):
        screen.resize(columns, rows)
    screen.shows("nightly-docs", "Help")
    assert screen.leave() == 0
