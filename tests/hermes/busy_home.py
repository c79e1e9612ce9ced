"""A Hermes home in which another process is at work: it writes everything that Hermes writes, as Hermes writes it.

`python -m tests.hermes.busy_home HOME` does so at each byte of its input, or every so many seconds where they are named
behind, until its input ends. It waits for nobody: a database that is locked for it even once ends it. Then it tells in
a line of JSON how often it wrote.
"""

import json
import logging
import os
import select
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final, Self

from tests.hermes.real_home import row
from tests.hermes.state.homes import answered, change, make, said, session

SESSIONS: Final = 5
LOG_BYTES: Final = 1_000
REPLACED: Final = 5
"""After so many rows both files are replaced."""

REOPENED: Final = 7
"""After so many rows the database is closed, and opened again."""

CONFIGURATION: Final = "model:\n  default: gpt-5.5\n  provider: openai-codex\nfallback_providers:\n"
FALLBACK: Final = "  - provider: openrouter\n    model: small-{}\n"
BYSTANDERS: Final = (".env", "SOUL.md", "memories/MEMORY.md", "gateway_state.json", "runtime/active_sessions.json")
TOUCHED: Final = ("state.db", "auth.json", "config.yaml", "logs/")
"""What the writer writes, by the beginning of its name."""


def make_busy_home(home: Path) -> Path:
    """Make a home with a few sessions, and files that nobody writes to."""
    make("22 with a log", home)
    change(home, *(session(f"s{number}", 1.0 + number) for number in range(SESSIONS)))
    for name in BYSTANDERS:
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text('{"pid": 1, "start_time": 1}' if name.endswith("json") else f"{name}\n")
    (home / "logs").mkdir()
    write_files(home, 0)
    return home


def write_files(home: Path, number: int) -> None:
    """Replace `auth.json` and `config.yaml`, as Hermes replaces them."""
    pool = {"openai-codex": [row("a", last_status="exhausted", last_error_reset_at=2e9 + number)]}
    replaced(home / "auth.json", json.dumps({"version": 1, "credential_pool": pool}))
    replaced(home / "config.yaml", CONFIGURATION + FALLBACK.format(number))


def replaced(file: Path, text: str) -> None:
    """Put a file in the place of another."""
    fresh = file.with_name(f".{file.name}.fresh")
    fresh.write_text(text)
    fresh.replace(file)


def untouched(home: Path) -> dict[str, tuple[str, int]]:
    """Return what every file holds that the writer does not write, and when it was written."""
    files = {str(path.relative_to(home)): path for path in home.rglob("*") if path.is_file()}
    return {
        name: (sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for name, path in files.items()
        if not name.lstrip(".").startswith(TOUCHED)
    }


class BusyWriter:
    """The process that works; `written` tells after its end how often it wrote."""

    def __init__(self, home: Path, *seconds: float) -> None:
        command = [sys.executable, "-m", "tests.hermes.busy_home", str(home), *map(str, seconds)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self.written = 0
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "begun\n", self._process.communicate()[1]

    def write(self) -> None:
        """Have it write once more, now; it is not waited for."""
        assert self._process.stdin is not None
        self._process.stdin.write(".")
        self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        said, errors = self._process.communicate("", timeout=30)
        if kind is None:
            assert self._process.returncode == 0, errors
            self.written = json.loads(said)


def main(home: Path, seconds: float | None = None) -> None:
    """Write until the input ends."""
    handler = RotatingFileHandler(home / "logs" / "agent.log", maxBytes=LOG_BYTES, backupCount=3)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s [s1] %(name)s: %(message)s"))
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    number = 0
    while True:
        with closing(sqlite3.connect(home / "state.db", timeout=0)) as database:
            for _ in range(REOPENED):
                if select.select([sys.stdin], [], [], seconds)[0] and not os.read(sys.stdin.fileno(), 1):
                    sys.stdout.write(json.dumps(number))
                    return
                number += 1
                with database:
                    for statement in _statements(number):
                        database.execute(*statement)
                text = f"credential pool: rotated to login-{number}"
                handler.emit(logging.LogRecord("agent.credential_pool", logging.INFO, "", 0, text, None, None))
                if number % REPLACED == 0:
                    write_files(home, number)


def _statements(number: int) -> Iterator[tuple[str, tuple[object, ...]]]:
    id_ = f"s{number % SESSIONS}"
    yield session(f"new-{number}", 100.0 + number)
    yield said(id_, "assistant", f"Reply {number}.", 100.0 + number)
    yield answered(id_, "openai-codex", f"model-{number}", 100.0 + number)
    yield "UPDATE sessions SET message_count = message_count + 1 WHERE id = ?", (id_,)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(float, sys.argv[2:]))
