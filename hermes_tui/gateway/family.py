"""What a process has started, and what that has: tools run in sessions of their own, where no group holds them."""

import os
import signal
from contextlib import suppress
from typing import Final

import psutil

_FORCE: Final = getattr(signal, "SIGKILL", signal.SIGTERM)


class Family:
    """The processes below `pid`, remembered: one that has lost its parent is found no more.

    What has left them on purpose, a daemon, is none of them.
    """

    def __init__(self, pid: int) -> None:
        self._known: set[psutil.Process] = set()
        with suppress(psutil.Error):
            self._known.add(psutil.Process(pid))

    def note(self) -> None:
        """Remember those that are there now."""
        for one in tuple(self._known):
            with suppress(psutil.Error):
                self._known.update(one.children(recursive=True))

    def end(self) -> None:
        """End whoever is left at once, with the groups that they lead."""
        for one in self._known:
            with suppress(psutil.Error, ProcessLookupError, PermissionError):
                if one.is_running():  # and is itself: numbers are given out again
                    _end(one.pid)


def _end(pid: int) -> None:
    if hasattr(os, "killpg") and os.getpgid(pid) == pid:
        os.killpg(pid, _FORCE)
    else:
        os.kill(pid, _FORCE)
