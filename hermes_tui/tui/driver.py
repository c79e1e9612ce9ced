"""Textual's terminal driver, made to outlive its terminal.

Its own writing waits for a terminal that takes nothing, and everything with it; its own reading ends the program at
the first byte that is no UTF-8, and spins where the terminal is gone. Here what is drawn for nobody is dropped, and a
program without a terminal leaves.
"""

import os
import selectors
import signal
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from hermes_tui.tui.pasting import PasteGuard
from hermes_tui.tui.writer import Writer

if TYPE_CHECKING:
    from textual.app import App

_STANDARD_ERROR: Final = 2
_LOOK_SECONDS: Final = 0.1
_LOOKS: Final = 10
"""So often the input is looked after once something came: whether an escape was a key, whether the app leaves."""

_READ_BYTES: Final = 4096
_TURN_SECONDS: Final = 0.001
"""For so long the app keeps the threads waiting that read keys and write what was painted."""


class LastingDriver(LinuxDriver):
    """Leaves the app when its terminal is gone, with or without a signal."""

    def __init__(self, app: "App[object]", **options: Any) -> None:
        super().__init__(app, **options)
        self._is_gone = False
        self._has_terminal = self._gives_it_back = False
        self._parser = XTermParser(self._debug)
        self._pastes = PasteGuard()
        self._writer = Writer(_STANDARD_ERROR, on_lost=self._gone, on_caught_up=self._caught_up)
        self._called, self._call = os.pipe()
        for number, act in ((signal.SIGTSTP, self._sigtstp_application), (signal.SIGCONT, self._sigcont_application)):
            self._loop.add_signal_handler(number, act)  # between two pictures, never in the middle of one
        sys.setswitchinterval(_TURN_SECONDS)

    def write(self, data: str) -> None:
        """Have `data` written; never waits for the terminal."""
        self._writer.write(data)

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._has_terminal = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was, whatever it has not taken yet."""
        if self._has_terminal and not self._gives_it_back:
            self._gives_it_back = True
            self._writer.give_up_pictures()
            super().stop_application_mode()
            self._has_terminal = self._gives_it_back = False

    def disable_input(self) -> None:
        """Read no more, at once."""
        os.write(self._call, b"!")
        super().disable_input()

    def close(self) -> None:
        """Wait a moment until the terminal has taken everything."""
        super().close()
        self._writer.finish()

    def release(self) -> None:
        """Leave the terminal as it was, now and for good, in a thread that does not wait for the app."""
        self._writer.reserve()
        self._disable_mouse_support()  # what stops the input does nothing of it in another thread
        self._gives_it_back = False  # though the app may have begun with it: it does not come to the end
        self.stop_application_mode()
        self._writer.finish()

    def run_input_thread(self) -> None:
        """Read what the terminal sends until the app leaves; bytes that are no text become U+FFFD."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        looks = _LOOKS
        with selectors.SelectSelector() as selector:
            for one in (self.fileno, self._called):
                selector.register(one, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                ready = {key.fd for key, _ in selector.select(_LOOK_SECONDS if looks else None)}
                looks = _LOOKS if ready else looks - 1
                if self._called in ready:
                    os.read(self._called, _READ_BYTES)
                if self.fileno in ready:
                    data = self._read()
                    if not data:
                        self._gone()
                        return
                    self._take(decode(data))
                for message in self._parser.tick():
                    self.process_message(message)

    def _take(self, text: str) -> None:
        """Hand on the keys and answers in what the terminal sent, up to one that nobody understands."""
        try:
            told = self._pastes.guarded(text)
            for message in self._parser.feed(told) if told else ():
                self.process_message(message)
        except (ValueError, OverflowError):
            self._parser = XTermParser(self._debug)

    def _read(self) -> bytes:
        """Return what the terminal has sent, nothing where it is gone."""
        try:
            return os.read(self.fileno, _READ_BYTES)
        except OSError:
            return b""

    def _gone(self) -> None:
        """Leave, once; called in a thread."""
        if not self._is_gone:
            self._is_gone = True
            self._tell(self._app.exit)

    def _caught_up(self) -> None:
        """Draw everything again, for something was left out; called in a thread."""
        self._tell(self._app.refresh)

    def _tell(self, what: Callable[[], object]) -> None:
        """Have the app do something, unless it is over."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)
