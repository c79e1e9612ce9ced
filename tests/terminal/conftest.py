"""The dashboard in a real terminal: a pty with an emulator behind it, keys that are pressed, a screen that is read."""

import os
import select
import sys
import time
from collections.abc import Callable, Iterator

import ptyprocess
import pyte
import pytest

PATIENCE_SECONDS = 40.0


def surroundings() -> dict[str, str]:
    """Return the environment without the size of another terminal, which would outrank the program's own."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """A program in a pty; `screen` is what a person would see."""

    def __init__(self, columns: int, rows: int, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        self._process = ptyprocess.PtyProcess.spawn(
            [sys.executable, "-m", "hermes_tui", *arguments],
            dimensions=(rows, columns),
            env=surroundings() | {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | (environment or {}),
        )

    @property
    def pid(self) -> int:
        """The program's process."""
        return int(self._process.pid)

    @property
    def lines(self) -> list[str]:
        """The screen's lines, as they stand."""
        return list(self._screen.display)

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def press(self, keys: str) -> None:
        """Type keys."""
        self._process.write(keys.encode())

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

    def _read(self, patience: float) -> bool:
        readable, _, _ = select.select([self._process.fd], [], [], patience)
        if not readable:
            return False
        try:
            data = self._process.read(65536)
        except EOFError:
            return False
        self.written += data
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

    def leave(self) -> int:
        """Quit as a person does, typing or not: ctrl+q, and y where it asks because a turn runs."""
        self.press("\x11")
        deadline = time.monotonic() + 5
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
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._process.isalive():
            if time.monotonic() > deadline:
                pytest.fail("it did not end")
            time.sleep(0.05)
        status = self._process.exitstatus
        return int(status) if status is not None else -int(self._process.signalstatus)

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

    def open_one(columns: int, rows: int, *arguments: str, environment: dict[str, str] | None = None) -> Terminal:
        opened.append(Terminal(columns, rows, *arguments, environment=environment))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()
