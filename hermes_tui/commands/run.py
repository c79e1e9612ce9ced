"""`run`: sessions without a screen; every prompt is a turn, every event a line."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hermes_tui.commands.edge import ATTENTION, FINE
from hermes_tui.commands.hook import Hook
from hermes_tui.commands.naming import refuse_archived
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.commands.telling import Teller
from hermes_tui.commands.watching import watch_configuration
from hermes_tui.config.desk import FileDesk
from hermes_tui.config.load import Loaded
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.core.acts import SendPrompt
from hermes_tui.core.claiming import process
from hermes_tui.core.codec import encode_event
from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.errors import HermesTuiError, UsageError
from hermes_tui.core.event import Event, SessionRenamed, TurnCompleted, TurnFailed
from hermes_tui.core.facts import Facts
from hermes_tui.core.plans import planned
from hermes_tui.core.prompting import typed
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.serving import FleetDoor
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.view.event_words import tell, told_line
from hermes_tui.wiring import load_what_acts_need, open_desk, open_fleet, open_ledger

LOOK_SECONDS: Final = 1.0
"""How often who stays looks whether any session is left."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line said. `pause` is in seconds; `prompts` are one turn each; `stay` is to go on afterwards."""

    config: Path | None
    state: Path | None
    session: str | None
    prompts: tuple[str, ...]
    pause: float
    stay: bool
    json: bool


def run(options: RunOptions) -> int:
    """Run the sessions; return 0 when every turn brought a reply, else 1."""
    path, state = config_path(options.config, os.environ), state_directory(options.state, os.environ)
    clock = EngineClock()

    desk = open_desk(path, os.environ, clock.now)
    loaded = desk.load()
    with open_ledger(state) as ledger:
        if ledger.refusal is not None:
            raise ledger.refusal
        plans = _chosen(ledger.facts.under(loaded.configuration), options)
        try:
            return asyncio.run(_Run(loaded, ledger, state, clock, plans, options).play(path, desk))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _chosen(facts: Facts, options: RunOptions) -> tuple[SessionPlan, ...]:
    """Return the plans of the sessions to run: of the file, and made by the user.

    Raises UsageError where the options don't say which.
    """
    plans = tuple(planned(facts))
    known = [plan.name for plan in plans]
    origin = facts.configuration.origin if facts.configuration else ""
    if options.session is not None:
        refuse_archived(options.session, facts)
        if options.session not in known:
            raise UsageError(f"there is no session {options.session}; {origin} and the state have: {_listed(known)}")
        return tuple(plan for plan in plans if plan.name == options.session)
    if options.prompts and len(known) != 1:
        raise UsageError(f"--prompt needs --session NAME, one of: {_listed(known)}")
    if not (options.prompts or options.stay or any(plan.prompt for plan in plans)):
        raise UsageError(f"no session in {origin} has a prompt: add one, or give --prompt")
    return plans


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none; add [[sessions]]"


@dataclass(frozen=True, slots=True)
class _Run:
    """One run: what it was started with."""

    loaded: Loaded
    ledger: SqliteLedger
    state: Path
    clock: EngineClock
    plans: tuple[SessionPlan, ...]
    options: RunOptions

    @property
    def names(self) -> frozenset[str]:
        """The sessions that are run, as they were called when it began."""
        return frozenset(plan.name for plan in self.plans)

    @property
    def keeps(self) -> bool:
        """Whether every session of the state is run, those to come too."""
        return self.options.stay and self.options.session is None

    async def play(self, path: Path, desk: FileDesk) -> int:
        """Play every turn, with the configuration watched; return the exit code."""
        _end_with_sigterm()
        reporter = Reporter(self.ledger, None if self.keeps else self.names, as_json=self.options.json)
        async with (
            TaskSpawner() as spawner,
            open_fleet(self.loaded, self.ledger, self.state, clock=self.clock, desk=desk) as fleet,
        ):
            teller = self._teller(fleet)
            begins = not self.options.prompts and not self.options.stay
            await fleet.start(spawner, only=None if self.keeps else self.names, first_at_once=begins, keep=self.keeps)
            self._tell_foreign(fleet)
            load_what_acts_need()
            door = FleetDoor(fleet, self.state)
            if (why := door.open()) is not None:
                _complain(why)
            watching = spawner.spawn("configuration", watch_configuration(fleet, path, desk.load, self.loaded.digest))
            telling = spawner.spawn("telling", teller.run())
            turns = asyncio.ensure_future(self._turns(fleet, door))
            try:
                code = await self._ended(spawner.unless_failed(turns))
                door.close()
                teller.end()
                await telling.wait()
                return code
            finally:
                door.close()
                turns.cancel()
                for running in (watching, telling):
                    running.cancel()
                    await running.wait()
                reporter.close()

    async def _turns(self, fleet: Fleet, door: FleetDoor) -> bool:
        """Play every turn, and stay if that is wanted; what a screen has sent is answered before the end."""
        done = True
        if self.options.prompts or not self.options.stay:
            done = await _play(fleet, self.clock, self.plans, self.options)
        if self.options.stay:
            await self._stay(fleet)
        door.close()
        await fleet.rest()
        return done

    async def _stay(self, fleet: Fleet) -> None:
        """Go on until this is ended, or no session is left to run: one alone may be archived by a screen."""
        while self.keeps or fleet.runs_any:
            await self.clock.sleep(LOOK_SECONDS)
        _complain(f"{', '.join(sorted(self.names))} is not run here any more: nothing is left to run")

    async def _ended(self, turns: Awaitable[bool]) -> int:
        """Wait for the end of every turn, and return the exit code; who stays ends well when it is told to."""
        try:
            done = await turns
        except asyncio.CancelledError:
            if not self.options.stay:
                raise
            return FINE
        return FINE if done else ATTENTION

    def _teller(self, fleet: Fleet) -> Teller:
        """Return what tells of these sessions by the user's command; a run has no terminal of its own."""
        hook = Hook(lambda: fleet.telling.command, self.clock, _complain)
        return Teller(self.ledger, self.clock, hook, wanted=lambda: fleet.telling.by_command, runs=fleet.runs)

    def _tell_foreign(self, fleet: Fleet) -> None:
        """Raise HermesTuiError where another process runs one of the sessions; who keeps them takes it afterwards."""
        states = [state for state in fleet.snapshot().sessions if state.name in self.names and not state.mine]
        who = ", ".join(f"{state.name} ({process(state.owner)})" for state in states)
        if states and (not self.keeps or self.options.prompts):
            there = "stop it there, or write to it from a screen or with `hermes-tui sessions send`"
            raise HermesTuiError(f"already run elsewhere: {who}; {there}")
        if states:
            _complain(f"already run elsewhere: {who}. It runs here when that process has ended")


async def _play(fleet: Fleet, clock: EngineClock, plans: Sequence[SessionPlan], options: RunOptions) -> bool:
    """Play the prompts in order, or each session's own; tell whether every turn brought a reply."""
    if options.prompts:
        done = []
        for number, prompt in enumerate(options.prompts):
            if number and options.pause:
                await clock.sleep(options.pause)
            command = typed(plans[0].name, prompt)
            if isinstance(command, SendPrompt):
                done.append(await fleet.prompt(plans[0].name, prompt))
            else:
                await fleet.execute(command)
        return all(done)
    asking = [plan for plan in plans if plan.prompt]
    once = [plan for plan in asking if plan.every_seconds is None]
    done = await asyncio.gather(*(fleet.prompt(plan.name, plan.prompt or "") for plan in once))
    if len(once) < len(asking):
        await asyncio.Event().wait()
    return all(done)


def _end_with_sigterm() -> None:
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def _complain(fault: str) -> None:
    sys.stderr.write(f"hermes-tui: {fault}\n")


class Reporter:
    """Writes each new event of the sessions as a line on standard output.

    `names` are theirs, None for all; one that is renamed is still one of them. Where those lines are for programs, a
    turn that failed is told on standard error too.
    """

    def __init__(self, ledger: SqliteLedger, names: Collection[str] | None, *, as_json: bool) -> None:
        self._ledger = ledger
        self._names = set(names) if names is not None else None
        self._as_json = as_json
        newest = ledger.recent(1)
        self._last = newest[-1][0] if newest else 0
        self.close = ledger.subscribe(self._report)

    def _report(self) -> None:
        for number, event in self._ledger.tail(self._last):
            self._last = number
            if self._names is not None and isinstance(event, SessionRenamed) and event.before in self._names:
                self._names.add(event.session or "")
            if self._names is None or event.session is None or event.session in self._names:
                sys.stdout.write(self._line(event) + "\n")
                if self._as_json and isinstance(event, TurnFailed):
                    _complain(tell(event).text)
        sys.stdout.flush()

    def _line(self, event: Event) -> str:
        if self._as_json:
            return json.dumps(encode_event(event), ensure_ascii=False)
        told = tell(event)
        reply = f"\n{event.text}\n" if isinstance(event, TurnCompleted) else ""
        return told_line(event.time, told.topic, told.text) + reply
