"""What a real terminal is sent: no colour where none is wanted, and states apart where there are but sixteen."""

import re

from hermes_tui.tui.alerting import OFF_PRIMARY_TITLE, TITLE
from tests.terminal.conftest import Open

SGR = re.compile(rb"\x1b\[([\d;:]*)m")
SENT_TITLE = re.compile(rb"\x1b\][012];([^\x07\x1b]*)")


def codes(written: bytes) -> set[int]:
    """Return the numbers of every style that was sent."""
    return {int(number) for found in SGR.findall(written) for number in re.split(rb"[;:]", found) if number}


def coloured(written: bytes) -> set[int]:
    """Return the numbers that choose a colour; 39 and 49 are the terminal's own."""
    return {code for code in codes(written) if 30 <= code <= 38 or 40 <= code <= 48 or 90 <= code <= 107}


def test_no_color_sends_no_colour(terminal: Open) -> None:
    screen = terminal(120, 40, "demo", "--speed", "90", environment={"NO_COLOR": "1"})
    screen.shows("WAITING FOR RESET")
    screen.press("?")
    screen.shows("esc closes")
    screen.press("?")
    screen.until(lambda text: "esc closes" not in text, "the end of the help")
    assert screen.leave() == 0
    assert coloured(screen.written) == set()
    assert {1, 4} <= codes(screen.written)


def test_sixteen_colours_tell_ok_from_dead(terminal: Open) -> None:
    screen = terminal(120, 40, "demo", "--speed", "90", environment={"TERM": "xterm", "COLORTERM": ""})
    screen.shows("WAITING FOR RESET", "COOLING")
    assert screen.leave() == 0
    sent = coloured(screen.written)
    assert {31, 32, 33} <= sent
    assert not {38, 48} & sent


def test_nothing_from_a_provider_or_a_file_becomes_the_title(terminal: Open) -> None:
    screen = terminal(80, 24, "demo", "--speed", "90")
    screen.shows("WAITING FOR RESET")
    assert screen.leave() == 0
    assert set(SENT_TITLE.findall(screen.written)) == {TITLE.encode(), OFF_PRIMARY_TITLE.encode()}
