"""The bytes that call the user: nothing of the text steers the terminal."""

import asyncio
from dataclasses import replace

import pytest

from hermes_tui.tui.alerting import ASKS_TITLE, BELL, GIVE_TITLE_BACK, TITLE, notification, titled
from hermes_tui.tui.app import HermesApp
from tests.tui.driving import dashboard, settle
from tests.tui.situations import asking

HOSTILE = "a\x1b]0;owned\x07b\x1b\\c\x9cd\x9de\nf\u202eg"


@pytest.mark.parametrize(
    ("environ", "before"),
    [
        ({}, "\x1b]9;hermes-tui: "),
        ({"TERM": "xterm-256color"}, "\x1b]9;hermes-tui: "),
        ({"TERM": "rxvt-unicode-256color"}, "\x1b]777;notify;hermes-tui;"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "\x1b]777;notify;hermes-tui;"),
    ],
)
def test_a_notification_is_one_sequence_whatever_is_in_its_text(environ: dict[str, str], before: str) -> None:
    made = notification(HOSTILE, environ)
    assert made.startswith(before)
    assert made.endswith("\x1b\\")
    text = made.removeprefix(before).removesuffix("\x1b\\")
    assert [letter for letter in text if not letter.isprintable()] == []
    assert [letter for letter in "abcdefg" if letter not in text] == []


@pytest.mark.parametrize(
    ("environ", "before", "after"),
    [
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, "\x1bPtmux;\x1b\x1b]9;hermes-tui: ", "\a\x1b\\"),
        ({"TERM": "screen-256color", "TMUX": "x", "VTE_VERSION": "7600"}, "\x1bPtmux;\x1b\x1b]777;notify;", "\a\x1b\\"),
        ({"TERM": "screen", "STY": "1.pts-0"}, "\x1bP\x1b]9;hermes-tui: ", "\a\x1b\\"),
    ],
)
def test_a_multiplexer_hands_it_on_to_the_terminal_behind_it(environ: dict[str, str], before: str, after: str) -> None:
    made = notification(HOSTILE, environ)
    assert made.startswith(before)
    assert made.endswith(after)
    text = made.removeprefix(before).removesuffix(after)
    assert [letter for letter in text if not letter.isprintable()] == []


@pytest.mark.parametrize("term", ["linux", "dumb"])
def test_a_terminal_that_would_print_it_as_text_is_spared(term: str) -> None:
    assert notification("text", {"TERM": term, "VTE_VERSION": "7600"}) == titled(TITLE, {"TERM": term}) == ""


def test_a_text_is_never_the_number_of_a_command() -> None:
    assert notification("4;1;50", {}) == "\x1b]9;hermes-tui: 4;1;50\x1b\\"


def written_by(app: HermesApp, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the app writes to its terminal from now on."""
    written: list[str] = []
    monkeypatch.setattr(app._driver, "write", written.append)
    return written


async def test_the_title_says_whether_any_session_is_off_its_primary_and_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    app, book = dashboard()
    written: list[str] = []
    async with app.run_test(size=(80, 24)) as pilot:
        written = written_by(app, monkeypatch)
        all_home = tuple(state for state in book.snapshot().sessions if not state.row.on_fallback)
        await book.turn(replace(book.snapshot(), revision=2, sessions=all_home))
        await settle(pilot)
        assert written == [f"\x1b]2;{TITLE}\x1b\\"]
        app.tick()
    assert written[1:] == [GIVE_TITLE_BACK]


async def test_the_title_says_that_a_session_asks_before_it_says_that_one_is_off_its_primary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    app, book = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        written = written_by(app, monkeypatch)
        assert any(state.row.on_fallback for state in asking().sessions)
        await book.turn(replace(asking(), revision=2))
        await settle(pilot)
        assert written == [f"\x1b]2;{ASKS_TITLE}\x1b\\"]


async def test_one_bell_rings_for_all_notices_that_come_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VTE_VERSION", raising=False)
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)):
        written = written_by(app, monkeypatch)
        await app.alert(("one", "two"), bell=True, desktop=True)
        assert written == [BELL + notification("one", {}) + notification("two", {})]


async def test_a_terminal_that_is_the_editors_is_left_alone_until_it_is_ours_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        written = written_by(app, monkeypatch)
        app._has_terminal.clear()
        alert = asyncio.ensure_future(app.alert(("one",), bell=True, desktop=False))
        await settle(pilot)
        assert BELL not in written
        app._has_terminal.set()
        await alert
        assert BELL in written
