"""Sessions that other processes of the state run: what is on no disk of them, asked for, and acts, handed over."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from hermes_tui.core.acts import OnSession
from hermes_tui.core.errors import HermesTuiError, StateError
from hermes_tui.core.ports import Neighbours, Running
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.snapshot import AT_REST, Live, SessionState
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.engine.surroundings import Surroundings

STREAMING_SECONDS: Final = 0.2
WAITING_SECONDS: Final = 1.0
"""How often a process is asked while a turn runs there: as its text grows, and less and less often while none comes."""

RESTING_SECONDS: Final = 5.0
"""How often it is asked while none does: whether it answers."""

SILENCE_SECONDS: Final = 1.0
LEFT_ALONE_TIMES: Final = 5.0
"""A process that does not answer is asked again after the former; who lets us wait, after so many times as long."""

Follow = Callable[[str, Callable[[], Coroutine[object, object, None]]], Running]
"""Lets work run under a name, and shows the error that ends it."""


@dataclass(slots=True)
class _Neighbour:
    """What a process said last: `lives` by session, or `silence`, why it says nothing; neither before it was asked."""

    lives: Mapping[str, Live] | None = None
    silence: PlainText | None = None
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Elsewhere:
    """Follows each process that runs a session of the state, on its own: one that hangs holds up no other.

    Where nobody else runs anything nothing is done. `open_neighbours` is called in threads, `on_change` when something
    else is said than before.
    """

    def __init__(
        self,
        open_neighbours: Callable[[], Neighbours],
        around: Surroundings,
        spawn: Follow,
        on_change: Callable[[], None],
    ) -> None:
        self._open, self._ledger, self._clock = open_neighbours, around.ledger, around.clock
        self._spawn, self._on_change = spawn, on_change
        self._owners: Mapping[str, int | None] = {}
        self._known: dict[int, _Neighbour] = {}
        self._following: dict[int, Running] = {}

    def owned(self, owners: Mapping[str, int | None]) -> None:
        """Know which process runs which session, None for nobody; a turn that began there is asked about at once."""
        self._owners = owners
        wanted = {pid for pid in owners.values() if pid}  # 0 is one that is just beginning
        for pid in self._known.keys() - wanted:
            del self._known[pid]
            self._following.pop(pid).cancel()
        for pid in wanted - self._known.keys():
            neighbour = self._known[pid] = _Neighbour()
            self._following[pid] = self._spawn(f"process {pid}", partial(self._follow, pid, neighbour))
        for pid, neighbour in self._known.items():
            if not neighbour.lives and self._streams(pid, neighbour):
                neighbour.woken.set()

    async def close(self) -> None:
        """Follow nobody any more."""
        following = tuple(self._following.values())
        self._known.clear()
        self._following.clear()
        for running in following:
            running.cancel()
        for running in following:
            await running.wait()

    async def execute(self, pid: int, command: OnSession) -> PlainText:
        """Have process `pid` do `command`, and look at once what came of it; raises as `Neighbours` does."""
        try:
            return await asyncio.to_thread(lambda: self._open().execute(pid, command))
        finally:
            with suppress(StateError):  # it is read again within a second, and then told
                self._ledger.refresh()
            if (neighbour := self._known.get(pid)) is not None:
                neighbour.woken.set()

    def told(self, state: SessionState) -> SessionState:
        """Return a session with what its process says of it, if another one runs it."""
        neighbour = self._known.get(state.owner) if state.owner is not None else None
        if neighbour is None or neighbour.lives is None:
            return replace(state, silence=neighbour.silence) if neighbour is not None else state
        return replace(state, live=_live(neighbour.lives, state.row), takes_acts=True)

    async def _follow(self, pid: int, neighbour: _Neighbour) -> None:
        loop, waiting = asyncio.get_running_loop(), STREAMING_SECONDS
        while True:
            neighbour.woken.clear()
            began = loop.time()
            waiting = STREAMING_SECONDS if await self._ask(pid, neighbour) else min(2 * waiting, WAITING_SECONDS)
            if neighbour.lives is None:
                pause = max(SILENCE_SECONDS, LEFT_ALONE_TIMES * (loop.time() - began))
            else:
                pause = waiting if self._streams(pid, neighbour) else RESTING_SECONDS
            with suppress(TimeoutError):
                async with self._clock.timeout(pause):
                    await neighbour.woken.wait()

    async def _ask(self, pid: int, neighbour: _Neighbour) -> bool:
        """Ask a process, and tell whether it says something new; what it says no more is in the ledger by then."""
        before = (neighbour.lives, neighbour.silence)
        try:
            neighbour.lives = await asyncio.to_thread(lambda: self._open().lives(pid))
            neighbour.silence = None
        except HermesTuiError as error:
            neighbour.lives, neighbour.silence = None, one_line(str(error))
        is_new = (neighbour.lives, neighbour.silence) != before
        if is_new:
            self._ledger.refresh()
            self._on_change()
        return is_new

    def _streams(self, pid: int, neighbour: _Neighbour) -> bool:
        """Tell whether a turn runs in a process that answers, as it says or the ledger does."""
        if neighbour.lives is None:
            return False
        if neighbour.lives:
            return True
        rows = (self._ledger.facts.sessions.get(name) for name, owner in self._owners.items() if owner == pid)
        return any(row is not None and row.phase is not Phase.IDLE for row in rows)


def _live(lives: Mapping[str, Live], row: Session) -> Live:
    """Return what a process says of a session; the reply of a turn that the ledger has ended stands there."""
    live = lives.get(row.name, AT_REST)
    return Live(queued=live.queued) if row.phase is Phase.IDLE else live
