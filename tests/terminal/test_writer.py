"""The writer, in front of a terminal that takes what it is given too slowly."""

import os
import tty
from contextlib import suppress

import pytest

from hermes_tui.tui import writer as writers
from hermes_tui.tui.writer import _CANCEL, BACKLOG_BYTES, Writer, _discard_output

LAST_WORDS = b"\x1b[?2004l\x1b[<u"


def test_c134_last_words_are_not_forgotten_with_the_pictures_that_a_slow_terminal_has_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal, ours = os.openpty()
    tty.setraw(ours)
    os.set_blocking(terminal, False)
    writer = Writer(ours, on_lost=lambda: None, on_caught_up=lambda: None)

    def discard_late(descriptor: int) -> None:
        """Forget what waits, once the terminal has made room and the writing thread has used it."""
        with suppress(BlockingIOError):
            os.read(terminal, BACKLOG_BYTES)
        writer.finish()
        _discard_output(descriptor)

    monkeypatch.setattr(writers, "_discard_output", discard_late)
    writer.write("picture" * (BACKLOG_BYTES // 7))
    assert not writer.finish()

    writer.give_up_pictures()
    writer.write(LAST_WORDS.decode())
    assert writer.finish()

    os.set_blocking(terminal, True)
    taken = b""
    while not taken.endswith(LAST_WORDS):
        taken += os.read(terminal, BACKLOG_BYTES)
    assert taken.endswith(_CANCEL + LAST_WORDS)
    os.close(terminal)
    os.close(ours)
