"""All bridges of a home together: where every open session stands, and what the user has done there."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hermes_tui.bridge import places
from hermes_tui.bridge.client import Client
from hermes_tui.bridge.line import HungUpError
from hermes_tui.bridge.values import Act, Live, LiveAgent, LiveState
from hermes_tui.core.errors import HermesTuiError, NothingReachableError, RefusedError
from hermes_tui.core.text import PlainText, one_line

SILENCE_SECONDS: Final = 10.0
"""How long a process that did not answer is not asked again."""


class LiveHome:
    """Asks the bridges of a home. It blocks: a look for moments, an act for up to 20 s; made to run in threads.

    `look` is called by one thread at a time and keeps its lines open; an act has a line of its own.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lines: dict[int, Client] = {}
        self._silent: dict[int, tuple[float, PlainText]] = {}

    def look(self) -> Live:
        """Return what all processes say now. Never raises: who does not answer is one of the troubles."""
        troubles: list[PlainText] = []
        states = [state for pid in self._pids(troubles) if (state := self._ask(pid, troubles)) is not None]
        for state in states:
            if state.left_out:
                told = f"process {state.process.pid} has {state.left_out} more sessions than its bridge tells of"
                troubles.append(one_line(told))
        return Live(
            one_for_each_session(states),
            tuple(verdict for state in states for verdict in state.verdicts),
            tuple(state.process for state in states),
            tuple(troubles),
        )

    def execute(self, act: Act, agent: LiveAgent) -> PlainText:
        """Do `act` to a session, in the process where it is open; return what was done and what will happen.

        Raises RefusedError with the reason, and NothingReachableError where the process does not answer.
        """
        return self._do(agent.pid, act, {"session": agent.session})

    def clear_cooldown(self, provider: str, credential: str) -> PlainText:
        """End the cooldown of one login (its id or label) and of the sessions that wait for it; raises as above."""
        return self._everywhere(Act.CLEAR_COOLDOWN, {"provider": provider, "credential": credential})

    def drop_verdict(self, fingerprint: str) -> PlainText:
        """Forget what the usage endpoint said of a token, in every process; raises as above."""
        return self._everywhere(Act.DROP_VERDICT, {"fingerprint": fingerprint})

    def close(self) -> None:
        """Hang up everywhere."""
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    def _pids(self, troubles: list[PlainText]) -> tuple[int, ...]:
        try:
            with places.opened(self._home) as folder:
                found = places.pids(folder)
        except NothingReachableError:  # no bridge is no trouble
            found = ()
        except RefusedError as error:
            troubles.append(one_line(str(error)))
            found = ()
        for pid in self._lines.keys() - set(found):
            self._lines.pop(pid).close()
        return found

    def _ask(self, pid: int, troubles: list[PlainText]) -> LiveState | None:
        """Return what a process says; one that did not answer is left alone for a while, as each question waits."""
        until, why = self._silent.pop(pid, (0.0, None))
        if why is not None and time.monotonic() < until:
            self._silent[pid] = (until, why)
            troubles.append(why)
            return None
        line = self._lines.get(pid)
        is_new = line is None
        try:
            if line is None:
                line = self._lines[pid] = Client.connect(self._home, pid)
            return line.state()
        except places.LeftBehindError:  # what a process left behind is no trouble
            return None
        except HermesTuiError as error:
            if (broken := self._lines.pop(pid, None)) is not None:
                broken.close()
            is_cut = isinstance(error, HungUpError) and not is_new  # its process ends, perhaps: the next look tells
            if not is_cut and not places.has_ended(pid):
                self._silent[pid] = (time.monotonic() + SILENCE_SECONDS, one_line(str(error)))
                troubles.append(one_line(str(error)))
            return None

    def _do(self, pid: int, act: Act, what: Mapping[str, str]) -> PlainText:
        with Client.connect(self._home, pid) as line:
            return line.do(act, what)

    def _everywhere(self, act: Act, what: Mapping[str, str]) -> PlainText:
        """Do `act` in every process; the first refusal counts where none does it."""
        with places.opened(self._home) as folder:
            found = places.pids(folder)
        said: list[PlainText] = []
        refusals: list[HermesTuiError] = []
        for pid in found:
            try:
                said.append(self._do(pid, act, what))
            except places.LeftBehindError:
                continue
            except HermesTuiError as error:
                refusals.append(error)
        if said:
            return one_line(" ".join(dict.fromkeys(said)))
        raise refusals[0] if refusals else NothingReachableError("no Hermes with a bridge runs in this home")


def one_for_each_session(states: Iterable[LiveState]) -> tuple[LiveAgent, ...]:
    """Return where each session stands; of one that two processes have open, the one at work, else the newer."""
    found: dict[str, tuple[bool, float, LiveAgent]] = {}
    for state in states:
        for agent in state.agents:
            weight = (agent.in_turn, state.process.since or 0.0)
            if agent.session not in found or weight > found[agent.session][:2]:
                found[agent.session] = (*weight, agent)
    return tuple(agent for _, _, agent in found.values())
