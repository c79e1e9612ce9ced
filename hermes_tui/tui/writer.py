"""What is written to the terminal: at once what it takes, the rest in a thread, so that it holds nobody up.

A window may be frozen, a connection slow. Whoever writes never waits; what would pile up is left out, and one whole
picture follows as soon as there is room again.
"""

import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

BACKLOG_BYTES: Final = 65_536
"""So much may wait for the terminal; beyond it pictures are left out."""

PATIENCE_SECONDS: Final = 0.3
"""How long the end waits for a terminal that takes nothing."""

LAST_PATIENCE_SECONDS: Final = 1.0
"""How long it waits where the rest of the program is too busy to end."""

_LOOK_SECONDS: Final = 0.05
_CANCEL: Final = b"\x18\x1b[0m"
"""Ends a control sequence that was cut off, and the style of what it stood in."""


class Writer:
    """Writes to the terminal behind `descriptor`.

    `on_lost` is called once when the terminal is gone, `on_caught_up` when something was left out and there is room
    again; both in the writing thread.
    """

    def __init__(self, descriptor: int, *, on_lost: Callable[[], None], on_caught_up: Callable[[], None]) -> None:
        self._descriptor = _own(descriptor)
        self._on_lost = on_lost
        self._on_caught_up = on_caught_up
        self._pending: list[bytes] = []
        self._waiting = 0
        self._writing = False
        self._is_behind = False
        self._is_lost = False
        self._gives_up = False
        self._author: int | None = None
        self._patience = PATIENCE_SECONDS
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="terminal-output", daemon=True).start()

    def write(self, text: str) -> None:
        """Have `text` written, or leave it out where too much waits already."""
        with self._changed:
            self._is_behind = self._is_behind or self._waiting > BACKLOG_BYTES
            if self._is_behind or self._is_lost or self._author not in (None, threading.get_ident()):
                return
            self._put(text.encode(errors="replace"))

    def reserve(self) -> None:
        """From now on write what this thread says, and nobody else; these are the last words, so wait longer."""
        self._author, self._patience = threading.get_ident(), LAST_PATIENCE_SECONDS

    def give_up_pictures(self) -> None:
        """Make room for what is written next: drop what a frozen terminal has not taken."""
        if self.finish():
            return
        with self._changed:
            self._pending.clear()
            self._waiting, self._is_behind, self._gives_up = 0, False, True
        _discard_output(self._descriptor)  # which frees a thread that waits for room
        with self._changed:
            self._changed.wait_for(lambda: not self._writing, self._patience)
            _discard_output(self._descriptor)  # what it wrote until it saw that it is to give up
            self._put(_CANCEL)

    def finish(self) -> bool:
        """Wait until all is written, for a moment at most; tell whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._writing, self._patience)

    def _put(self, data: bytes) -> None:
        if not self._pending and not self._writing:
            data = self._offered(data)
        if not data:
            return
        self._pending.append(data)
        self._waiting += len(data)
        self._changed.notify_all()

    def _offered(self, data: bytes) -> bytes:
        """Write what the terminal takes without waiting, and return the rest; a failure is left to the thread."""
        if os.get_blocking(self._descriptor):
            return data
        try:
            return data[os.write(self._descriptor, data) :]
        except OSError:
            return data

    def _run(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._pending or self._is_behind)
                data = b"".join(self._pending)
                self._pending.clear()
                self._waiting, self._writing, self._gives_up = 0, True, False
                caught_up = not data
                if caught_up:
                    self._is_behind = False
            if caught_up:
                self._on_caught_up()
            elif not self._is_lost:
                self._take(memoryview(data))

    def _take(self, data: memoryview) -> None:
        """Write `data` as the terminal takes it, unless that is given up meanwhile."""
        while data and not self._gives_up:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                _wait_for_room(self._descriptor)
            except OSError:
                self._is_lost = True
                self._on_lost()
                return


def _own(descriptor: int) -> int:
    """Return the same terminal, opened for this writer alone, so that writing can be given up.

    Where the system cannot open it again it is shared, and a frozen terminal keeps what was begun.
    """
    try:
        return os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return os.dup(descriptor)


def _wait_for_room(descriptor: int) -> None:
    """Wait a moment for a terminal that takes nothing; not all of them tell when they do again."""
    select.select([], [descriptor], [], _LOOK_SECONDS)
    time.sleep(_LOOK_SECONDS / 10)


def _discard_output(descriptor: int) -> None:
    """Have the system forget what the terminal has not taken."""
    import termios  # noqa: PLC0415 - it exists on POSIX only

    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCOFLUSH)
