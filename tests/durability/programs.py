"""The command line in a life: a process that starts at once, where a test wants it, as whom a test wants."""

import contextlib
import os
import resource
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from hermes_tui.cli import main
from tests.durability.lives import Life, Zygote
from tests.storage.conftest import NOBODY


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the program runs: its whole environment, and a folder in which its output is left.

    `typed` is its standard input; `unprivileged` makes root nobody; `largest_file_bytes` is how large a file may grow.
    """

    environment: Mapping[str, str]
    output: Path
    typed: str = ""
    unprivileged: bool = False
    largest_file_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A program that has ended."""

    exit_code: int
    output: str
    errors: str


def rehearse(lives: Zygote, around: Surroundings, *arguments: str) -> None:
    """Let the zygote itself run the program, so that its lives start with everything loaded."""
    lives.rehearse(_rehearse, around, arguments)


def start(lives: Zygote, around: Surroundings, *arguments: str) -> Life:
    """Start the program with `arguments`."""
    return lives.life(_run, around, arguments)


def run(lives: Zygote, around: Surroundings, *arguments: str) -> Done:
    """Run the program with `arguments`, and wait for its end."""
    exit_code = start(lives, around, *arguments).exit_code()
    output, errors = ((around.output / name).read_text(encoding="utf-8") for name in ("1", "2"))
    return Done(exit_code, output, errors)


def run_on_terminal(lives: Zygote, around: Surroundings, *arguments: str) -> Done:
    """Run the program on a terminal of its own, until it ends by itself."""
    ours, theirs = os.openpty()
    life = lives.life(_run_on_terminal, around, os.ttyname(theirs), arguments)
    life.said.recv()
    os.close(theirs)
    shown = b""
    try:
        while more := os.read(ours, 65536):
            shown += more
    except OSError:  # what a terminal says when nobody has it open any more
        pass
    finally:
        os.close(ours)
    return Done(life.exit_code(), shown.decode(), "")


def give_away(folder: Path) -> None:
    """Give `folder` and all in it to nobody; who is not root owns it already."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, NOBODY, NOBODY)


def _rehearse(around: Surroundings, arguments: tuple[str, ...], _said: Connection) -> None:
    os.environ |= around.environment
    rehearsal = (around.output / "rehearsal").open("w", encoding="utf-8")
    with rehearsal, contextlib.redirect_stdout(rehearsal), contextlib.suppress(SystemExit):
        main(list(arguments))


def _run(around: Surroundings, arguments: tuple[str, ...], _said: Connection) -> None:
    (around.output / "0").write_text(around.typed, encoding="utf-8")
    os.dup2(os.open(around.output / "0", os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(around.output / str(number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    _run_here(around, arguments)


def _run_on_terminal(around: Surroundings, terminal: str, arguments: tuple[str, ...], said: Connection) -> None:
    os.login_tty(os.open(terminal, os.O_RDWR))
    said.send(None)
    _run_here(around, arguments)


def _run_here(around: Surroundings, arguments: tuple[str, ...]) -> None:
    encoding = around.environment.get("PYTHONIOENCODING")
    sys.stdin, sys.stdout = (os.fdopen(at, mode, encoding=encoding, closefd=False) for at, mode in enumerate("rw"))
    sys.stderr = os.fdopen(2, "w", 1, encoding=encoding, errors="backslashreplace", closefd=False)
    for name in os.environ.keys() - around.environment.keys():
        del os.environ[name]
    os.environ |= around.environment
    time.tzset()
    if around.largest_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (around.largest_file_bytes, around.largest_file_bytes))
    if around.unprivileged and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        main(list(arguments))
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(int(end.code or 0))  # at once: to take down all that the zygote has loaded costs a second
