"""Keys that a command prints: it runs when a key is needed, and is remembered until it has to be asked again."""

import asyncio
import os
import shlex
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from hermes_tui.core.secret import Secret

PATIENCE_SECONDS: Final = 10.0
"""How long a command may take."""

REST_SECONDS: Final = 30.0
"""How long a command that failed is left alone: who asks again in the same turn would wait for it twice."""

LONGEST: Final = 64 * 1024
"""Bytes that a command may print."""


class CommandFailedError(Exception):
    """A command brought no key; the text says why and what to do, and holds nothing that it printed."""


Answer = Secret | CommandFailedError


class KeyCommands:
    """What the commands of one file printed, for the life of this process. They run in `folder`, without a terminal."""

    def __init__(self, environ: Mapping[str, str], folder: Path) -> None:
        self._environ = environ
        self._folder = folder
        self._answers: dict[str, Answer] = {}
        self._rests_until: dict[str, float] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    def answer(self, command: str) -> Answer | None:
        """Return what a command brought, None where it has not been asked."""
        return self._answers.get(command)

    async def ask(self, commands: Iterable[str], *, again: bool = False) -> None:
        """Run those commands that were not asked yet, each once however many want it.

        With `again` all of them, save those that failed a moment ago.
        """
        now = asyncio.get_running_loop().time()
        wanted = [
            command
            for command in dict.fromkeys(commands)
            if command not in self._answers or (again and self._rests_until.get(command, now) <= now)
        ]
        await asyncio.gather(*(asyncio.shield(self._task(command)) for command in wanted))

    def forget(self) -> None:
        """Let every command be asked again when its key is next needed."""
        self._answers.clear()
        self._rests_until.clear()

    def _task(self, command: str) -> asyncio.Task[None]:
        if command not in self._running:
            self._running[command] = asyncio.ensure_future(self._run(command))
            self._running[command].add_done_callback(lambda _: self._running.pop(command))
        return self._running[command]

    async def _run(self, command: str) -> None:
        try:
            self._answers[command] = Secret(await _first_line(shlex.split(command), self._environ, self._folder))
        except CommandFailedError as error:
            self._answers[command] = error
            self._rests_until[command] = asyncio.get_running_loop().time() + REST_SECONDS
        else:
            self._rests_until.pop(command, None)


async def _first_line(words: list[str], environ: Mapping[str, str], folder: Path) -> str:
    """Return the first line that a command prints. Raises CommandFailedError."""
    nowhere = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=nowhere,
            stdout=asyncio.subprocess.PIPE,
            stderr=nowhere,  # it may tell secrets
            env=environ,
            cwd=folder,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it cannot be a command"
        raise CommandFailedError(f"could not be started ({reason}): install it, or name it by its path") from None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            printed = await _printed(process)
            code = await process.wait()
    except TimeoutError:
        kill(process)  # what it started too, when it has ended itself
        late = f"took longer than {PATIENCE_SECONDS:g} s and was ended: it must print the key without asking anybody"
        raise CommandFailedError(late) from None
    finally:
        if process.returncode is None:
            kill(process)
            await process.wait()
    if code:
        raise CommandFailedError(f"ended with code {code}: run it in a terminal to see why")
    key = printed.partition(b"\n")[0].decode(errors="replace").strip()
    if not key:
        raise CommandFailedError("printed no key: it must print it on its first line")
    return key


async def _printed(process: asyncio.subprocess.Process) -> bytes:
    """Return all that a command prints. Raises CommandFailedError where it is too much for a key."""
    printed = b""
    while process.stdout is not None and (more := await process.stdout.read(LONGEST)):
        printed += more
        if len(printed) > LONGEST:
            raise CommandFailedError(f"printed more than {LONGEST // 1024} KiB: it must print the key alone")
    return printed


def kill(process: asyncio.subprocess.Process) -> None:
    """End a command and what it started; what runs as another user is left alone."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
