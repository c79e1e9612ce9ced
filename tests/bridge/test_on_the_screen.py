"""A real Hermes with the bridge on the dashboard: its own word of where a session stands, and keys that act there."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from textual.pilot import Pilot

from hermes_tui.commands.homes import Asked, opened
from hermes_tui.core.acts import DropVerdict, ForceRestore, ResetChain, ResetCooldown, UseFallback
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import ActPerformed, FallbackActivated
from hermes_tui.core.judging import judged
from hermes_tui.core.preview import Confirm, Refused
from hermes_tui.core.snapshot import SessionState
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import Verdict
from hermes_tui.hermes.memory import TOLD
from hermes_tui.hermes.source import HermesHome
from hermes_tui.simulator import Reopen, SetUsage, UsageMode
from hermes_tui.tui.app import HermesApp
from hermes_tui.wiring import open_home
from tests.bridge.bridged import ON_FALLBACK, ON_PRIMARY, Bridged, bridged, with_second_entry
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.lab.provider import BACKUP, PRIMARY
from tests.tui.driving import STILL, everything, press, settle, toasts

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_SECONDS = 30.0


@pytest_asyncio.fixture(params=Build, ids=lambda build: build.value, scope="module", loop_scope="module")
async def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bridged]:
    """Yield one agent for all tests here: it takes seconds to start."""
    async with bridged(request.param, tmp_path_factory.mktemp("shown") / "home") as session:
        yield session


@pytest_asyncio.fixture(loop_scope="module")
async def one(session: Bridged) -> Bridged:
    """Return it on its primary, nothing waiting, with the chain that it began with."""
    await session.come_home()
    return session


@pytest.fixture
def source(one: Bridged) -> Iterator[HermesHome]:
    source = open_home(one.home, {"PATH": str(interpreter(one.build).parent)}, time.time)
    yield source
    assert source.hand is not None
    source.hand.close()


def seen(source: HermesHome) -> SessionState:
    """Look anew, and return where the session stands."""
    (state,) = source.look().sessions
    return state


@asynccontextmanager
async def dashboard(source: HermesHome) -> AsyncIterator[tuple[HermesApp, Pilot[None]]]:
    async def start(app: HermesApp) -> None:
        app.spawn(source.name, source.watch())

    app = HermesApp(source, look=STILL, start=start)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        yield app, pilot


async def showing(pilot: Pilot[None], *texts: str) -> None:
    """Wait until the terminal shows all of `texts`: a process is asked every second."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(text not in everything(pilot.app) for text in texts):
        assert time.monotonic() < deadline, everything(pilot.app)
        await asyncio.sleep(0.05)
        await pilot.pause()


async def test_a_session_held_for_two_days_comes_home_one_turn_after_the_key(one: Bridged, source: HermesHome) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    assert ON_FALLBACK in await one.say()
    asked = len(one.asked())
    async with dashboard(source) as (app, pilot):
        await showing(pilot, "1 of 1 session off their primary", "Force restore (asks first)")
        await press(pilot, "b")
        await showing(pilot, "before its reset?", "y  Do it")
        await press(pilot, "y")
        await showing(pilot, "Asked for: force restore at the next", "you     force restore", "asked for already")
        assert any("When the next turn begins, the primary is asked" in told for told in toasts(app))
        assert len(one.asked()) == asked
        assert ON_PRIMARY in await one.say()
        assert one.asked()[asked:] == [("responses", 200)]
        await showing(pilot, "all on their primary")


async def test_what_is_told_of_a_session_is_its_own_word_and_exact(one: Bridged, source: HermesHome) -> None:
    one.simulator.world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.LIES, used_percent=5.0))
    one.run_out()
    assert ON_FALLBACK in await one.say()
    where = await one.where()
    state = seen(source)
    snapshot, row = source.snapshot(), state.row
    assert (state.owner, str(row.active), row.position, row.index) == (where.pid, f"custom:{BACKUP}/small", 1, 1)
    assert row.cooldown is not None
    assert row.cooldown.until == pytest.approx(where.cooldown_until, abs=1)
    assert not row.cooldown.approximate
    way, diagnosis = judged(snapshot.facts, row, source.now())
    assert all("inferred" not in gate.text for gate in way.gates)
    assert any(fact.source == TOLD for fact in diagnosis.facts)
    if one.build is Build.HERMES_22:
        (verdict,) = snapshot.facts.verdicts.values()
        assert (verdict.verdict, verdict.asked_by) == (Verdict.QUOTA, TOLD)
        assert diagnosis.code is Code.LYING_PROBE
    before = source.snapshot()
    source.look()
    assert source.snapshot() is before


async def test_the_edited_chain_is_taken_in_the_midst_of_a_cooldown_by_a_key(one: Bridged, source: HermesHome) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    with_second_entry(one)
    async with dashboard(source) as (_, pilot):
        await press(pilot, "enter")
        await showing(pilot, "it has another chain than config.yaml by now; Take chain puts it in force")
        await press(pilot, "escape", "C")
        await showing(pilot, "Asked for: take chain at the next")
        assert ON_FALLBACK in await one.say()
        await showing(pilot, "  1 custom/small", "› 2 custom:")
        assert (await one.where()).position == 2


async def test_a_verdict_that_hermes_keeps_is_dropped_by_a_key(one: Bridged, source: HermesHome) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    seen(source)
    (label,) = (key.label for key in source.snapshot().facts.credentials if key.pool == PRIMARY)
    key = CredentialKey(PRIMARY, label)
    if one.build is Build.HERMES_19:  # which asks no usage endpoint
        assert isinstance(source.preview(DropVerdict(key)), Refused)
        return
    assert len(source.snapshot().facts.verdicts) == 1
    async with dashboard(source) as (app, pilot):
        await press(pilot, "D")
        await showing(pilot, "drop verdict")
        assert any("The verdict is forgotten" in told for told in toasts(app))
        assert source.snapshot().facts.verdicts == {}


def newest_switch(source: HermesHome) -> FallbackActivated:
    """Return the event of the last switch to a fallback."""
    return [event for _, event in source.snapshot().events if isinstance(event, FallbackActivated)][-1]


async def test_a_route_that_the_user_takes_stays_and_is_told_as_that(one: Bridged, source: HermesHome) -> None:
    name = seen(source).name
    before = sum(isinstance(event, ActPerformed) for _, event in source.snapshot().events)
    assert isinstance(source.preview(UseFallback(name)), Confirm)
    await source.execute(UseFallback(name))
    assert source.snapshot().sessions[0].pending == ("use fallback at the next turn",)
    assert ON_FALLBACK in await one.say()
    row = seen(source).row
    _, diagnosis = judged(source.snapshot().facts, row, source.now())
    assert (row.pinned, row.cooldown, diagnosis.code) == (True, None, Code.PINNED)
    assert newest_switch(source).by_user
    assert source.preview(UseFallback(name)) == Refused(PlainText("this is the last entry"))
    await source.execute(ResetChain(name))
    await source.execute(ForceRestore(name))
    assert source.snapshot().sessions[0].pending == (
        "force restore at the next turn",
        "reset chain at the next turn",
    )
    assert ON_PRIMARY in await one.say()
    assert not seen(source).row.on_fallback
    acts = [event.act for _, event in source.snapshot().events if isinstance(event, ActPerformed)]
    assert acts[-6:] == ["use_fallback"] * 2 + ["reset_chain", "force_restore"] * 2
    assert len(acts) == 6 + before


async def test_a_cleared_cooldown_brings_the_sessions_home_that_wait_for_it(one: Bridged, source: HermesHome) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    seen(source)
    assert not newest_switch(source).by_user
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    seen(source)
    (label,) = (key.label for key in source.snapshot().facts.credentials if key.pool == PRIMARY)
    key = CredentialKey(PRIMARY, label)
    answer = source.preview(ResetCooldown(key))
    assert isinstance(answer, Confirm)
    assert "ask the primary at their next turn" in answer.effect
    assert "One session here asks the primary at the next turn." in await source.execute(ResetCooldown(key))
    assert ON_PRIMARY in await one.say()


async def test_the_command_line_is_told_the_same(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    ((_, _, source),) = await asyncio.to_thread(opened, Asked(one.home))
    (state,) = source.snapshot().sessions
    assert state.owner == (await one.where()).pid
    assert state.row.cooldown is not None
    assert not state.row.cooldown.approximate
    assert source.hand is not None
    source.hand.close()
