"""What one bridge is asked: who it is, where its sessions stand, and the acts. Made to run in a thread."""

import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hermes_tui.bridge import answers, places
from hermes_tui.bridge.line import Line
from hermes_tui.bridge.values import Act, LiveState
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.text import PlainText

PROTOCOLS: Final = [1]
PATIENCE_SECONDS: Final = 2.0
ACT_SECONDS: Final = 20.0
"""Hermes waits up to 15 s for the lock of auth.json."""


class Client:
    """Talks to the bridge of one process; `process` is who it is. After any error it is of no more use."""

    def __init__(self, line: Line, pid: int) -> None:
        self._line = line
        self.process = answers.process(line.ask("hello", {"versions": PROTOCOLS}, PATIENCE_SECONDS), pid)

    @classmethod
    def connect(cls, home: Path, pid: int) -> Self:
        """Return a line to the bridge of process `pid`, greeted.

        Raises NothingReachableError where nobody answers in time, RefusedError with the reason where it must not be
        talked to or speaks no version in common.
        """
        with places.opened(home) as folder:
            line = Line(places.connected(home, folder, pid, PATIENCE_SECONDS), f"the bridge of process {pid}")
        try:
            return cls(line, pid)
        except BaseException:
            line.close()
            raise

    def state(self) -> LiveState:
        """Return where each session of the process stands. Raises NothingReachableError."""
        return answers.state(self._line.ask("state", {}, PATIENCE_SECONDS), self.process, time.time())

    def do(self, act: Act, what: Mapping[str, str]) -> PlainText:
        """Do `act`; return in a sentence what was done and what will happen.

        `what` names the `session`; for a cooldown the `provider` and the id or label of the `credential`, for a
        verdict the `fingerprint`. Raises RefusedError with the reason, and NothingReachableError: then nobody knows
        whether it was done.
        """
        if (why := self.process.why_not(act)) is not None:
            raise RefusedError(why)
        told = self._line.ask(act.value, what, ACT_SECONDS)
        return answers.sentence(told.get("said")) if isinstance(told, Mapping) else PlainText("")

    def close(self) -> None:
        """Hang up."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
