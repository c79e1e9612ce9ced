"""The fleet: every session of this program as one source, with the configuration and the ledger behind them."""

import asyncio
import os
from collections.abc import Callable, Collection, Coroutine, Iterator

from hermes_tui.core import errors
from hermes_tui.core.acting import clear_cooldown
from hermes_tui.core.acts import (
    AnswerQuestion,
    Command,
    DropVerdict,
    OnSession,
    ProbeNow,
    ReloadConfiguration,
    ResetCooldown,
    SaveConfiguration,
    TakeChain,
)
from hermes_tui.core.claiming import KEEPER, claimed
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.editing import OwnDesk
from hermes_tui.core.errors import ConfigurationError, RefusedError
from hermes_tui.core.event import ActPerformed, ConfigurationRejected, Event, Narrated
from hermes_tui.core.examining import Examiner
from hermes_tui.core.lifecycle import load_configuration
from hermes_tui.core.ports import Configured, Neighbours, Owners, Running, Spawner, Wire
from hermes_tui.core.preview import Preview, Refused, preview
from hermes_tui.core.secret import without_any
from hermes_tui.core.session import Message
from hermes_tui.core.snapshot import Live, SessionState, Snapshot
from hermes_tui.core.telling import Telling
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.engine.asking import probe_now, told
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.commanding import commanded
from hermes_tui.engine.elsewhere import Elsewhere
from hermes_tui.engine.roster import SOURCE, Roster
from hermes_tui.engine.snapshots import SnapshotMaker
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.engine.watching import Watch


class Fleet:
    """Implements `core.source.Source` for the sessions of a configuration.

    `open_wire` makes a session's own client. `desk` is where the configuration is read again and edited,
    `open_examiner` makes what asks servers about it meanwhile. By `open_neighbours` the sessions that other processes
    run are seen live, and acted on there.
    """

    def __init__(
        self,
        around: Surroundings,
        clock: EngineClock,
        owners: Owners,
        *,
        open_wire: Callable[[], Wire],
        desk: OwnDesk | None = None,
        open_examiner: Callable[[], Examiner | None] = lambda: None,
        open_neighbours: Callable[[], Neighbours] | None = None,
    ) -> None:
        self._around = around
        self._clock = clock
        self.desk = desk
        self._open_examiner = open_examiner
        self._examiner: Examiner | None = None
        self._roster = Roster(around, owners, open_wire, self._guarded)
        self._snapshots = SnapshotMaker(
            around.ledger, lambda: around.facts, SOURCE, self._states, lambda: around.probing.asking
        )
        touch = self._roster.on_change = self._snapshots.touch
        self._elsewhere = (
            Elsewhere(open_neighbours, around, self._spawn, touch) if open_neighbours is not None else None
        )
        self._watch = Watch(around, clock, self._roster, self._elsewhere, touch)
        around.on_locked = self._snapshots.locked
        around.probing.on_asking = self._snapshots.touch
        around.read_keys_again = self._read_keys_again
        around.fetch_keys = self._fetch_keys
        self._watches = False
        self._watching: Running | None = None

    @property
    def examiner(self) -> Examiner | None:
        """What asks servers about a chain while it is edited, None where nobody can be asked."""
        self._examiner = self._examiner or self._open_examiner()
        return self._examiner

    async def start(
        self,
        spawner: Spawner,
        *,
        only: Collection[str] | None = None,
        first_at_once: bool = False,
        watch: bool = True,
        keep: bool = False,
    ) -> None:
        """Put the configuration in force and start its sessions' runners.

        `only` names the sessions to run; `first_at_once` lets schedules begin with a run; `watch` looks for what
        other processes write; `keep` keeps every session of the state. Nothing is sent before a prompt or a due
        schedule. A state that cannot be written is shown as it is: nothing is put in force, and nothing runs. Raises
        RefusedError where another process keeps the sessions already.
        """
        if keep:
            self._roster.keep()
        self._roster.spawner, self._roster.only, self._roster.first_at_once = spawner, only, first_at_once
        self._watches = watch
        await self._put_in_force()

    async def _put_in_force(self) -> None:
        """Put the configuration in force; begin what it names and does not run, and what an error has ended."""
        if self._around.ledger.refusal is None:
            await self._around.commit(lambda facts: load_configuration(facts, self._around.configuration))
            await self._roster.begin_planned()
        if self._watches and self._watching is None and self._roster.spawner is not None:
            self._watching = self._roster.spawner.spawn("watch", self._look_around())

    def _spawn(self, name: str, work: Callable[[], Coroutine[object, object, None]]) -> Running:
        if self._roster.spawner is None:
            raise RuntimeError("the fleet is not started")
        return self._roster.spawner.spawn(name, self._guarded(name, work))

    async def _look_around(self) -> None:
        try:
            await self._guarded("watch", self._watch.run)
        finally:
            self._watching = None

    async def _guarded(self, name: str, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do `work`; whatever ends it but a cancellation is shown, and reported to whoever spawned it."""
        try:
            await work()
        except Exception as error:
            self._snapshots.stopped(one_line(without_any(f"{name}: {errors.told(error)}")))
            raise

    async def prompt(self, session: str, text: str) -> bool:
        """Play one turn and wait for its end; tell whether a reply came."""
        return await self._roster.runner(session).send(text).answered

    async def rest(self) -> None:
        """Wait until no turn runs in this process, and no prompt waits for one."""
        snapshot = self.snapshot()
        while self._roster.busy:
            snapshot = await self.changed(snapshot.revision)

    async def configure(self, configured: Configured) -> None:
        """Put a changed configuration in force: settings now, new sessions now, chains where no turn runs (M44).

        A session that the file no longer names ends when its turn does.
        """
        self._around.configured = configured
        await self._put_in_force()
        await self._roster.take_configuration()
        self._snapshots.problem(None)

    async def reject(self, error: ConfigurationError) -> None:
        """Say that the file cannot be used; the last good configuration goes on."""
        origin, text = self._around.configuration.origin, one_line(str(error))
        event = ConfigurationRejected(time=self._clock.now(), origin=origin, error=text)
        if self._around.ledger.refusal is None:
            await self._around.commit(lambda _facts: Decision(None, (Record(event),)))
        self._snapshots.problem(text)

    async def narrate(self, text: str) -> None:
        """Put a sentence of a demo's story into the timeline."""
        event = Narrated(time=self._clock.now(), text=one_line(text))
        await self._around.commit(lambda _facts: Decision(None, (Record(event),)))

    @property
    def telling(self) -> Telling:
        """How the user is told, as the file in force says."""
        return self._around.configured.telling

    def runs(self, session: str) -> bool:
        """Tell whether this process runs `session`."""
        return self._roster.runs(session)

    @property
    def runs_any(self) -> bool:
        """Whether this process runs any session."""
        return self._roster.runs_any

    def tells(self, session: str) -> bool:
        """Tell whether what happens in `session` is to be told by this process' terminal: its keeper has none."""
        if self.runs(session):
            return True
        keeper = self._roster.keeper()
        return keeper is not None and self._roster.owner(session) == keeper

    def lives(self) -> dict[str, Live]:
        """Return what is on no disk of the sessions that this process runs; one that rests is left out."""
        return self._roster.lives()

    def _states(self) -> Iterator[SessionState]:
        for state in self._roster.states():
            yield state if state.mine or self._elsewhere is None else self._elsewhere.told(state)

    def now(self) -> float:
        """Return the time in epoch seconds."""
        return self._clock.now()

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot; the same object while nothing has changed."""
        return self._snapshots.current(self._clock.now())

    async def changed(self, revision: int) -> Snapshot:
        """Wait until the snapshot's revision is not `revision`."""
        await self._snapshots.wait(revision)
        return self.snapshot()

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        """Return what `session` (None: every one) went through since `since`, and what befell credentials."""
        return await asyncio.to_thread(self._around.ledger.history, session, since)

    async def messages(self, session: str) -> tuple[Message, ...]:
        """Return the conversation of a session, one that no snapshot shows too."""
        return self._around.ledger.messages(session)

    def preview(self, command: Command) -> Preview:
        """Return what `command` will do now."""
        return preview(command, self.snapshot(), self._clock.now())

    async def execute(self, command: Command) -> PlainText:
        """Do `command`. Raises RefusedError with the preview's reason where it can't be done."""
        self._unless_refused(command)
        if self._elsewhere is not None and isinstance(command, OnSession):
            pid = self._place_of(command)
            if pid is not None:
                said = await self._elsewhere.execute(pid, command)
                self._watch.look_at_others()  # it may run its first session now
                return said
        return await self._execute(command)

    async def execute_here(self, command: OnSession) -> PlainText:
        """Do `command` in this process, for another one that handed it over. Raises as `execute` does."""
        if (name := claimed(command)) != KEEPER and not self._roster.runs(name):
            raise RefusedError(f"process {os.getpid()} does not run {name} any more")
        self._unless_refused(command)
        return await self._execute(command)

    def _unless_refused(self, command: Command) -> None:
        answer = self.preview(command)
        if isinstance(answer, Refused):
            raise RefusedError(answer.reason)

    def _place_of(self, command: OnSession) -> int | None:
        """Return the process that is to do `command`, None where it is this one."""
        owned = claimed(command)
        return self._roster.keeper() if owned == KEEPER else self._roster.owner(owned)

    async def _execute(self, command: Command) -> PlainText:
        match command:
            case ReloadConfiguration():
                self._around.configured.keyring.forget()
                return await self._read_again()
            case SaveConfiguration():
                return await self._save(command)
            case ResetCooldown(credential=key):
                return await self._around.commit(lambda facts: clear_cooldown(facts, key, self._clock.now()))
            case ProbeNow():
                return told(command, await probe_now(self._around, command))
            case TakeChain() | AnswerQuestion() | DropVerdict():
                raise RefusedError(f"{type(command).__name__} is for sessions of Hermes")
            case _:
                return await commanded(self._roster, command)

    async def _read_again(self) -> PlainText:
        if self.desk is None:
            raise RefusedError("there is no file to read")
        try:
            configured = self.desk.load()
        except ConfigurationError as error:
            await self.reject(error)
            raise
        await self.configure(configured)
        return PlainText(f"{configured.configuration.origin} is in force")

    async def _fetch_keys(self, pool: str) -> None:
        """Have the keys of a pool that is about to be used; nothing is done where they are there."""
        found = self._around.configuration.pool(pool)
        if found is not None and found.lacks_keys(self._clock.now()):
            await self._around.configured.keyring.ask(pool)
            await self._take_keys()

    async def _read_keys_again(self, pool: str) -> bool:
        """Ask for the keys of a pool again; tell whether any key of the file is another by now."""
        await self._around.configured.keyring.ask(pool, again=True)
        return await self._take_keys()

    async def _take_keys(self) -> bool:
        """Put the file in force where its keys are others by now; tell whether they are.

        Of a file that cannot be used the last good configuration goes on, and whoever watches it says why.
        """
        if self.desk is None:
            return False
        try:
            configured = self.desk.load()
        except ConfigurationError:
            return False
        if configured.configuration.pools == self._around.configuration.pools:
            return False
        await self.configure(configured)
        return True

    async def _save(self, command: SaveConfiguration) -> PlainText:
        if self.desk is None:
            raise RefusedError("there is no file to write")
        await asyncio.to_thread(self.desk.save, command.text, command.digest)
        await self._read_again()
        configuration = self._around.configuration
        chain = " › ".join(str(link.route) for link in (configuration.primary, *configuration.chain))
        effect = PlainText(f"saved and in force: {chain}")
        act = ActPerformed(time=self._clock.now(), act="edit_chain", target=configuration.origin, effect=effect)
        await self._around.commit(lambda _facts: Decision(None, (Record(act),)))
        return effect

    async def close(self) -> None:
        """End every session; what was under way is recorded as interrupted, and the state is let go."""
        if self._watching is not None:
            self._watching.cancel()
            await self._watching.wait()
        if self._elsewhere is not None:
            await self._elsewhere.close()
        await self._roster.close()
        await self._around.probing.close()
