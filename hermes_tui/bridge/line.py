"""A line to one process: bounded in time and size, whatever is at the other end. Blocking: made to run in a thread."""

import json
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from hermes_tui.bridge import answers
from hermes_tui.core.errors import NothingReachableError, RefusedError

LONGEST_ANSWER: Final = 4 << 20
_CHUNK: Final = 64 << 10


class HungUpError(NothingReachableError):
    """The other side has closed the line."""


class Line:
    """Asks one question after another; `other` is what sentences call who answers.

    After any error but a refusal, which is an answer, it is of no more use.
    """

    def __init__(self, line: socket.socket, other: str) -> None:
        self._line, self._other = line, other
        self._rest = b""
        self._number = 0

    def ask(self, wanted: str, what: Mapping[str, object], patience_seconds: float) -> object:
        """Return the answer to a question. Raises RefusedError with the other side's reason, NothingReachableError."""
        self._number += 1
        request = {"id": self._number, "do": wanted, **what}
        try:
            answer = self._exchange(json.dumps(request).encode() + b"\n", time.monotonic() + patience_seconds)
        except ConnectionError:
            raise self._hung_up() from None
        except OSError as error:  # a timeout is one
            why = error.strerror or "in time"
            raise NothingReachableError(f"{self._other} did not answer ({why})") from None
        if answer.get("id") != self._number:
            raise self._hostile()
        if why := answers.sentence(answer.get("error")):
            raise RefusedError(why)
        return answer.get("result")

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
        return HungUpError(f"{self._other} hung up")

    def _hostile(self) -> NothingReachableError:
        return NothingReachableError(f"{self._other} gives an answer that makes no sense")
