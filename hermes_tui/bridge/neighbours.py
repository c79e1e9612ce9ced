"""The other processes of a state that run sessions: what is on no disk of them, and acts, handed over."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hermes_tui.bridge import answers, places
from hermes_tui.bridge.line import Line
from hermes_tui.core.acts import OnSession
from hermes_tui.core.codec import encode_command
from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.core.snapshot import Live
from hermes_tui.core.text import PlainText

PROTOCOLS: Final = (1,)
"""What is spoken between processes of this program; `serving` answers in it."""

LONGEST_REQUEST: Final = 1 << 20
"""Bytes of an act with its prompt."""

CONNECT_SECONDS: Final = 2.0
PATIENCE_SECONDS: Final = 6.0
ACT_SECONDS: Final = 10.0
"""Both are longer than a process lets one act take before it says that it is not done yet: others wait meanwhile."""

_ROOM: Final = 200
"""Bytes of a request beside what it asks for."""


class StateNeighbours:
    """Implements `core.ports.Neighbours` by the doors that processes open in the folder of a state.

    Each question has a line of its own: that costs less than a millisecond, and nothing is left open.
    """

    def __init__(self, state: Path) -> None:
        self._state = state

    def lives(self, pid: int) -> Mapping[str, Live]:
        """Return what is on no disk of the sessions of a process."""
        with self._line(pid) as line:
            return answers.lives(line.ask("state", {}, PATIENCE_SECONDS))

    def execute(self, pid: int, command: OnSession) -> PlainText:
        """Have a process do `command`."""
        what = {"command": encode_command(command), "until": time.time() + ACT_SECONDS}
        if len(json.dumps(what)) > LONGEST_REQUEST - _ROOM:
            raise RefusedError(f"that is too long for process {pid}: put it into a file that the session can read")
        with self._line(pid) as line:
            try:
                told = line.ask("act", what, ACT_SECONDS)
            except NothingReachableError as error:
                raise NothingReachableError(
                    f"{error}: it may have done it, so look at {command.session} before you ask again"
                ) from None
        return answers.sentence(told.get("said")) if isinstance(told, Mapping) else PlainText("")

    @contextmanager
    def _line(self, pid: int) -> Iterator[Line]:
        try:
            with places.opened(self._state) as folder:
                connected = places.connected(self._state, folder, pid, CONNECT_SECONDS)
        except NothingReachableError:
            told = f"process {pid} cannot be reached (it is starting or ending, or another version of this program)"
            raise NothingReachableError(told) from None
        with Line(connected, f"process {pid}") as line:
            line.ask("hello", {"versions": list(PROTOCOLS)}, PATIENCE_SECONDS)
            yield line
