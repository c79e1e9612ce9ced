"""The process of a Hermes that runs sessions for us: started, spoken to by lines, and gone when it is let go."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Final

from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.text import PlainText
from hermes_tui.gateway.family import Family
from hermes_tui.gateway.launching import Launch
from hermes_tui.gateway.lines import Lines
from hermes_tui.gateway.safe import Table, frame, sentence

END_SECONDS: Final = 0.8
"""How long it may take to end by itself: the whole program has little more for its own end."""

_CHUNK: Final = 64 << 10
_LAST_WORDS: Final = 4 << 10
"""Bytes of its complaints that are kept, from the end."""


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the process itself has ended: the library waits for all who hold its output open, too."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.ended = asyncio.Event()

    def process_exited(self) -> None:
        """Note that it has ended."""
        super().process_exited()
        self.ended.set()


class Child:
    """A running process, in a group and a session of its own: no key of this terminal reaches it, nor it the terminal.

    It ends when its input does; with it ends what it has started, in whatever group. Where it was killed, that is what
    is left of its own group.
    """

    def __init__(self, transport: asyncio.SubprocessTransport, streams: _Streams) -> None:
        self._transport, self._ended = transport, streams.ended
        self._process = asyncio.subprocess.Process(transport, streams, asyncio.get_running_loop())
        self._family = Family(self._process.pid)
        self._complaints = b""
        self._listening = asyncio.ensure_future(self._listen())
        self._ending = asyncio.ensure_future(self._outlive())

    @classmethod
    async def start(cls, launch: Launch) -> "Child":
        """Start it. Raises NothingReachableError where it cannot be started."""
        loop = asyncio.get_running_loop()
        try:
            transport, streams = await loop.subprocess_exec(
                lambda: _Streams(loop),
                *launch.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=launch.environ,
                cwd=launch.folder,
                start_new_session=True,
            )
        except OSError as error:
            raise NothingReachableError(f"{launch.command[0]} cannot be started: {error.strerror}") from None
        return cls(transport, streams)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    async def frames(self) -> AsyncIterator[Table]:
        """Yield what it says until it says no more; whatever is no table is passed over."""
        lines, output = Lines(), self._process.stdout
        while output is not None and (data := await self._read(output)):
            for line in lines.feed(data):
                if (said := frame(line)) is not None:
                    yield said

    async def _read(self, output: asyncio.StreamReader) -> bytes:
        """Return what it says next; nothing once it has ended, though others may hold its output open."""
        reading = asyncio.ensure_future(output.read(_CHUNK))
        try:
            await asyncio.wait([reading, self._ending], return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await asyncio.wait([reading], timeout=END_SECONDS)
            return reading.result() if reading.done() else b""
        finally:
            reading.cancel()

    async def _outlive(self) -> None:
        await self._ended.wait()
        self._kill()

    def say(self, said: Table) -> None:
        """Say something to it; where it listens no more, nobody hears it."""
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(json.dumps(said).encode() + b"\n")

    async def why_it_ended(self) -> PlainText:
        """Wait until it has ended, and return how, with the last line of what it complained of."""
        await self._ended.wait()
        code = self._process.returncode or 0
        await asyncio.wait([self._listening], timeout=END_SECONDS)
        if code < 0:
            return PlainText(f"was killed by signal {-code}")
        last = next((line for line in reversed(self._complaints.splitlines()) if line.strip()), b"")
        said = sentence(last.decode("utf-8", "replace")).rstrip(".")
        return PlainText(f"ended with code {code}: {said}" if said else f"ended with code {code}")

    async def _listen(self) -> None:
        """Take what it complains of, and keep the end."""
        complaints = self._process.stderr
        while complaints is not None and (data := await complaints.read(_CHUNK)):
            self._complaints = (self._complaints + data)[-_LAST_WORDS:]

    async def end(self) -> None:
        """Let it end, and kill it and what it runs where it does not in time; cancelled, kill it at once."""
        self._family.note()
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await self._ended.wait()
        finally:
            self._family.note()  # what it has begun since
            self._kill()
            self._family.end()
            self._listening.cancel()
            try:
                await self._ended.wait()
            finally:
                self._transport.close()

    def _kill(self) -> None:
        """Kill whoever is left of its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
