"""The dashboard in a real terminal: a pty with an emulator behind it, keys that are pressed, a screen that is read."""

import os
import select
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ptyprocess
import pyte
import pytest
from wcwidth import wcwidth

from tests.surroundings import surroundings

PATIENCE_SECONDS = 40.0
QUIET_SECONDS = 0.25
"""Longer than any pause of a program that is drawing, shorter than its tick."""


class Screen(pyte.Screen):
    """An emulated screen that goes on behind marks without a width; its library's own leaves out all that follows."""

    def draw(self, data: str) -> None:
        super().draw("".join(letter for letter in data if wcwidth(letter) != 0 or unicodedata.combining(letter)))


class Terminal:
    """A program in a pty; `screen` is what a person would see."""

    def __init__(
        self,
        columns: int,
        rows: int,
        *arguments: str,
        environment: dict[str, str] | None = None,
        program: Sequence[str] = ("-m", "hermes_tui"),
    ) -> None:
        self._screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        self._process = ptyprocess.PtyProcess.spawn(
            [sys.executable, *program, *arguments],
            dimensions=(rows, columns),
            env=surroundings() | {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | (environment or {}),
        )

    @property
    def pid(self) -> int:
        """The program's process."""
        return int(self._process.pid)

    @property
    def is_alive(self) -> bool:
        """Whether the program runs."""
        return bool(self._process.isalive())

    @property
    def lines(self) -> list[str]:
        """The screen's lines, as they stand."""
        return ["".join(row) for row in self.cells]

    @property
    def cells(self) -> list[list[str]]:
        """What stands in each cell, by row; nothing in the second cell of a wide character."""
        screen = self._screen
        return [[screen.buffer[row][column].data for column in range(screen.columns)] for row in range(screen.lines)]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def press(self, keys: str) -> None:
        """Type keys."""
        self.send(keys.encode())

    def send(self, data: bytes) -> None:
        """Send bytes as a terminal does."""
        self._process.write(data)

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size."""
        self._screen.resize(rows, columns)
        self._process.setwinsize(rows, columns)

    def until(self, is_so: Callable[[str], bool], what: str) -> str:
        """Read what the program writes until the screen is as wanted; fail with the screen otherwise."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if is_so(self.text):
                return self.text
            if not self._read(0.2) and not self._process.isalive():
                break
        pytest.fail(f"never came: {what}\n{self.text}")

    def shows(self, *words: str) -> str:
        """Wait until every one of `words` is on the screen."""
        return self.until(lambda text: all(word in text for word in words), f"{words}")

    def place(self, text: str) -> tuple[int, int]:
        """Wait for `text` on a screen that is drawn to its end, and return the cell in which it begins, from 0."""
        self.shows(text)
        self.settled()
        return next((line.index(text), y) for y, line in enumerate(self.lines) if text in line)

    def settled(self) -> str:
        """Read until the program pauses, and return the screen."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (self._read(QUIET_SECONDS) or self._has_work()) and time.monotonic() < deadline:
            pass
        return self.text

    def _has_work(self) -> bool:
        """Tell whether the program would go on if a processor were free."""
        try:
            threads = [one.read_text(encoding="ascii") for one in Path(f"/proc/{self.pid}/task").glob("*/stat")]
        except OSError:  # one of them has just ended
            return True
        return any(one.rpartition(")")[2].split()[0] in ("R", "D") for one in threads)

    def reads(self, seconds: float) -> None:
        """Read what comes within so many seconds."""
        self._read(seconds)

    def overlooks(self, seconds: float) -> None:
        """Read what comes within so many seconds without drawing it; after a resize the program paints all anew."""
        self._read(seconds, draw=False)

    def processor_seconds(self) -> float:
        """Return how much of a processor the program has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _read(self, patience: float, *, draw: bool = True) -> bool:
        readable, _, _ = select.select([self._process.fd], [], [], patience)
        if not readable:
            return False
        try:
            data = self._process.read(65536)
        except EOFError:
            return False
        self.written += data
        if draw:
            self._stream.feed(data)
        return True

    def ends(self) -> int:
        """Wait for the program's end, and return its exit code, negative for a signal."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._process.isalive():
            self._read(0.1)
            if time.monotonic() > deadline:
                pytest.fail(f"it did not end\n{self.text}")
        while self._read(0.05):
            pass
        status = self._process.exitstatus
        return int(status) if status is not None else -int(self._process.signalstatus)

    def leave_prompt(self) -> None:
        """Leave the prompt box, which stays open after sending."""
        self.press("\x1b")
        self.until(lambda text: "┏━ Prompt" not in text, "the prompt box closed")

    def leave(self) -> int:
        """Quit as a person does, typing or not: ctrl+q, and y where it asks because a turn runs."""
        self.press("\x11")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._process.isalive() and time.monotonic() < deadline:
            self._read(0.1)
            if "Quit while" in self.text:
                self.press("y")
                break
        return self.ends()

    def hang_up(self) -> int:
        """Take the terminal away, as a lost connection does; return the exit code of the program's end."""
        self._process.fileobj.close()
        self._process.closed = True
        return self.ends_unread()

    def ends_unread(self) -> int:
        """Wait for the program's end while nobody reads what it writes, and return its exit code."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._process.isalive():
            if time.monotonic() > deadline:
                pytest.fail("it did not end")
            time.sleep(0.05)
        status = self._process.exitstatus
        return int(status) if status is not None else -int(self._process.signalstatus)

    def rest(self) -> None:
        """Read what is left of what was written."""
        while self._read(QUIET_SECONDS):
            pass

    def kill(self, number: int) -> None:
        """Send a signal."""
        self._process.kill(number)

    def close(self) -> None:
        """End the program, whatever it does."""
        self._process.close(force=True)


Open = Callable[..., Terminal]


@pytest.fixture
def terminal() -> Iterator[Open]:
    """Open terminals; all are closed at the end."""
    opened: list[Terminal] = []

    def open_one(columns: int, rows: int, *arguments: str, **options: Any) -> Terminal:
        opened.append(Terminal(columns, rows, *arguments, **options))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()
