"""Programs in a real terminal, and what they cost there: time to a sight, CPU, bytes written, memory (Linux)."""

import os
import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ptyprocess import PtyProcess

from tests.benchmarks.measuring import Spent

SIZE: Final = (40, 120)
PATIENCE_SECONDS: Final = 30.0


class Terminal:
    """A running program; its output is read, and counted, only while somebody waits."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        everything = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self._began = time.perf_counter()
        self._process = PtyProcess.spawn(list(command), dimensions=SIZE, env=everything)
        self._output = b""

    @property
    def output(self) -> bytes:
        """Everything that the program wrote while it was read."""
        return self._output

    def until(self, sight: bytes) -> Spent:
        """Read until `sight` was written; return what it took since the start, of time and of the program's CPU."""
        deadline = self._began + PATIENCE_SECONDS
        while sight not in self._output:
            if not self._read(deadline):
                raise TimeoutError(f"{sight!r} was not shown; the last was {self._output[-500:]!r}")
        return Spent(time.perf_counter() - self._began, self.cpu_seconds())

    def watch(self, seconds: float) -> int:
        """Read for `seconds`; return how many bytes came."""
        before, deadline = len(self._output), time.perf_counter() + seconds
        while self._read(deadline):
            pass
        time.sleep(max(deadline - time.perf_counter(), 0.0))
        return len(self._output) - before

    def _read(self, deadline: float) -> bool:
        left = max(deadline - time.perf_counter(), 0.0)
        if not select.select([self._process.fd], [], [], left)[0]:
            return False
        try:
            self._output += os.read(self._process.fd, 65536)
        except OSError:
            return False
        return True

    def cpu_seconds(self) -> float:
        """Return the CPU time that the program has used, by its clock in the kernel."""
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def memory_bytes(self) -> int:
        """Return the memory that the program has resident."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        """End the program."""
        self._process.close(force=True)


@contextmanager
def terminal(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Run a program in a terminal of 120x40 while the context is open."""
    running = Terminal(command, environment)
    try:
        yield running
    finally:
        running.close()
