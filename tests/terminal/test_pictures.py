"""The timeline and the quotas of the story in a real terminal: opened, walked through, shrunk, and left."""

import pytest

from tests.terminal.conftest import Open

WEEKEND = "█" * 20


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])
def test_friday_to_monday_can_be_looked_at_and_left(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "120")
    screen.shows("LYING PROBE")
    screen.press("v")
    screen.shows("Timeline of review", "Sat", "Sun", "Mon", "now", WEEKEND)
    screen.press("k")
    screen.shows("Timeline of nightly-docs", "backup/small", "verdicts")
    screen.press("\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D")
    screen.shows("left openai-codex/gpt-5.5 (work) for backup/small")
    screen.press("t")
    screen.shows("Recorded since Fri 18:", "restored by a verdict,", "verified Sun", "0 failed restores")
    screen.press("tv")
    screen.shows("1 Sessions", "Help")
    screen.press("u")
    screen.shows("plan plus", "week", "No usage endpoint: backup")
    screen.press("u")
    screen.shows("1 Sessions", "Help")
    assert screen.leave() == 0


def test_in_ascii_and_without_colour_the_window_may_change_its_size(terminal: Open) -> None:
    plain = {"NO_COLOR": "1", "TERM": "linux", "PYTHONIOENCODING": "ascii"}
    screen = terminal(100, 30, "demo", "--speed", "120", environment=plain)
    screen.shows("WAITING FOR RESET")
    screen.press("v")
    screen.shows("Timeline of nightly-docs", "####")
    for columns, rows in ((30, 6), (48, 14), (60, 20), (120, 40)):
        screen.resize(columns, rows)
    text = screen.shows("Timeline of nightly-docs", "all sessions", "esc back")
    assert text.isascii()
    assert b"\x1b[38;2" not in screen.written
    screen.press("\x1b")
    screen.shows("Help")
    assert screen.leave() == 0
