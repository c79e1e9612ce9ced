"""Watchers of a home that are killed: run with a home and a number, it lets so many die, each at a moment of its own.

Each looks at the home again and again, anew each time, and is killed after a random time. Tells in a line of JSON how
many died while they looked.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Final

from hermes_tui.hermes.reader import HomeReader
from hermes_tui.hermes.values import Home

LONGEST_SECONDS: Final = 0.02


def main(home: Path, many: int) -> None:
    """Let them die, one after the other."""
    dice = random.Random(1)
    HomeReader(Home(home, home), None).look(1.0)  # what is imported on first use is, for all of them
    died = 0
    for _ in range(many):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, b".")
            while True:
                reader = HomeReader(Home(home, home), None)
                reader.look(1.0)
                reader.messages("s1")
        os.read(reading, 1)
        os.close(reading)
        os.close(writing)
        time.sleep(dice.uniform(0.0, LONGEST_SECONDS))
        os.kill(child, signal.SIGKILL)
        died += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    sys.stdout.write(json.dumps(died))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
