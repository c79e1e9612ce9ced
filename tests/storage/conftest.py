"""A real ledger in a folder of its own; processes that end with the test."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_tui.storage.ledger import SqliteLedger

Spawn = Callable[..., "subprocess.Popen[str]"]
NOBODY = 65534


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def ledger(state: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger.open(state)
    yield opened
    opened.close()


@pytest.fixture
def other(ledger: SqliteLedger, state: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger.open(state)
    yield opened
    opened.close()


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Start Python with arguments, its output as text; killed at the end of the test at the latest."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """Give a folder and act as a user whom permissions bind: root becomes nobody for the test."""
    with tempfile.TemporaryDirectory() as name:
        root = os.geteuid() == 0
        if root:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        yield Path(name)
        if root:
            os.seteuid(0)
