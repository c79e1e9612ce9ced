"""The dashboard's screen as a program: it ends in time whatever hangs, and tells of its own faults."""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from hermes_tui.commands.edge import FINE, PROGRAM
from hermes_tui.core.text import PlainText, plain
from hermes_tui.tui.app import HermesApp

END_SECONDS: Final = 1.5
"""How long the end may take: a thread that hangs, in a name that nobody resolves say, cannot be cancelled."""

CRASH_FILE: Final = "crash.txt"


async def run_screen(app: HermesApp, state: Path | None) -> int:
    """Run the app until the user leaves it; return the exit code.

    `state` is the folder that keeps the traceback of a fault; without one it is told whole.
    """
    app.on_leave = _Limit(app).begin
    await app.run_async()
    if app.crash is not None:
        sys.stderr.write(_report(app.crash, state))
    return app.return_code or FINE


class _Limit:
    """Ends the process when that takes too long. What was under way is found interrupted at the next start."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Begin to wait for the end, once."""
        if self._timer is None:
            self._timer = threading.Timer(END_SECONDS, self._end)
            self._timer.daemon = True
            self._timer.start()

    def _end(self) -> None:
        try:
            self._app.release_terminal()
        finally:
            os._exit(self._app.return_code or FINE)


def _report(crash: PlainText, state: Path | None) -> str:
    """Return what a person wants to know after a fault: what it was, where the rest is, and what became of the work."""
    if state is not None:
        path = state / CRASH_FILE
        with suppress(OSError):
            _keep(crash, path)
            crash = PlainText(f"{crash.rstrip().splitlines()[-1]}\nThe whole traceback is in {plain(str(path))}.\n")
    return (
        f"{crash}{PROGRAM}: this is a fault of the program; the state is safe, and sessions go on at the next start.\n"
    )


def _keep(crash: PlainText, path: Path) -> None:
    """Write the traceback where only its owner reads it, in the place of an older one."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(crash, encoding="utf-8")
