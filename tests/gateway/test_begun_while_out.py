"""Sessions of a real Hermes that begin, or are opened again, while their primary has run out.

Hermes keeps for them what answered, or what it opened them on; what their users asked for is another thing.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from hermes_tui.core.acts import ArchiveSession, ForceRestore, NewSession, SendPrompt
from hermes_tui.core.diagnosis import Code, Diagnosis
from hermes_tui.core.judging import judged
from hermes_tui.core.preview import Refused
from hermes_tui.core.session import Phase
from hermes_tui.hermes.source import HermesHome
from hermes_tui.simulator import Mode, Reopen, SetMode, Simulator
from hermes_tui.wiring import open_home
from tests.bridge.bridged import put_bridge
from tests.hermes.lab.agent import hermes_environment
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import DAY, PRIMARY, make_world

PATIENCE_SECONDS = 40.0
AWAY = ("openai-codex/gpt-5.5", "custom/small", 1)


class Sessions:
    """The sessions of a home, as its dashboard has them."""

    def __init__(self, source: HermesHome) -> None:
        self.source = source

    async def until(self, name: str, code: Code, where: tuple[str, str, int]) -> Diagnosis:
        """Wait until a session at rest stands there, as files, log and bridge all tell; return why."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.found(name)) is None or (found[0], found[1].code) != (where, code):
            assert time.monotonic() < deadline, found
            await asyncio.sleep(0.05)
        return found[1]

    def found(self, name: str) -> tuple[tuple[str, str, int], Diagnosis] | None:
        snapshot, reading = self.source.snapshot(), self.source._reading
        row = snapshot.facts.sessions.get(name)
        is_answered = any(one.served for one in reading.conversations if reading.names[one.id] == name)
        if row is None or row.phase is not Phase.IDLE or not is_answered:
            return None
        where = str(row.requested), str(row.active), row.position
        return where, judged(snapshot.facts, row, self.source.now())[1]

    async def say(self, name: str) -> None:
        await self.source.execute(SendPrompt(name, "And then?"))

    async def close(self, name: str) -> None:
        await self.source.execute(ArchiveSession(name))


@asynccontextmanager
async def opened(build: Build, home: Path) -> AsyncIterator[tuple[Sessions, Simulator]]:
    async with Simulator(make_world()) as simulator:
        make_home(home, build, simulator.base_url, fallback=Fallback.POOLLESS, logins=["work"])
        put_bridge(home)
        environ = hermes_environment(home, plugins=True)
        environ["PATH"] = f"{interpreter(build).parent}:{environ['PATH']}"
        source = open_home(home, environ, time.time)
        watching = asyncio.ensure_future(source.watch())
        try:
            yield Sessions(source), simulator
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


def run_out(simulator: Simulator) -> None:
    simulator.world.apply(SetMode(provider=PRIMARY, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY))


async def test_a_session_whose_first_turn_fell_back_is_off_its_primary_open_closed_and_opened_again(
    tmp_path: Path,
) -> None:
    async with opened(Build.HERMES_22, tmp_path / "home") as (sessions, simulator):
        run_out(simulator)
        await sessions.source.execute(NewSession("one", prompt="Begin."))
        told = await sessions.until("one", Code.WAITING_FOR_RESET, AWAY)
        assert any("its row names small" in fact.text for fact in told.facts)
        await sessions.close("one")
        told = await sessions.until("one", Code.PRIMARY_FORGOTTEN, AWAY)
        assert "/model gpt-5.5 --provider openai-codex" in told.helps
        simulator.world.apply(Reopen(provider=PRIMARY))
        await sessions.say("one")
        await sessions.until("one", Code.PRIMARY_FORGOTTEN, ("openai-codex/gpt-5.5", "openai-codex/small", 2))


async def test_a_session_that_an_older_hermes_began_on_its_fallback_is_off_its_primary_and_no_restore_is_offered(
    tmp_path: Path,
) -> None:
    async with opened(Build.HERMES_19, tmp_path / "home") as (sessions, simulator):
        run_out(simulator)
        await sessions.source.execute(NewSession("one", prompt="Begin."))
        await sessions.until("one", Code.NO_EARLY_REOPEN, AWAY)
        await sessions.source.execute(NewSession("two", prompt="Begin."))
        told = await sessions.until("two", Code.PRIMARY_FORGOTTEN, AWAY)
        assert told.facts[0].text == "Hermes opened it on custom/small, and has that for its primary"
        restore = sessions.source.preview(ForceRestore("two"))
        assert isinstance(restore, Refused)
        assert "/model gpt-5.5 --provider openai-codex" in restore.reason
