"""The fleet: every session of this program as one source, with the configuration and the ledger behind them."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable
from functools import partial

from hermes_tui.core.acting import clear_cooldown, route_in
from hermes_tui.core.acts import (
    Command,
    ForceRestore,
    NewSession,
    Preview,
    ProbeNow,
    Refused,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    RetryNow,
    SendPrompt,
    StopTurn,
    SwitchModel,
    UseFallback,
    preview,
)
from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.errors import ConfigurationError, RefusedError, StateLockedError
from hermes_tui.core.event import ActPerformed, ClockStepped, ConfigurationRejected, Narrated
from hermes_tui.core.facts import Facts
from hermes_tui.core.lifecycle import create, interrupt, load_configuration, step_clock
from hermes_tui.core.pool import Candidate
from hermes_tui.core.ports import Configured, Owners, Running, Spawner, Wire
from hermes_tui.core.route import Link
from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.engine.clock import STEP_SECONDS, EngineClock
from hermes_tui.engine.interruptible import Interruption
from hermes_tui.engine.runner import SessionRunner
from hermes_tui.engine.snapshots import SnapshotMaker
from hermes_tui.engine.surroundings import Surroundings

SOURCE = "own"
LOOK_SECONDS = 1.0
"""How often the ledger is looked at for what other processes wrote, and the clock for steps."""

PRUNE_SECONDS = 3600.0
"""How often old journal entries are dropped."""


class Fleet:
    """Implements `core.source.Source` for the sessions of a configuration.

    `open_wire` makes a session's own client. `reload` reads the configuration again, on the user's wish.
    """

    def __init__(
        self,
        around: Surroundings,
        clock: EngineClock,
        owners: Owners,
        *,
        open_wire: Callable[[], Wire],
        reload: Callable[[], Configured],
    ) -> None:
        self._around = around
        self._clock = clock
        self._owners = owners
        self._open_wire = open_wire
        self._reload = reload
        self._runners: dict[str, SessionRunner] = {}
        self._running: list[Running] = []
        self._spawner: Spawner | None = None
        self._first_at_once = False
        self._snapshots = SnapshotMaker(around.ledger, lambda: around.facts, SOURCE, self._states)

    async def start(
        self, spawner: Spawner, *, only: Collection[str] | None = None, first_at_once: bool = False, watch: bool = True
    ) -> None:
        """Put the configuration in force and start its sessions' runners.

        `only` names the sessions to run; `first_at_once` lets schedules begin with a run; `watch` looks for what
        other processes write. Nothing is sent before a prompt or a due schedule.
        """
        self._spawner, self._first_at_once = spawner, first_at_once
        await self._around.commit(lambda facts: load_configuration(facts, self._around.configuration))
        for plan in self._plans():
            if only is None or plan.name in only:
                await self._begin(plan, by_user=False)
        if watch:
            self._running.append(spawner.spawn("watch", self._guarded("watch", self._watch)))

    def _plans(self) -> Iterable[SessionPlan]:
        yield from self._around.configuration.sessions
        planned = {plan.name for plan in self._around.configuration.sessions}
        for session in self._around.facts.sessions.values():
            if session.created_by_user and session.name not in planned:
                yield SessionPlan(session.name)

    async def _begin(self, plan: SessionPlan, *, by_user: bool) -> None:
        if plan.name in self._runners or self._spawner is None:
            return
        now = self._clock.now()
        await self._around.commit(lambda facts: create(facts, self._around.configuration, plan, now, by_user=by_user))
        if not self._owners.acquire(plan.name):
            return
        if self._around.session(plan.name).phase is not Phase.IDLE:
            why = PlainText("the program that ran it ended")
            await self._around.commit(lambda facts: interrupt(facts, facts.sessions[plan.name], why, now))
        runner = SessionRunner(
            self._around, plan.name, self._open_wire(), self._snapshots.touch, first_at_once=self._first_at_once
        )
        self._runners[plan.name] = runner
        await runner.take_chain()
        self._running.append(self._spawner.spawn(f"session {plan.name}", self._guarded(plan.name, runner.run)))

    async def _guarded(self, name: str, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do `work`; whatever ends it but a cancellation is shown, and reported to whoever spawned it."""
        try:
            await work()
        except Exception as error:
            self._snapshots.stopped(one_line(f"{name}: {type(error).__name__}: {error}"))
            raise
        finally:
            self._runners.pop(name, None)

    async def _watch(self) -> None:
        prune_at = self._clock.now()
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            if self._clock.now() >= prune_at and not self._prune():
                prune_at = self._clock.now() + PRUNE_SECONDS
            self._around.ledger.refresh()
            step = self._clock.wall_step()
            if step and not self._carried_over(step):
                await self._around.commit(partial(self._step, step))

    def _prune(self) -> bool:
        """Drop old journal entries, a few at a time; tell whether there may be more."""
        try:
            return self._around.ledger.prune(self._clock.now()) > 0
        except StateLockedError:
            return False

    def _carried_over(self, step: float) -> bool:
        """Tell whether another process has just carried the durations over the same step (M23)."""
        return any(
            isinstance(event, ClockStepped)
            and abs(event.step - step) < STEP_SECONDS
            and abs(event.time - self._clock.now()) < 10 * LOOK_SECONDS
            for _, event in self._around.ledger.recent(50)
        )

    def _step(self, step: float, facts: Facts) -> Decision[None]:
        return step_clock(facts, step, self._clock.now())

    async def prompt(self, session: str, text: str) -> bool:
        """Play one turn and wait for its end; tell whether a reply came."""
        return await self._runner(session).send(text).answered

    async def configure(self, configured: Configured) -> None:
        """Put a changed configuration in force: settings now, new sessions now, chains where no turn runs (M44)."""
        self._around.configured = configured
        await self._around.commit(lambda facts: load_configuration(facts, configured.configuration))
        for plan in self._plans():
            await self._begin(plan, by_user=False)
        for runner in tuple(self._runners.values()):
            await runner.take_chain()
        self._snapshots.problem(None)

    async def reject(self, error: ConfigurationError) -> None:
        """Say that the file cannot be used; the last good configuration goes on."""
        origin, text = self._around.configuration.origin, one_line(str(error))
        event = ConfigurationRejected(time=self._clock.now(), origin=origin, error=text)
        await self._around.commit(lambda _facts: Decision(None, (Record(event),)))
        self._snapshots.problem(text)

    async def narrate(self, text: str) -> None:
        """Put a sentence of a demo's story into the timeline."""
        event = Narrated(time=self._clock.now(), text=one_line(text))
        await self._around.commit(lambda _facts: Decision(None, (Record(event),)))

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

    def preview(self, command: Command) -> Preview:
        """Return what `command` will do now."""
        return preview(command, self.snapshot(), self._clock.now())

    async def execute(self, command: Command) -> PlainText:
        """Do `command`. Raises RefusedError with the preview's reason where it can't be done."""
        answer = self.preview(command)
        if isinstance(answer, Refused):
            raise RefusedError(answer.reason)
        match command:
            case ReloadConfiguration():
                return await self._read_again()
            case ResetCooldown(credential=key):
                return await self._around.commit(lambda facts: clear_cooldown(facts, key, self._clock.now()))
            case ProbeNow():
                return await self._probe(command)
            case NewSession(session=name):
                await self._begin(SessionPlan(name), by_user=True)
                return PlainText(f"{name} is there; it sends nothing before its first prompt")
            case _:
                return await self._on_session(command)

    async def _on_session(self, command: Command) -> PlainText:
        match command:
            case ForceRestore(session=name):
                return await self._runner(name).force_restore()
            case ResetChain(session=name):
                return await self._runner(name).reset_chain()
            case UseFallback(session=name):
                return await self._runner(name).use_fallback()
            case SwitchModel(session=name, provider=provider, model=model):
                route = route_in(self._around.configuration, provider, model)
                if route is None:
                    raise RefusedError(f"nobody said where {provider} is: give it a base_url")
                return await self._runner(name).switch_model(Link(route))
            case SendPrompt(session=name, text=text):
                self._runner(name).send(text)
                return PlainText(f"sent to {name}")
            case StopTurn(session=name):
                self._cut_short(name, Interruption.STOP)
                return PlainText(f"{name}'s turn is stopped")
            case RetryNow(session=name):
                self._cut_short(name, Interruption.RETRY_NOW)
                return PlainText(f"{name} tries again now")
            case _:
                raise RefusedError(f"{type(command).__name__} is not an act on a session")

    def _cut_short(self, name: str, why: Interruption) -> None:
        if not self._runner(name).interrupt(why):
            raise RefusedError(f"{name}'s turn has just ended")

    async def _read_again(self) -> PlainText:
        try:
            configured = self._reload()
        except ConfigurationError as error:
            await self.reject(error)
            raise
        await self.configure(configured)
        return PlainText(f"{configured.configuration.origin} is in force")

    async def _probe(self, command: ProbeNow) -> PlainText:
        configuration = self._around.configuration
        pool = configuration.pool(command.credential.pool)
        member = pool.member(command.credential.label) if pool else None
        route = route_in(configuration, pool.name, command.model) if pool else None
        if pool is None or member is None or route is None:
            raise RefusedError(f"there is no credential {command.credential}")
        verdict = await self._around.probing.verdict(
            Candidate(pool, member, command.model), route, anyway=command.anyway
        )
        effect = PlainText(f"{command.credential}: {verdict.verdict.words}, {verdict.why}")
        act = ActPerformed(time=self._clock.now(), act="probe", target=str(command.credential), effect=effect)
        await self._around.commit(lambda _facts: Decision(None, (Record(act),)))
        return effect

    def _runner(self, name: str) -> SessionRunner:
        runner = self._runners.get(name)
        if runner is None:
            raise RefusedError(f"{name} is not run by this process")
        return runner

    def _states(self) -> Iterable[SessionState]:
        for plan in self._plans():
            row = self._around.facts.sessions.get(plan.name)
            if row is None:
                continue
            runner = self._runners.get(plan.name)
            if runner is not None:
                yield SessionState(row, SOURCE, runner.messages, runner.live)
            else:
                messages = self._around.ledger.messages(plan.name)
                yield SessionState(row, SOURCE, messages, None, self._owners.owner(plan.name), mine=False)

    async def close(self) -> None:
        """End every session; what was under way is recorded as interrupted, and the state is let go."""
        for running in self._running:
            running.cancel()
        await asyncio.gather(*(running.wait() for running in self._running), return_exceptions=True)
        await self._around.probing.close()
        self._owners.release_all()
