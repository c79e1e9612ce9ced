"""The roster: which sessions this process runs, begun and ended one change at a time; each has one owner."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from hermes_tui.core import keeping
from hermes_tui.core.acts import ChangeSchedule, NewSession
from hermes_tui.core.claiming import KEEPER, claim
from hermes_tui.core.configuration import Configuration, SessionPlan
from hermes_tui.core.decision import Decision, nothing
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.facts import Facts
from hermes_tui.core.lifecycle import PROGRAM_ENDED, create, interrupt
from hermes_tui.core.plans import is_planned, planned
from hermes_tui.core.ports import Owners, Running, Spawner, Wire
from hermes_tui.core.session import Message, Session
from hermes_tui.core.snapshot import AT_REST, Live, SessionState
from hermes_tui.core.text import PlainText
from hermes_tui.engine.interruptible import Interruption
from hermes_tui.engine.runner import SessionRunner
from hermes_tui.engine.surroundings import Surroundings

T = TypeVar("T")

SOURCE: Final = "own"

Guard = Callable[[str, Callable[[], Coroutine[object, object, None]]], Coroutine[object, object, None]]
"""Does work under a name, and shows the error that ends it."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A session that runs here: what plays its turns, and the coroutine that does."""

    runner: SessionRunner
    running: Running


@dataclass(slots=True)
class Roster:
    """The sessions of this process. `open_wire` makes a session's own client; `on_change` is told what changed.

    `only` names the sessions to run, None for all; `first_at_once` lets schedules begin with a run. Where a process
    `keeps` the sessions of a state, it runs whatever nobody runs, and the others begin none.
    """

    around: Surroundings
    owners: Owners
    open_wire: Callable[[], Wire]
    guard: Guard
    on_change: Callable[[], None] = lambda: None
    spawner: Spawner | None = None
    only: Collection[str] | None = None
    first_at_once: bool = False
    keeps: bool = False
    _runs: dict[str, _Run] = field(default_factory=dict)
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _seen: frozenset[str] = frozenset()
    _held: frozenset[str] = frozenset()
    _read: dict[str, tuple[Session, tuple[Message, ...]]] = field(default_factory=dict)

    def plans(self) -> Iterable[SessionPlan]:
        """Return the plans of all sessions that are to run, here or elsewhere."""
        return planned(self.around.facts)

    def runs(self, name: str) -> bool:
        """Tell whether this process runs the session `name`."""
        return name in self._runs

    @property
    def runs_any(self) -> bool:
        """Whether this process runs any session."""
        return bool(self._runs)

    @property
    def busy(self) -> bool:
        """Whether a turn runs here, or a prompt waits for one."""
        return any(run.runner.busy for run in self._runs.values())

    def runner(self, name: str) -> SessionRunner:
        """Return what runs the session `name`. Raises RefusedError where this process does not."""
        run = self._runs.get(name)
        if run is None:
            raise RefusedError(f"{name} is not run by this process")
        return run.runner

    def keep(self) -> None:
        """Be the process that keeps the sessions of this state. Raises RefusedError where another is."""
        if not self.owners.acquire(KEEPER):
            raise RefusedError(f"process {self.owners.owner(KEEPER)} keeps the sessions of this state already")
        self.keeps = True

    def keeper(self) -> int | None:
        """Return the other process that keeps the sessions of this state, None where none does."""
        return None if self.keeps else self.owners.owner(KEEPER)

    def owner(self, name: str) -> int | None:
        """Return the other process that runs the session `name`, None where this one or nobody does."""
        return None if name in self._runs else self.owners.owner(name)

    async def begin_planned(self) -> None:
        """Begin every session that is to run here and does not."""
        async with self._changing:
            await self._begin(tuple(self.plans()))
            self._seen = self._names()

    async def begin_new(self) -> None:
        """Begin what another process has made or brought back since the last look, where nobody runs it.

        Who makes a session holds it for a moment longer: what is held is tried once more. Who keeps the sessions begins
        those too whose process has ended.
        """
        if self.keeps:
            free = tuple(plan for plan in self.plans() if self._is_free(plan.name))
            if free:
                async with self._changing:
                    await self._begin(free)
            return
        names = self._names()
        if names != self._seen:
            async with self._changing:
                new = names - self._seen
                await self._begin(plan for plan in self.plans() if plan.name in new)
                held = new - self._runs.keys() - self._held
                self._seen, self._held = names - held, held

    def _is_free(self, name: str) -> bool:
        return name not in self._runs and self.owners.owner(name) is None

    def _names(self) -> frozenset[str]:
        return frozenset(plan.name for plan in self.plans())

    async def _begin(self, plans: Iterable[SessionPlan]) -> None:
        if self.only is None and self.keeper() is not None:
            return
        for plan in plans:
            if plan.name not in self._runs and (self.only is None or plan.name in self.only):
                await self._begin_one(plan)

    async def _begin_one(self, plan: SessionPlan) -> None:
        if self.spawner is None:
            return
        around, now = self.around, self.around.clock.now()
        if not await around.commit(lambda facts: _there(facts, around.configuration, plan, now)):
            return
        if not self.owners.acquire(plan.name):
            return
        try:
            if not await around.commit(lambda facts: _resumed(facts, plan.name, now)):
                self.owners.release(plan.name)
                return
            wire = self.open_wire()
            runner = SessionRunner(around, plan.name, wire, self.on_change, first_at_once=self.first_at_once)
            await runner.take_chain()
        except BaseException:
            self.owners.release(plan.name)
            raise
        self._runs[plan.name] = _Run(runner, self.spawner.spawn(f"session {plan.name}", self._run(runner)))

    async def _run(self, runner: SessionRunner) -> None:
        """Run a session to its end, and let it go: another process may take it then."""
        try:
            await self.guard(runner.name, runner.run)
        finally:
            del self._runs[runner.name]
            self.owners.release(runner.name)

    async def take_configuration(self) -> None:
        """Let the sessions here take the configuration's chains; one that is not planned ends when its turn does."""
        wanted = self._names()
        for run in tuple(self._runs.values()):
            run.runner.wanted = run.runner.name in wanted
            await run.runner.take_chain()

    async def make(self, command: NewSession) -> PlainText:
        """Make a session, and send its first prompt if any. Raises RefusedError."""
        name, every = command.session, command.every_seconds
        await self._change(
            (name,),
            lambda facts, now: keeping.make(
                facts, name, like=command.like, prompt=command.prompt, every_seconds=every, now=now
            ),
        )
        if every is not None:
            return PlainText(f"{name} {keeping.schedule_words(every)}, beginning now")
        if not command.prompt.strip():
            return PlainText(f"{name} is there; it sends nothing before its first prompt")
        if name not in self._runs:
            raise RefusedError(f"{name} is there, and another process is to run it: its first prompt was not sent")
        self.runner(name).send(command.prompt)
        return PlainText(f"{name} is there, and sends its first prompt")

    async def rename(self, before: str, after: str) -> PlainText:
        """Call a session that is at rest otherwise. Raises RefusedError."""
        only = self.only
        if only is not None:
            self.only = {*only, after}
        try:
            return await self._change((before, after), lambda facts, now: keeping.rename(facts, before, after, now))
        except RefusedError:
            self.only = only
            raise

    async def archive(self, name: str) -> PlainText:
        """Put a session aside, its turn stopped. Raises RefusedError."""
        return await self._change((name,), lambda facts, now: keeping.archive(facts, name, now), stop=True)

    async def bring_back(self, name: str) -> PlainText:
        """Let an archived session be there again. Raises RefusedError."""
        return await self._change((name,), lambda facts, now: keeping.bring_back(facts, name, now))

    async def change_schedule(self, command: ChangeSchedule) -> PlainText:
        """Let a session run by itself otherwise than before. Raises RefusedError."""
        name, now = command.session, self.around.clock.now()
        runner = self.runner(name)
        told = await self.around.commit(
            lambda facts: keeping.change_schedule(facts, name, command.every_seconds, command.prompt, now)
        )
        runner.wake()
        return told

    async def _change(
        self, names: tuple[str, ...], decide: Callable[[Facts, float], Decision[T]], *, stop: bool = False
    ) -> T:
        """End the sessions `names` here, decide while nobody else can run them, and begin those that are to run.

        A turn that runs is stopped where `stop` says so; else it is a reason to refuse.
        """
        async with self._changing:
            try:
                for name in names:
                    await self._end(name, stop=stop)
                claim(self.owners, *names)
                now = self.around.clock.now()
                return await self.around.commit(lambda facts: decide(facts, now))
            finally:
                await self._begin(tuple(plan for plan in self.plans() if plan.name in names))
                for name in names:
                    if name not in self._runs:
                        self.owners.release(name)
                self._seen = self._seen.union(names) & self._names()

    async def _end(self, name: str, *, stop: bool) -> None:
        run = self._runs.get(name)
        if run is None:
            return
        runner = run.runner
        if runner.busy and not stop:
            raise RefusedError(f"{name}'s turn runs: try again when it has ended")
        if runner.busy and not runner.interrupt(Interruption.STOP):
            raise RefusedError(f"{name}'s turn is just beginning or ending: try again")
        runner.wanted = False
        runner.wake()
        await run.running.wait()

    def states(self) -> Iterator[SessionState]:
        """Yield every session as it is shown, those of other processes too."""
        for name in dict.fromkeys((*(plan.name for plan in self.plans()), *self._runs)):
            row, run = self.around.facts.sessions.get(name), self._runs.get(name)
            if row is None:
                continue
            if run is not None:
                yield SessionState(row, SOURCE, run.runner.messages, run.runner.live)
            else:
                owner = self.owners.owner(name)
                abandoned = owner is None and name in self._seen and self.keeper() is None
                yield SessionState(row, SOURCE, self._messages(row), None, owner, mine=False, abandoned=abandoned)

    def lives(self) -> dict[str, Live]:
        """Return what is on no disk of the sessions here; one that rests is left out."""
        lives = ((name, run.runner.live) for name, run in self._runs.items())
        return {name: live for name, live in lives if live != AT_REST}

    def _messages(self, row: Session) -> tuple[Message, ...]:
        """Return the conversation of a session that is not run here: read again when its row is another."""
        known = self._read.get(row.name)
        if known is None or known[0] is not row:
            known = self._read[row.name] = (row, self.around.ledger.messages(row.name))
        return known[1]

    def others(self) -> dict[str, int | None]:
        """Return who runs each session that this process does not."""
        return {plan.name: self.owners.owner(plan.name) for plan in self.plans() if plan.name not in self._runs}

    async def close(self) -> None:
        """End every session; what was under way is recorded as interrupted."""
        runs = tuple(self._runs.values())
        for run in runs:
            run.runner.wanted = False  # it takes no prompt any more
            run.running.cancel()
        await asyncio.gather(*(run.running.wait() for run in runs), return_exceptions=True)
        self.owners.release_all()


def _there(facts: Facts, configuration: Configuration, plan: SessionPlan, now: float) -> Decision[bool]:
    """Make the row of a plan that has none; tell whether it is to run still: others may have changed that meanwhile."""
    if not is_planned(facts, plan.name):
        return nothing(False)
    return Decision(True, create(facts, configuration, plan, now).records)


def _resumed(facts: Facts, name: str, now: float) -> Decision[bool]:
    """End the turn that a process which is gone has left; tell whether the session, ours now, is to run still."""
    if not is_planned(facts, name):
        return nothing(False)
    return Decision(True, interrupt(facts, facts.sessions[name], PROGRAM_ENDED, now).records)
