"""A line to one bridge: bounded in time and size, whatever is at the other end. Blocking: made to run in a thread."""

import json
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hermes_tui.bridge import answers, places
from hermes_tui.bridge.values import Act, LiveState
from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.core.text import PlainText

PROTOCOLS: Final = [1]
PATIENCE_SECONDS: Final = 2.0
ACT_SECONDS: Final = 20.0
"""Hermes waits up to 15 s for the lock of auth.json."""

LONGEST_ANSWER: Final = 4 << 20
_CHUNK: Final = 64 << 10


class HungUpError(NothingReachableError):
    """The other side has closed the line."""


class Client:
    """Talks to the bridge of one process; `process` is who it is. After any error it is of no more use."""

    def __init__(self, line: socket.socket, pid: int) -> None:
        self._line, self._pid = line, pid
        self._rest = b""
        self._number = 0
        try:
            self.process = answers.process(self._ask("hello", {"versions": PROTOCOLS}, PATIENCE_SECONDS), pid)
        except BaseException:
            self.close()
            raise

    @classmethod
    def connect(cls, home: Path, pid: int) -> Self:
        """Return a line to the bridge of process `pid`, greeted.

        Raises NothingReachableError where nobody answers in time, RefusedError with the reason where it must not be
        talked to or speaks no version in common.
        """
        with places.opened(home) as folder:
            line = places.connected(home, folder, pid, PATIENCE_SECONDS)
        return cls(line, pid)

    def state(self) -> LiveState:
        """Return where each session of the process stands. Raises NothingReachableError."""
        return answers.state(self._ask("state", {}, PATIENCE_SECONDS), self.process, time.time())

    def do(self, act: Act, what: Mapping[str, str]) -> PlainText:
        """Do `act`; return in a sentence what was done and what will happen.

        `what` names the `session`; for a cooldown the `provider` and the id or label of the `credential`, for a
        verdict the `fingerprint`. Raises RefusedError with the reason, and NothingReachableError: then nobody knows
        whether it was done.
        """
        if (why := self.process.why_not(act)) is not None:
            raise RefusedError(why)
        told = self._ask(act.value, what, ACT_SECONDS)
        return answers.sentence(told.get("said")) if isinstance(told, Mapping) else PlainText("")

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, wanted: str, what: Mapping[str, object], patience_seconds: float) -> object:
        self._number += 1
        request = {"id": self._number, "do": wanted, **what}
        try:
            answer = self._exchange(json.dumps(request).encode() + b"\n", time.monotonic() + patience_seconds)
        except ConnectionError:
            raise self._hung_up() from None
        except OSError as error:  # a timeout is one
            why = error.strerror or "in time"
            raise NothingReachableError(f"the bridge of process {self._pid} did not answer ({why})") from None
        if answer.get("id") != self._number:
            raise self._hostile()
        if why := answers.sentence(answer.get("error")):
            raise RefusedError(why)
        return answer.get("result")

    def _exchange(self, request: bytes, until: float) -> Mapping[str, object]:
        self._line.settimeout(max(until - time.monotonic(), 0.001))
        self._line.sendall(request)
        while b"\n" not in self._rest:
            if len(self._rest) > LONGEST_ANSWER:
                raise self._hostile()
            self._line.settimeout(max(until - time.monotonic(), 0.001))
            data = self._line.recv(_CHUNK)
            if not data:
                raise self._hung_up()
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise self._hostile() from None
        if not isinstance(answer, dict):
            raise self._hostile()
        return answer

    def _hung_up(self) -> HungUpError:
        return HungUpError(f"the bridge of process {self._pid} hung up")

    def _hostile(self) -> NothingReachableError:
        return NothingReachableError(f"what listens for process {self._pid} is no bridge: its answer makes no sense")
