"""Lives as their witness knows them: begun in a moment, heard while they last, ended with kill -9."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.decision import Record

ROOT: Final = Path(__file__).parents[2]

PATIENCE_SECONDS: Final = 0.2
"""For so long a life may say nothing, before it is killed all the same."""


@dataclass(slots=True)
class Heard:
    """What a life has acknowledged, and the records of the commit that was under way when it ended."""

    records: list[Record] = field(default_factory=list)
    under_way: tuple[Record, ...] = ()

    def take(self, word: tuple[Record, ...] | None) -> None:
        """Take what a life says: the records that a commit is about to write, None once it has returned."""
        if word is None:
            self.records += self.under_way
        self.under_way = word or ()

    def all_of(self, said: Connection) -> "Heard":
        """Take what is said until nobody speaks any more."""
        with said:
            while True:
                try:
                    self.take(said.recv())
                except (EOFError, OSError):  # the end, or the end within a word
                    return self


@dataclass(frozen=True, slots=True)
class Life:
    """A process that was forked for one order."""

    pid: int
    said: Connection
    orders: Connection

    def kill(self, *, words: int = 0, seconds: float = 0.0) -> Heard:
        """Kill the life `seconds` after its next `words`, and return what it said; it must not have ended before."""
        heard = Heard()
        for _ in range(words):
            if not self._hear(heard, PATIENCE_SECONDS):
                break
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._hear(heard, left)
        os.kill(self.pid, signal.SIGKILL)
        assert self.exit_code() == -signal.SIGKILL
        return heard.all_of(self.said)

    def _hear(self, heard: Heard, seconds: float) -> bool:
        """Take the next word, where one is said within `seconds`; tell whether one was."""
        spoken = self.said.poll(seconds)
        if spoken:
            heard.take(self.said.recv())
        return spoken

    def outlive(self) -> Heard:
        """Return what the life said when it has ended well by itself."""
        heard = Heard().all_of(self.said)
        assert self.exit_code() == 0
        return heard

    def exit_code(self) -> int:
        """Wait for the end of the life, and return its exit code, negative for a signal."""
        self.orders.send(self.pid)
        return int(self.orders.recv())


class Zygote:
    """The process that lives are forked from."""

    def __init__(self, orders: Connection, pid: int) -> None:
        self._orders = orders
        self._pid = pid

    def rehearse(self, do: Callable[..., None], *arguments: Any) -> None:
        """Let the zygote itself do once what its lives will do, so that they start with everything loaded."""
        Heard().all_of(self._order(do, *arguments))

    def life(self, do: Callable[..., None], *arguments: Any) -> Life:
        """Begin a life that calls `do` with `arguments` and a connection to speak on."""
        said = self._order(do, *arguments)
        return Life(self._orders.recv(), said, self._orders)

    def _order(self, do: Callable[..., None], *arguments: Any) -> Connection:
        said, spoken = Pipe(duplex=False)
        with spoken:
            self._orders.send((do, *arguments))
            send_handle(self._orders, spoken.fileno(), self._pid)
        return said


@contextmanager
def zygote() -> Iterator[Zygote]:
    """Start a zygote; it ends with the block, and with it every life that is left."""
    orders, theirs = Pipe()
    with orders, theirs:
        command = [sys.executable, "-m", "tests.durability.zygote", str(theirs.fileno())]
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], start_new_session=True)
        theirs.close()
        try:
            yield Zygote(orders, process.pid)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
