"""Clears that are killed: run with a folder, it lets one process after another die at each line of a clear.

Each is told as a line of JSON: where it died, whether it is the new file or the old one that stands there, what else
does, and whether the lock is free. The last one came to its end.
"""

import fcntl
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from hermes_tui.files import flock, rights, writing
from hermes_tui.hermes import auth_lock, clearing
from hermes_tui.hermes.auth_file import AUTH_FILE
from hermes_tui.hermes.values import Home

FILES = {auth_lock.__file__, clearing.__file__, flock.__file__, rights.__file__, writing.__file__}
NOW = 2_000_000_000.0


def main() -> None:
    folder = Path(sys.argv[1])
    old = (folder / AUTH_FILE).read_text()
    number, ended = 0, False
    while not ended:
        (folder / AUTH_FILE).write_text(old)
        number += 1
        child = os.fork()
        if child == 0:
            sys.settrace(_death_at(number))
            clearing.clear(Home(folder, folder), "p", "a1", clock=lambda: NOW, patience_seconds=0)
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        sys.stdout.write(json.dumps(_found(folder, old) | {"ended": ended}) + "\n")


def _death_at(number: int) -> Any:
    """Return a trace function that kills the process as it comes to its line `number` in the files."""
    seen = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal seen
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


def _found(folder: Path, old: str) -> dict[str, Any]:
    text = (folder / AUTH_FILE).read_text()
    with (folder / auth_lock.LOCK_FILE).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    row = json.loads(text)["credential_pool"]["p"][0]
    state = "old" if text == old else "new" if row.get("status_cleared_at") == NOW else text
    left = sorted({each.name for each in folder.iterdir()} - {AUTH_FILE, auth_lock.LOCK_FILE})
    return {"state": state, "left": left}


main()
