"""A door of the plugin that is open in this process, and who knocks at it."""

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

from hermes_tui.bridge.plugin.door import Door

if TYPE_CHECKING:
    import pytest

OURS = "hermes-tui-bridge"


def hermes_of(home: Path) -> dict[str, Any]:
    """Return what the plugin imports of a Hermes that works in `home`, by the names of its modules."""
    return {
        "hermes_cli": SimpleNamespace(__version__="0.22.2.post1"),
        "hermes_constants": SimpleNamespace(get_hermes_home=lambda: home),
    }


def as_hermes(monkeypatch: "pytest.MonkeyPatch", home: Path) -> None:
    """Let the plugin take this process for a Hermes."""
    for name, module in hermes_of(home).items():
        monkeypatch.setitem(sys.modules, name, module)


@contextmanager
def open_door(home: Path, answer: Any = lambda request: {"asked": request["do"]}) -> Iterator[Door]:
    """Yield a door of `home` that greets everybody; afterwards its thread has ended."""
    door = Door(str(home), lambda versions: {"protocol": 1, "versions": versions}, answer)
    door.open()
    try:
        yield door
    finally:
        door.close()
        for thread in threads():
            thread.join(60)
        assert threads() == []


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == OURS]


def place(home: Path, pid: int | None = None) -> Path:
    return home / "run" / f"hermes-tui-{pid or os.getpid()}.sock"


@contextmanager
def knocked(home: Path, *, greeted: bool = True) -> Iterator["Caller"]:
    with Caller(home) as caller:
        if greeted:
            caller.ask(do="hello", versions=[1])
        yield caller


class Caller:
    """Somebody at the door, who says anything."""

    def __init__(self, home: Path, pid: int | None = None) -> None:
        self.line = socket.socket(socket.AF_UNIX)
        self.line.settimeout(60)
        folder = os.open(home / "run", os.O_PATH)
        try:
            self.line.connect(f"/proc/self/fd/{folder}/{place(home, pid).name}")
        finally:
            os.close(folder)
        self._file = self.line.makefile("rb")

    def say(self, data: bytes) -> None:
        self.line.sendall(data)

    def hear(self) -> bytes:
        """Return the next line, nothing where the other side hung up."""
        try:
            return self._file.readline()
        except ConnectionResetError:
            return b""

    def ask(self, **request: object) -> dict[str, Any]:
        self.say(json.dumps(request).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self.hear())
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self.line.close()
