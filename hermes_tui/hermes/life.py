"""Whether a process that a file names still lives, and is the one that was meant: numbers are given out again."""

import os
import sys
from enum import Enum
from pathlib import Path
from typing import Final

from hermes_tui.core.values import dataclass

_ENDED_STATES: Final = frozenset("ZXx")
"""A process that has ended, and whose parent has not looked yet."""

_STATE_FIELD: Final = 0
_START_FIELD: Final = 19
"""Places in `/proc/PID/stat` behind the name, which may hold anything."""


class Life(Enum):
    """What became of a process, as the end of a sentence."""

    ALIVE = "is at work"
    ENDED = "has ended"
    ANOTHER = "is another one by now"
    UNKNOWN = "cannot be looked for on this system"


@dataclass(frozen=True, slots=True)
class Process:
    """A process as the system knows it; when it started is known on Linux only.

    `started_ticks` counts from the start of the machine, `started_at` is the same as epoch seconds.
    """

    life: Life
    started_ticks: int | None = None
    started_at: float | None = None


class Table:
    """The processes of this machine; `proc` is where the system tells of them, and may be missing."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._ticks_per_second = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0
        self._machine_started_at = self._started()

    @property
    def tells_starts(self) -> bool:
        """Whether this system tells when a process started: without, a number given out again goes unnoticed."""
        return self._machine_started_at is not None

    def look(self, pid: int) -> Process:
        """Return what the system says of `pid`."""
        life = _exists(pid)
        if life is not Life.ALIVE or self._machine_started_at is None:
            return Process(life)
        try:
            fields = (
                (self._proc / str(pid) / "stat").read_bytes().rpartition(b")")[2].decode("ascii", "replace").split()
            )
            if fields[_STATE_FIELD] in _ENDED_STATES:
                return Process(Life.ENDED)
            ticks = int(fields[_START_FIELD])
        except (OSError, IndexError, ValueError):  # hidden from this user, or it ended right now
            return Process(_exists(pid))
        return Process(Life.ALIVE, ticks, self._machine_started_at + ticks / self._ticks_per_second)

    def _started(self) -> float | None:
        try:
            lines = (self._proc / "stat").read_text("ascii", "replace").splitlines()
        except OSError:
            return None
        return next((float(line.split()[1]) for line in lines if line.startswith("btime ")), None)


def _exists(pid: int) -> Life:
    if pid <= 0:  # a group of processes, or all of them
        return Life.ENDED
    if sys.platform == "win32":  # asking there ends the process
        return Life.UNKNOWN
    try:
        os.kill(pid, 0)
    except PermissionError:
        return Life.ALIVE
    except (ProcessLookupError, OverflowError):
        return Life.ENDED
    return Life.ALIVE
