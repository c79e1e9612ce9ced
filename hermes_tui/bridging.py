"""The bridges of a home as what a source asks: values of the one become values of the other."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final

from hermes_tui.bridge import installation
from hermes_tui.bridge.live import LiveHome
from hermes_tui.bridge.plugin import KNOWN
from hermes_tui.bridge.values import Act, Held, Live, LiveAgent, LiveRoute
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.memory import NO_MEMORY, TOLD, Belief, Memory, OpenSession
from hermes_tui.hermes.values import Entry, Release

SAME_SECONDS = 1.0
"""A process counts by a clock that tells no date: one that moved by less is the same date."""


_INSTALL: Final = "`hermes-tui bridge install` gives this program a hand there, from Hermes' next start on"
_START: Final = "the bridge is installed, and answers from Hermes' next start on: start it again"


class BridgedHand:
    """Implements `hermes.memory.Hand` by the bridges that run in a home."""

    def __init__(self, home: Path, release: Release | None) -> None:
        self._bridges = LiveHome(home)
        self._home, self._can_be_had = home, release is not None and release.version in KNOWN
        self.way: PlainText | None = None
        self._live, self._memory = Live(), NO_MEMORY
        self._looking, self._is_closed = Lock(), False

    def look(self) -> Memory:
        """Return what all processes tell now."""
        with self._looking:
            self.way = self._way()
            self._live = self._bridges.look()
            if self._is_closed:
                self._bridges.close()
        memory = _memory(self._live, self._memory)
        if memory != self._memory:
            self._memory = memory
        return self._memory

    def act(self, act: str, conversation: str) -> PlainText:
        """Do an act to a session. Raises RefusedError and NothingReachableError."""
        agent = self._live.agent(conversation)
        if agent is None:
            raise NothingReachableError("no Hermes that answers has the session open any more")
        return self._bridges.execute(Act(act), agent)

    def clear(self, provider: str, login: str) -> PlainText:
        """End the cooldown of a login. Raises RefusedError and NothingReachableError."""
        return self._bridges.clear_cooldown(provider, login)

    def drop(self, fingerprint: str) -> PlainText:
        """Forget a verdict. Raises RefusedError and NothingReachableError."""
        return self._bridges.drop_verdict(fingerprint)

    def _way(self) -> PlainText | None:
        if not self._can_be_had:
            return None
        return PlainText(_START if installation.is_there(self._home) else _INSTALL)

    def close(self) -> None:
        """Hang up; a look that is under way does so at its end."""
        self._is_closed = True
        if self._looking.acquire(blocking=False):
            try:
                self._bridges.close()
            finally:
                self._looking.release()


def _memory(live: Live, before: Memory) -> Memory:
    """Return what is told; a release that keeps its routes elsewhere tells nothing of its sessions."""
    told = [agent for agent in live.agents if agent.route.model and agent.primary.model]
    return Memory(
        {agent.session: _steady(_session(agent, live), before.session(agent.session)) for agent in told},
        tuple(_beliefs(live, before)),
        len(live.processes),
        _anybody_can(Act.CLEAR_COOLDOWN, live),
        _anybody_can(Act.DROP_VERDICT, live),
        live.troubles,
    )


def _anybody_can(act: Act, live: Live) -> bool:
    return any(process.why_not(act) is None for process in live.processes)


def _session(agent: LiveAgent, live: Live) -> OpenSession:
    process, last = live.process(agent.pid), agent.last
    return OpenSession(
        agent.pid,
        _entry(agent.primary),
        _entry(agent.route),
        tuple(map(_entry, agent.chain)),
        agent.position if agent.on_fallback else 0,
        agent.next_entry or 0,
        agent.cooldown_until,
        agent.held is Held.PINNED,
        last.at if last is not None and Act.USE_FALLBACK in last.acts else None,
        bool(agent.credential.provider) if agent.on_fallback and agent.credential is not None else None,
        agent.checks_from,
        agent.in_turn,
        agent.turn_since,
        tuple(act.value for act in agent.waiting),
        tuple((act.value, why) for act, why in process.refusals) if process is not None else (),
        agent.skipped,
    )


def _entry(route: LiveRoute) -> Entry:
    return Entry(route.provider, route.model, TOLD, route.base_url)


def _steady(session: OpenSession, before: OpenSession | None) -> OpenSession:
    if before is None:
        return session
    return replace(
        session,
        cooldown_until=_same(session.cooldown_until, before.cooldown_until),
        checks_from=_same(session.checks_from, before.checks_from),
    )


def _beliefs(live: Live, before: Memory) -> Iterator[Belief]:
    """Yield what was said of each token; the same answer as before has the same date."""
    for one in live.verdicts:
        fresh = Belief(one.fingerprint, one.quota, one.asked_at, one.until)
        yield next((old for old in before.beliefs if _is_same(old, fresh)), fresh)


def _is_same(old: Belief, new: Belief) -> bool:
    same = (old.fingerprint, old.quota) == (new.fingerprint, new.quota)
    return same and abs(new.asked_at - old.asked_at) < SAME_SECONDS


def _same(date: float | None, before: float | None) -> float | None:
    return before if date is not None and before is not None and abs(date - before) < SAME_SECONDS else date
