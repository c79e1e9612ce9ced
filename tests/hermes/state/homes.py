"""Homes with a session database: of the layouts that real versions of Hermes make, and by Hermes itself where it is."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Self

from tests.hermes.real import real

SCHEMAS = Path(__file__).with_name("schemas")

MAKE = """
import sys
from pathlib import Path
from hermes_state import SessionDB
SessionDB(Path(sys.argv[1]) / "state.db").close()
"""


def make(kind: str, home: Path) -> Path:
    """Make a database in `home`: `19`, `22`, `22 with a log`, or `real 19`, `real 22` by the real package."""
    home.mkdir(parents=True)
    version = kind.removeprefix("real ")[:2]
    if kind.startswith("real"):
        by_hermes(version, home, MAKE)
    else:
        with closing(sqlite3.connect(home / "state.db")) as database:
            database.executescript((SCHEMAS / f"{version}.sql").read_text())
            if kind.endswith("with a log"):
                database.execute("PRAGMA journal_mode = WAL")
    return home


def by_hermes(version: str, home: Path, script: str) -> str:
    """Run `script` in the environment of the real Hermes; its first argument is the home. Returns what it prints."""
    environment = {"HERMES_HOME": str(home), "PATH": os.environ["PATH"]}
    command = [str(real(version)), "-c", script, str(home)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def copied(template: Path, home: Path) -> Path:
    """Return a copy of a home that nobody has open."""
    shutil.copytree(template, home)
    return home


def change(home: Path, *statements: str | tuple[str, tuple[object, ...]], before: str = "") -> None:
    """Change the database as Hermes would: open, write, close; `before` prepares the connection alone."""
    with closing(sqlite3.connect(home / "state.db")) as database, database:
        database.execute(before)
        for statement in statements:
            database.execute(*((statement,) if isinstance(statement, str) else statement))


def session(id_: str, started_at: float, **columns: object) -> tuple[str, tuple[object, ...]]:
    """Return the statement that adds a session."""
    cells = {"id": id_, "source": "cli", "started_at": started_at, **columns}
    return f"INSERT INTO sessions ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})", tuple(cells.values())


def answered(
    session_id: str, provider: str, model: str, at: float, **columns: object
) -> tuple[str, tuple[object, ...]]:
    """Return the statement that adds what a route did for a session."""
    cells = {"session_id": session_id, "billing_provider": provider, "model": model, "api_call_count": 1}
    cells |= {"first_seen": at, "last_seen": at, **columns}
    names, marks = ", ".join(cells), ", ".join("?" * len(cells))
    return f"INSERT INTO session_model_usage ({names}) VALUES ({marks})", tuple(cells.values())


def said(session_id: str, role: str, content: object, at: object, **columns: object) -> tuple[str, tuple[object, ...]]:
    """Return the statement that adds a message."""
    cells = {"session_id": session_id, "role": role, "content": content, "timestamp": at, **columns}
    return f"INSERT INTO messages ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})", tuple(cells.values())


def contents(home: Path) -> dict[str, tuple[str, int]]:
    """Return what every file of `home` holds, and when it was written. Not while this process reads the database."""
    files = (path for path in home.rglob("*") if path.is_file())
    return {
        str(path.relative_to(home)): (sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files
    }


WRITER = """
import sqlite3, sys, time
from contextlib import closing
home, task = sys.argv[1:]
database = sqlite3.connect(f"{home}/state.db", isolation_level=None, timeout=10)
with closing(database):
    def add(number):
        database.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', ?, ?)",
                         ("word " * 40, 1000.0 + number))
    if task == "keep it to itself":
        database.execute("BEGIN EXCLUSIVE")
        add(0)
    elif task == "die in the middle":
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN IMMEDIATE")
        for number in range(2000):
            add(number)
    else:
        add(0)
    print("begun", flush=True)
    number = 0
    if task in ("write on", "come and go"):
        import select
        while not select.select([sys.stdin], [], [], 0.002)[0]:
            number += 1
            if task == "come and go":
                database.close()
                database = sqlite3.connect(f"{home}/state.db", isolation_level=None, timeout=10)
            add(number)
    else:
        sys.stdin.read(1)
    if database.in_transaction:
        database.execute("COMMIT")
print(number, flush=True)
"""


class Writer:
    """Another process that has the database open.

    Its task: `open`, `write on`, `come and go`, `keep it to itself` or `die in the middle`.
    """

    def __init__(self, home: Path, task: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home), task],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "begun\n", self._process.communicate()[1]

    def end(self) -> int:
        """Let it close the database in order; returns how many rows it wrote after the first."""
        told, errors = self._process.communicate("x", timeout=30)
        assert self._process.returncode == 0, errors
        return int(told)

    def kill(self) -> None:
        """End it without giving it a chance to tidy up."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()


@contextmanager
def a_folder_without_writing(home: Path) -> Iterator[None]:
    """Make `home` a folder in which this process may read and not write, whoever it is."""
    home.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        home.chmod(0o755)
