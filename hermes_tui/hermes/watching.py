"""A Hermes home that is watched: read once in a while, asked where something answers, and shown as snapshots."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hermes_tui.core.errors import told
from hermes_tui.core.event import Event, QuestionAsked, SessionInterrupted
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.secret import without_any
from hermes_tui.core.session import Message, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes import handling
from hermes_tui.hermes.configuration import FILE_NAME
from hermes_tui.hermes.hosted import HostedSessions
from hermes_tui.hermes.hosting import HostedSession
from hermes_tui.hermes.judging import HermesJudge
from hermes_tui.hermes.lying import lies
from hermes_tui.hermes.memory import NO_MEMORY, Hand, Memory
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import RowMaker
from hermes_tui.hermes.verdicts import Verdicts

if TYPE_CHECKING:
    from hermes_tui.hermes.desk import HomeDesk

SOURCE = "hermes"
LOOK_SECONDS = 0.3
"""How often the home is looked at: a change is on the screen within half a second."""

ASK_SECONDS = 1.0
"""How often running processes are asked where their sessions stand."""

EVENTS_SHOWN = 500
"""So many events are in a snapshot, the newest; `history` has all that are kept."""


class Reader(Protocol):
    """Reads a home; what has not changed costs next to nothing."""

    def look(self, now: float) -> Reading:
        """Return what the home says at `now` (epoch seconds), the same object while nothing has changed."""

    def messages(self, conversation: str) -> tuple[Message, ...]:
        """Return the newest of what was said in the conversation with that id."""

    def events(self) -> tuple[tuple[int, Event], ...]:
        """Return the newest of what the logs tell, oldest first, numbered."""

    def clear(self, provider: str, login: str) -> None:
        """Clear the cooldown of a login as Hermes does. Raises RefusedError with the reason where it cannot."""


class WatchedHome:
    """The half of `core.source.Source` that shows a home.

    The first reading is made before anything is shown; later ones in a thread, one after the other. Without `verdicts`
    nobody is asked about quota. Without `open_hand` no running Hermes is asked or acted on; that has a thread of its
    own, so that a process that hangs holds up nothing. Without `hosted` no session of it runs here.
    """

    def __init__(
        self,
        reader: Reader,
        now: Callable[[], float],
        keymap: Keymap = NO_CHANGE,
        *,
        environ: Mapping[str, str] | None = None,
        verdicts: Verdicts | None = None,
        open_hand: Callable[[], Hand] | None = None,
        hosted: HostedSessions | None = None,
    ) -> None:
        self._reader, self.now = reader, now
        self._rows = RowMaker(keymap)
        self.name = SOURCE
        """What it is called beside others; it may be called otherwise before anything is shown."""
        self._verdicts = verdicts or Verdicts()
        self._verdicts.on_asking = self._touch
        self._own = self._verdicts.own
        self._open_hand = open_hand
        self._hand: Hand | None = None
        self._hosted = hosted or HostedSessions()
        self._hosted.on_change, self._hosted.on_lost = self._hosted_changed, self._lose
        self._read = self._reading = reader.look(now())
        self._memory = NO_MEMORY
        self._environ = environ or {}
        self._desk: HomeDesk | None = None
        self._revision, self._is_old = 1, True
        self._changed = asyncio.Event()
        self._reads, self._asks = asyncio.Lock(), asyncio.Lock()
        self._made: Snapshot | None = None
        self._stopped: PlainText | None = None

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._reading.home.path

    @property
    def desk(self) -> "HomeDesk":
        """Where the home's `config.yaml` is edited."""
        if self._desk is None:
            from hermes_tui.hermes.desk import HomeDesk  # noqa: PLC0415 - on first use, as the first frame needs none

            self._desk = HomeDesk(lambda: self._reading, self.now, self._environ)
        return self._desk

    @property
    def hand(self) -> Hand | None:
        """What asks the running Hermes of this home, and acts there."""
        if self._hand is None and self._open_hand is not None:
            self._hand = self._open_hand()
        return self._hand

    @property
    def _way(self) -> PlainText | None:
        """How the user gets a hand on what runs, as far as that is known yet."""
        return self._hand.way if self._hand is not None else None  # it is opened off the screen's thread

    async def watch(self) -> None:
        """Look at the home until cancelled; whatever else ends it is shown, and reported to whoever spawned it."""
        watching = [asyncio.ensure_future(self._watch_files()), asyncio.ensure_future(self._watch_memory())]
        try:
            await asyncio.gather(*watching)
        except Exception as error:
            self._stopped = one_line(without_any(f"the home cannot be watched: {told(error)}"))
            self._touch()
            raise
        finally:
            for one in watching:
                one.cancel()
            if self._hand is not None:
                self._hand.close()
            await self.close()

    async def close(self) -> None:
        """End the sessions that run here, with their process."""
        await self._hosted.end()

    async def _watch_files(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self._look()

    async def _watch_memory(self) -> None:
        await asyncio.sleep(LOOK_SECONDS)  # the first frame is shown without
        while self._open_hand is not None:
            await self._ask()
            await asyncio.sleep(ASK_SECONDS)

    @property
    def waits(self) -> bool:
        """Whether no session could be read yet, as Hermes keeps them to itself: that passes."""
        return self._reading.waits

    def look(self) -> Snapshot:
        """Look at the home, and return the newest snapshot: for who watches it line by line, and not by `watch`."""
        self._take(self._reader.look(self.now()), self._look_into_memory())
        return self.snapshot()

    async def _look(self) -> None:
        async with self._reads:
            reading, is_new = await asyncio.to_thread(self._read_all, frozenset(self._hosted.sessions()))
        if is_new:
            self._touch_hosted()
        self._take(reading, self._memory)

    def _read_all(self, hosted: Collection[str]) -> tuple[Reading, bool]:
        """Look at the home, and at what was said in those of its sessions that run here; tell whether that is new."""
        reading = self._reader.look(self.now())
        return reading, bool(hosted) and self._hosted.read(hosted, reading, self._reader.messages)

    async def _ask(self) -> None:
        async with self._asks:
            memory = await asyncio.to_thread(self._look_into_memory)
        self._take(self._read, memory)

    def _look_into_memory(self) -> Memory:
        return self.hand.look() if self.hand is not None else NO_MEMORY

    def _take(self, read: Reading, memory: Memory) -> None:
        if read is self._read and memory == self._memory:
            return
        self._read, self._memory = read, memory
        self._put_together()

    def _put_together(self) -> None:
        reading = self._read if self._memory is NO_MEMORY else replace(self._read, memory=self._memory)
        self._reading = self._hosted.within(reading)
        self._touch()

    def _hosted_changed(self) -> None:
        """Show what is new of sessions that run here: no row is another while a reply streams."""
        if self._hosted.turns() != self._reading.hosted:
            self._put_together()
        else:
            self._touch_hosted()
        for one, question in self._hosted.begun_to_wait():
            name, about = self._name_of(one), one_line(question.about)
            self._own.add(QuestionAsked(time=self.now(), session=name, text=one_line(question.text), about=about))
            self._touch()

    def _name_of(self, one: HostedSession) -> str:
        return self._reading.names.get(one.conversation, one.title)

    def _lose(self, one: HostedSession, why: PlainText) -> None:
        """Say that a session runs here no more, as its process has ended."""
        unsent = f" What waited to be sent ({one.queued}) is lost." if one.queued else ""
        told = PlainText(f"Its Hermes {why}.{unsent} A prompt opens it here again.")
        self._hosted.was_lost(one, told)
        why = PlainText(f"its Hermes (process {one.pid}) {why}")
        self._own.add(SessionInterrupted(time=self.now(), session=self._name_of(one), why=why))

    def _touch(self) -> None:
        self._is_old = True
        self._touch_hosted()

    def _touch_hosted(self) -> None:
        """Have what runs here shown anew, and nothing else."""
        self._revision += 1
        self._changed.set()

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        if self._made is None or self._made.revision != self._revision:
            self._made = self._snapshot(self._made)
        return self._made

    def _snapshot(self, before: Snapshot | None) -> Snapshot:
        reading = self._reading
        if before is not None and not self._is_old:
            ids = {reading.names[id_]: id_ for id_ in reading.hosted}
            renewed = (self._hosted.state(one, ids[one.name]) if one.name in ids else one for one in before.sessions)
            return replace(before, revision=self._revision, sessions=tuple(renewed))
        self._is_old = False
        fresh = self._rows.rows(reading)
        fresh.judge = HermesJudge(reading)
        self._verdicts.put(fresh, reading)
        facts = fresh.copy(before.facts if before is not None else None)
        facts.sessions = fresh.sessions  # also a row that reads as before is another where its story is
        if before is not None:
            self._own.add(*lies(before.facts, facts, self.now()))
        named = reading.names
        holders = {running.session: running.pid for running in reading.running if running.session is not None}
        states = tuple(
            self._state(facts.sessions[named[one.id]], one.id, one.busy_by or holders.get(one.id))
            for one in reading.conversations
            if not facts.sessions[named[one.id]].archived
        )
        troubles = "; ".join(f"{name}: {why}" for name, why in reading.troubles)
        return Snapshot(
            self._revision,
            reading.at,
            self.name,
            facts,
            states,
            self._own.told(self._reader.events())[-EVENTS_SHOWN:],
            problem=self._stopped or (one_line(troubles) if troubles else None),
            edit_mends=any(name == FILE_NAME for name, _ in reading.troubles),
            engine_stopped=self._stopped is not None,
            asking=self._verdicts.asking,
            notes=(*reading.notes, *reading.memory.notes),
            left_out=reading.left_out,
            runs_new=one_line(f"Hermes of {reading.home.path}") if self._hosted.can_be else None,
        )

    def _state(self, row: Session, conversation: str, holder: int | None) -> SessionState:
        live = self._memory.session(conversation)
        owner = holder if live is None else live.pid
        state = SessionState(row, self.name, owner=owner, mine=False, asked=handling.pending(live))
        return self._hosted.state(state, conversation)

    async def changed(self, revision: int) -> Snapshot:
        """Wait until the snapshot's revision is not `revision`, and return the newest."""
        while self._revision == revision:
            self._changed.clear()
            await self._changed.wait()
        return self.snapshot()

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        """Return what the logs tell of `session`, or of all, since `since` (epoch seconds), oldest first."""
        return tuple(
            (number, event)
            for number, event in self._own.told(self._reader.events())
            if event.time >= since and (session is None or event.session in (session, None))
        )

    async def messages(self, session: str) -> tuple[Message, ...]:
        """Return the newest of what was said in a session."""
        found = handling.conversation_of(session, self._reading)
        if found is None:
            return ()
        async with self._reads:
            return await asyncio.to_thread(self._reader.messages, found)
