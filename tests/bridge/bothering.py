"""All that a bridge should bear, as a program of its own: `python -m tests.bridge.bothering HOME PID REQUESTS`.

While one asks so many times as fast as it can, another has begun a line and waits, one asks and never reads, some talk
garbage, and some are killed in the midst of a question. It prints how many answers came.
"""

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from hermes_tui.bridge.client import Client
from tests.bridge.knocking import Caller

HELLO = b'{"do": "hello", "versions": [1]}\n'
ASKED = b'{"do": "state"}\n'
EVERY = 100
"""After so many requests somebody talks garbage, somebody is killed, and who was hung up on comes again."""


def bother(home: Path, pid: int, requests: int) -> int:
    """Do all of it; return how many questions were answered as they should be."""
    answered = 0
    with ExitStack() as stack, Client.connect(home, pid) as client:
        for number in range(requests):
            if number % EVERY == 0:
                stack.close()
                _annoy(home, pid, stack)
            answered += len(client.state().agents) == 1
    return answered


def _annoy(home: Path, pid: int, stack: ExitStack) -> None:
    with Caller(home, pid) as caller:
        caller.say(b"garbage\n")
        caller.hear()
    if (child := os.fork()) == 0:
        Caller(home, pid).say(HELLO + ASKED + b'{"do": "sta')
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    half_open, deaf = (stack.enter_context(Caller(home, pid)) for _ in range(2))
    half_open.say(b'{"do": "hel')
    deaf.say(HELLO + ASKED * 500)


if __name__ == "__main__":
    folder, process, count = sys.argv[1:]
    sys.stdout.write(f"{bother(Path(folder), int(process), int(count))}\n")
