"""Several processes, shared sessions, failing providers and a clock that jumps: whatever happens, the laws hold.

The usual run plays the same stories each time. `HERMES_TUI_STORIES=2000` plays that many new and longer ones.
"""

import asyncio
import os
from collections.abc import Collection
from contextlib import ExitStack
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hermes_tui.core.acts import ProbeNow, ReloadConfiguration, ResetCooldown
from hermes_tui.core.configuration import Policy, Strategy
from hermes_tui.core.session import Phase
from hermes_tui.engine.watching import LOOK_SECONDS
from hermes_tui.simulator.action import Action, SetMode, SetPace, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.engine.theatre import DAY
from tests.machine import happenings as may
from tests.machine import process_laws
from tests.machine.auditor import Auditor
from tests.machine.process import Process
from tests.machine.world import ACCOUNTS, CODEX, PRIMARY, SESSIONS, World

STORIES: Final = int(os.environ.get("HERMES_TUI_STORIES", "0"))
USUAL: Final = settings(
    max_examples=20,
    stateful_step_count=50,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LONG: Final = settings(USUAL, max_examples=max(STORIES, 1), stateful_step_count=60, derandomize=False)

TAKES: Final = {"a": ("s1", "s3"), "b": ("s2", "s3"), "c": SESSIONS}
"""The sessions that each process takes where they are free: one of its own and one that either may run, or all."""

asked = st.sets(may.sessions)
names = st.sampled_from(sorted(TAKES))
told = st.sets(names, min_size=1)


class FleetMachine(RuleBasedStateMachine):
    """Processes over one state folder, and the world that they meet; `asked` are the sessions that then play a turn."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: dict[str, Process] = {}
        self.cut_off: set[str] = set()
        """Sessions whose process was killed, until another takes them."""

        self._opened = ExitStack()

    @initialize(
        policy=st.sampled_from([Policy.THROTTLED, Policy.ADAPTIVE]),
        strategy=st.sampled_from(Strategy),
        slow=st.booleans(),
        limited=st.booleans(),
    )
    def begin(self, policy: Policy, strategy: Strategy, slow: bool, limited: bool) -> None:
        """Open the world with two processes: providers may take seconds, and the primary be left under a lie."""
        self.world = World(policy, strategy)
        for provider in ACCOUNTS if slow else ():
            self.world.apply(SetPace(provider=provider, latency=1.0, tokens_per_second=2.0))
        self._opened.callback(self.world.close)
        self._opened.callback(self._end_all)
        self._start("a")
        self._start("b")
        self.auditor = Auditor(self.world)
        if limited:
            self.world.apply(SetMode(provider=CODEX, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY))
            self.world.apply(SetUsage(provider=CODEX, mode=UsageMode.LIES))
            self.turns(set(SESSIONS))

    def teardown(self) -> None:
        """Close everything."""
        self._opened.close()

    # What sessions do.

    @rule(asked=st.sets(may.sessions, min_size=1))
    def turns(self, asked: set[str]) -> None:
        """Play turns side by side, and wait for their end."""
        self.world.run(self._ask(asked))
        self.world.run(self._settle(asked))

    @rule(asked=st.sets(may.sessions, min_size=1), seconds=st.sampled_from([0.5, 3.0, 11.0]))
    def turns_under_way(self, asked: set[str], seconds: float) -> None:
        """Begin turns, and see how they stand after a while."""
        self.world.run(self._ask(asked))
        self.world.run(asyncio.sleep(seconds))

    # What providers do.

    @rule(limit=may.limits, asked=asked)
    def the_primary_is_limited(self, limit: Action, asked: set[str]) -> None:
        """Let the primary's quota be used up."""
        self.world.apply(limit)
        self.turns(asked)

    @rule(usage=may.usages, asked=asked)
    def the_usage_endpoint_says(self, usage: Action, asked: set[str]) -> None:
        """Let the usage endpoint tell the truth, lie, or fail."""
        self.world.apply(usage)
        self.turns(asked)

    @rule(reopening=may.reopenings | may.recoveries, asked=asked)
    def it_is_well_again(self, reopening: Action, asked: set[str]) -> None:
        """Let the primary's quota reopen before its date, or a trouble end."""
        self.world.apply(reopening)
        self.turns(asked)

    @rule(refusal=may.refusals | may.throttles | may.other_limits, asked=asked)
    def credentials_are_refused(self, refusal: Action, asked: set[str]) -> None:
        """Let a provider refuse credentials: dead, not allowed, out of credit, too fast, used up."""
        self.world.apply(refusal)
        self.turns(asked)

    @rule(fault=may.faults | may.paces, asked=asked)
    def requests_go_wrong(self, fault: Action, asked: set[str]) -> None:
        """Let a provider fail, or answer slowly."""
        self.world.apply(fault)
        self.turns(asked)

    # What time does.

    @rule(seconds=st.sampled_from([31.0, 160.0, 290.0, 301.0, 1300.0, 3601.0, DAY, 2 * DAY + 1]), asked=asked)
    def time_passes(self, seconds: float, asked: set[str]) -> None:
        """Let all programs sleep, and wake up."""
        self.world.nap(seconds)
        self.turns_under_way(set(), 1.1 * LOOK_SECONDS)
        self.turns(asked)

    @precondition(lambda self: self.processes)
    @rule(step=st.sampled_from([-7200.0, -400.0, -5.0, 5.0, 400.0, 7200.0]), asked=asked)
    def the_clock_is_set(self, step: float, asked: set[str]) -> None:
        """Set the wall clock while somebody is there to notice."""
        self.world.set_clock(step)
        self.turns_under_way(set(), 1.1 * LOOK_SECONDS)
        self.turns(asked)

    # What users do.

    @rule(act=may.acts, asked=asked)
    def a_user_acts_on_a_session(self, act: may.SessionAct, asked: set[str]) -> None:
        """Do something to a session, in the process that runs it."""
        process = self._runner_of(act.session)
        if process is not None:
            self.world.run(process.act(act))
        self.turns(asked)

    @rule(name=names, act=may.resets | may.probes, asked=asked)
    def a_user_acts_on_a_credential(self, name: str, act: ResetCooldown | ProbeNow, asked: set[str]) -> None:
        """Do something to a credential, in any process."""
        if name in self.processes:
            reopening = self.auditor.reopening
            reopening.by_hand = (act.credential.label, act.model) if isinstance(act, ProbeNow) else None
            self.world.run(self.processes[name].act(act))
            self.auditor.audit()
            reopening.by_hand = None
        self.turns(asked)

    @rule(primary=st.sampled_from([PRIMARY, PRIMARY, "backup/small"]), chain=may.chains, told=told)
    def a_user_edits_the_chain(self, primary: str, chain: list[str], told: set[str]) -> None:
        """Write another chain into the file, and let some processes read it."""
        self.world.set_chain(primary, chain)
        self._reload(told)

    @rule(label=may.labels, told=told)
    def a_user_replaces_a_key(self, label: str, told: set[str]) -> None:
        """Write another key into the file, and let some processes read it."""
        self.world.replace_key(label)
        self._reload(told)

    # What happens to processes.

    @rule(name=names)
    def a_process_starts(self, name: str) -> None:
        """Start a process that is not there: it takes its sessions, unless another has them."""
        if name not in self.processes:
            self._start(name)
            assert all(self._runner_of(session) for session in TAKES[name])

    @rule(name=names, killed=st.booleans())
    def a_process_ends(self, name: str, killed: bool) -> None:
        """End a process as its user does, or kill it wherever its turns stand."""
        if name in self.processes:
            process = self.processes[name]
            if killed:
                self.cut_off |= process.sessions()
            self.world.run(process.die() if killed else process.end())
            self._bury(name)

    @rule(session=may.sessions, commits=st.integers(1, 12))
    def a_process_is_killed_in_a_turn(self, session: str, commits: int) -> None:
        """Kill a process right after one of a turn's commits."""
        for name, process in tuple(self.processes.items()):
            if session in process.sessions():
                self.cut_off |= process.sessions()
                self.world.run(process.die_in_turn(session, commits))
                self._bury(name)

    # What must hold after each of these.

    @invariant()
    def the_laws_hold(self) -> None:
        """Examine what was written, what was asked, how sessions stand, and every process."""
        self.auditor.audit()
        open_questions = sum(process.questions_open() for process in self.processes.values())
        assert self.world.questions() <= self.auditor.reopening.questions_accounted_for() + open_questions
        for process in self.processes.values():
            process_laws.examine(process, self.auditor, self.world.keys)
            self.cut_off -= process.sessions()
        assert not self.world.unhandled
        under_way = self.cut_off.union(*(process.pending for process in self.processes.values()))
        for session in set(SESSIONS) - under_way:
            assert self.auditor.facts.sessions[session].phase is Phase.IDLE, session

    @rule()
    def everybody_looks(self) -> None:
        """Let every process read what the others wrote."""
        for process in self.processes.values():
            process.ledger.refresh()
            assert process.ledger.position == self.auditor.position

    def _start(self, name: str) -> None:
        self.processes[name] = process = Process(self.world, takes=TAKES[name])
        self.world.run(process.start())

    def _bury(self, name: str) -> None:
        self.auditor.reopening.lost += self.processes.pop(name).questions_lost

    def _end_all(self) -> None:
        for process in self.processes.values():
            self.world.run(process.end())

    def _reload(self, told: Collection[str]) -> None:
        for name in sorted(told & self.processes.keys()):
            self.world.run(self.processes[name].act(ReloadConfiguration()))

    def _runner_of(self, session: str) -> Process | None:
        return next((process for process in self.processes.values() if session in process.sessions()), None)

    async def _ask(self, asked: Collection[str]) -> None:
        for session in sorted(asked):
            process = self._runner_of(session)
            if process is not None:
                process.begin_turn(session)

    async def _settle(self, asked: Collection[str]) -> None:
        for process in self.processes.values():
            await process.settle(asked)


TestFleetMachine = FleetMachine.TestCase
TestFleetMachine.settings = LONG if STORIES else USUAL
