"""Programs in a real terminal, and what they cost there: time to a sight, CPU, bytes written, memory (Linux)."""

import os
import re
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ptyprocess import PtyProcess

from tests.benchmarks.measuring import Spent
from tests.benchmarks.process import resident_bytes
from tests.surroundings import surroundings

SIZE: Final = (40, 120)
PATIENCE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Taken:
    """What a program took while it was watched: a share of a core, bytes to the terminal in a second, and memory.

    `read` are the bytes in a second that it asked the system for, from files and the terminal, and `from_disk` those of
    them that were not in the system's memory.
    """

    share: float
    written: float
    memory: int
    read: float
    from_disk: float


class Terminal:
    """A running program; its output is read only while somebody waits for it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        everything = {**surroundings(), "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self._began = time.perf_counter()
        self._process = PtyProcess.spawn(list(command), dimensions=SIZE, env=everything)
        self.output = b""
        """Everything that the program wrote while it was read."""

    def fileno(self) -> int:
        """Return the descriptor of our end of the terminal."""
        descriptor: int = self._process.fd
        return descriptor

    def until(self, sight: bytes) -> Spent:
        """Read until `sight` was written; return what it took since the start, of time and of the program's CPU."""
        self._read_until(re.compile(re.escape(sight)), 0, self._began + PATIENCE_SECONDS)
        return Spent(time.perf_counter() - self._began, self.cpu_seconds())

    def press(self, key: bytes, sight: re.Pattern[bytes]) -> float:
        """Press `key` and read until `sight` was written; return the seconds between."""
        return self.after(lambda: os.write(self.fileno(), key), sight)

    def after(self, deed: Callable[[], object], sight: re.Pattern[bytes]) -> float:
        """Do something and read until `sight` was written; return the seconds between."""
        before, began = len(self.output), time.perf_counter()
        deed()
        self._read_until(sight, before, began + PATIENCE_SECONDS)
        return time.perf_counter() - began

    def _read_until(self, sight: re.Pattern[bytes], start: int, deadline: float) -> None:
        while not sight.search(self.output, start):
            ready, _, _ = select.select([self], [], [], max(deadline - time.perf_counter(), 0.0))
            if not ready or not self.read():
                raise TimeoutError(f"{sight.pattern!r} was not shown; the last was {self.output[-500:]!r}")

    def read(self) -> bool:
        """Read what is there; tell whether more may come."""
        try:
            self.output += os.read(self.fileno(), 65536)
        except OSError:
            return False
        return True

    def cpu_seconds(self) -> float:
        """Return the CPU time that the program has used, by its clock in the kernel."""
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def memory_bytes(self) -> int:
        """Return the memory that the program has resident."""
        return resident_bytes(self._process.pid)

    def bytes_read(self) -> tuple[int, int]:
        """Return how many bytes the program has read, and how many of them came from a disk."""
        lines = Path(f"/proc/{self._process.pid}/io").read_text(encoding="ascii").splitlines()
        counted = dict(line.split(": ") for line in lines)
        return int(counted["rchar"]), int(counted["read_bytes"])

    def close(self) -> None:
        """End the program."""
        self._process.close(force=True)


def watched(running: Sequence[Terminal], seconds: float) -> list[Taken]:
    """Read what all of them write for `seconds`, and return what each of them took."""
    before = [(one.cpu_seconds(), len(one.output), *one.bytes_read()) for one in running]
    alive, deadline = list(running), time.perf_counter() + seconds
    while (left := deadline - time.perf_counter()) > 0:
        for one in select.select(alive, [], [], left)[0]:
            if not one.read():
                alive.remove(one)
    return [_taken(one, seconds, *was) for one, was in zip(running, before, strict=True)]


def _taken(one: Terminal, seconds: float, cpu: float, written: int, read: int, from_disk: int) -> Taken:
    """Return what a program took in so many seconds, since it had taken so much."""
    read_now, from_disk_now = one.bytes_read()
    return Taken(
        (one.cpu_seconds() - cpu) / seconds,
        (len(one.output) - written) / seconds,
        one.memory_bytes(),
        (read_now - read) / seconds,
        (from_disk_now - from_disk) / seconds,
    )


@contextmanager
def terminal(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Run a program in a terminal of 120x40 while the context is open."""
    running = Terminal(command, environment)
    try:
        yield running
    finally:
        running.close()
