"""The door of this program in its state: what its sessions do now is told to other screens, and acts come from them."""

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from hermes_tui.bridge.neighbours import LONGEST_REQUEST, PROTOCOLS
from hermes_tui.bridge.plugin.door import Closed, Door
from hermes_tui.bridge.plugin.insides import Refused
from hermes_tui.core.acts import OnSession
from hermes_tui.core.codec import decode_command, encode
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.snapshot import NOTHING_YET, Live
from hermes_tui.core.text import PlainText
from hermes_tui.engine.fleet import Fleet

TELL_SECONDS: Final = 1.5
ACT_SECONDS: Final = 4.0
"""How long the loop may take to answer, and the next one waits; what began goes on all the same."""

MOST_TEXT: Final = 2 << 20
"""Bytes of streamed text in one answer, as JSON: half of what a door has room for."""

T = TypeVar("T")


class FleetDoor:
    """Opens a fleet to the other processes of its user, in the folder of its state.

    The door answers in a thread of its own; whatever concerns the fleet is done on the loop that opened it.
    """

    def __init__(self, fleet: Fleet, state: Path) -> None:
        self._fleet = fleet
        self._door = Door(str(state), self._hello, self._answer, LONGEST_REQUEST)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def open(self) -> str | None:
        """Let others in from now on; return why that cannot be, None where it can, or where no system could do it."""
        if not hasattr(socket, "AF_UNIX"):
            return None
        self._loop = asyncio.get_running_loop()
        try:
            self._door.open()
        except (Closed, OSError) as error:
            self._loop = None
            why = error.strerror if isinstance(error, OSError) else error
            return f"other screens cannot see these sessions live, nor act on them: {why}"
        return None

    def close(self) -> None:
        """Let nobody in any more."""
        if self._loop is not None:
            self._loop = None
            self._door.close()

    def _hello(self, versions: object) -> dict[str, object]:
        common = [one for one in PROTOCOLS if isinstance(versions, list) and one in versions]
        if not common:
            raise Refused(
                f"process {os.getpid()} is another version of hermes-tui and speaks protocol "
                f"{', '.join(map(str, PROTOCOLS))}: start it again"
            )
        return {"protocol": max(common), "pid": os.getpid()}

    def _answer(self, request: dict[str, object]) -> dict[str, object]:
        match request.get("do"):
            case "state":
                late = f"process {os.getpid()} is busy, and does not tell now"
                return {"lives": told(self._on_loop(self._lives, TELL_SECONDS, late))}
            case "act":
                until = request.get("until")
                if isinstance(until, float) and time.time() > until:
                    raise Refused(f"process {os.getpid()} was busy for too long: nothing was done")
                return {"said": self._act(request.get("command"))}
            case _:
                raise Refused(f"process {os.getpid()} does not know that: it is another version of hermes-tui")

    def _act(self, data: object) -> PlainText:
        try:
            command = decode_command(data)
            if command is None:
                raise Refused(f"process {os.getpid()} does not know that act: it is another version of hermes-tui")
            known: OnSession = command
            late = f"process {os.getpid()} is busy and has not done it yet; it may still do it"
            return self._on_loop(lambda: self._fleet.execute_here(known), ACT_SECONDS, late)
        except HermesTuiError as error:
            raise Refused(str(error)) from None

    async def _lives(self) -> dict[str, Live]:
        return self._fleet.lives()

    def _on_loop(self, work: Callable[[], Coroutine[Any, Any, T]], seconds: float, late: str) -> T:
        """Return what `work` brings on the fleet's loop. Raises its error, and Refused with `late`."""
        answer: Future[T] = Future()
        loop = self._loop

        def begin() -> None:
            task = asyncio.ensure_future(work())
            self._tasks.add(task)
            task.add_done_callback(ended)

        def ended(task: asyncio.Task[T]) -> None:
            self._tasks.discard(task)
            if task.cancelled():
                answer.set_exception(Refused(f"process {os.getpid()} is ending"))
            elif (error := task.exception()) is not None:
                answer.set_exception(error)
            else:
                answer.set_result(task.result())

        if loop is None:
            raise Refused(f"process {os.getpid()} is ending")
        try:
            loop.call_soon_threadsafe(begin)
        except RuntimeError:  # the loop has been closed
            raise Refused(f"process {os.getpid()} is ending") from None
        try:
            return answer.result(seconds)
        except TimeoutError:
            raise Refused(late) from None


def told(lives: dict[str, Live]) -> dict[str, object]:
    """Return what is told of sessions, by name; of very much text the rest is left out."""
    left, found = MOST_TEXT, {}
    for name, live in lives.items():
        size = len(json.dumps(live.text))
        text = live.text if size <= left else NOTHING_YET
        left -= size if text else 0
        found[name] = encode(replace(live, text=text))
    return found
