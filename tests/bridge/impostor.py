"""Something that listens where a bridge would, and says whatever it is told to."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.bridge.knocking import place

Say = Callable[[socket.socket], object]


@contextmanager
def impostor(home: Path, say: Say) -> Iterator[int]:
    """Let `say` have each connection to a socket in the name of this process; yields its number."""
    path = place(home)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        folder = os.open(path.parent, os.O_PATH)
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
        listener.listen()
        thread = threading.Thread(target=_serve, args=(listener, say))
        thread.start()
        yield os.getpid()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(60)
    path.unlink(missing_ok=True)


def _serve(listener: socket.socket, say: Say) -> None:
    with suppress(OSError):
        while True:
            line, _ = listener.accept()
            with line, suppress(OSError):
                line.settimeout(60)
                say(line)


def saying(*answers: bytes) -> Say:
    """Answer each line that comes in with the next of `answers`, then hang up."""

    def say(line: socket.socket) -> None:
        with line.makefile("rb") as file:
            for answer in answers:
                file.readline()
                line.sendall(answer)

    return say
