"""Sessions that another process of the state runs: seen live, acted on there, kept by one, left by one that ends."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from hermes_tui.bridge.neighbours import StateNeighbours
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.commands.telling import Teller
from hermes_tui.core.acts import (
    ArchiveSession,
    BringBack,
    ChangeSchedule,
    ForceRestore,
    NewSession,
    RenameSession,
    ResetChain,
    RetryNow,
    SendPrompt,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.core.event import TurnCompleted, TurnStarted
from hermes_tui.core.preview import Refused
from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import Live, SessionState
from hermes_tui.core.telling import Occasion, Wanted
from hermes_tui.serving import FleetDoor
from hermes_tui.simulator.mode import Mode
from hermes_tui.view.telling import Notice
from hermes_tui.wiring import load_configuration, open_fleet, open_ledger
from tests.engine.theatre import HOUR, Theatre, play, scenario, theatre

ONE = scenario("backup/small")
TWO = scenario("backup/small", sessions=2)
NONE = scenario("backup/small", sessions=0)


@asynccontextmanager
async def process(on: Theatre, *, keep: bool = False, only: Collection[str] | None = None) -> AsyncIterator[Theatre]:
    """Open the same files as another process does that sees what others run, its watch begun."""
    loaded = load_configuration(on.on.config, on.on.scenario.environment, on.clock.now())
    with open_ledger(on.on.state) as ledger:
        async with open_fleet(loaded, ledger, on.on.state, clock=on.clock, sees_others=True) as fleet:
            await fleet.start(TaskSpawner(), only=only, keep=keep)
            yield Theatre(replace(on.on, fleet=fleet, ledger=ledger), on.clock)


@asynccontextmanager
async def door(on: Theatre) -> AsyncIterator[FleetDoor]:
    """Let others in to what a process runs."""
    opened = FleetDoor(on.fleet, on.on.state)
    assert opened.open() is None
    try:
        yield opened
    finally:
        opened.close()


@asynccontextmanager
async def screen(on: Theatre) -> AsyncIterator[Theatre]:
    """Let a process see the sessions of `on` through its door."""
    async with door(on), process(on) as seeing:
        await seeing.until(lambda: all(state.takes_acts for state in seeing.fleet.snapshot().sessions))
        yield seeing


def seen(on: Theatre, session: str = "s1") -> SessionState:
    """Return a session as a process shows it."""
    state = on.fleet.snapshot().session(session)
    assert state is not None
    return state


def live(on: Theatre) -> Live:
    """Return what a process shows of the session's turn and no disk holds."""
    found = seen(on).live
    assert found is not None
    return found


@play
async def test_the_text_of_a_turn_elsewhere_is_seen_growing_and_then_as_the_reply() -> None:
    async with theatre(ONE, watch=True) as on, screen(on) as shown:
        on.pace("openai-codex", tokens_per_second=0.5)
        turn = asyncio.ensure_future(on.turn())
        texts: list[str] = []
        snapshot = shown.fleet.snapshot()
        while not shown.events(TurnCompleted):
            texts.append(live(shown).text)
            snapshot = await shown.fleet.changed(snapshot.revision)
        lengths = [len(text) for text in texts]
        assert lengths == sorted(lengths)
        assert len(set(texts)) > 3
        (_, reply) = seen(shown).messages
        assert reply.text.startswith(texts[-1])
        assert live(shown) == Live()
        assert await turn


@play
async def test_prompts_that_wait_elsewhere_and_waits_are_seen() -> None:
    async with theatre(ONE, watch=True) as on, screen(on) as shown:
        on.mode("openai-codex", Mode.OVERLOADED)
        on.mode("backup", Mode.OVERLOADED)
        assert await shown.fleet.execute(SendPrompt("s1", "One.")) == "sent to s1"
        await shown.until(lambda: live(shown).waiting_until is not None)
        assert await shown.fleet.execute(SendPrompt("s1", "Two.")) == "s1 takes it when its turn has ended"
        await shown.until(lambda: live(shown).queued == 1)
        assert seen(shown).pending == ("1 prompt waits",)


@play
async def test_every_act_on_a_session_is_done_by_its_process_and_answered_with_its_sentence() -> None:
    async with theatre(ONE, watch=True) as on, screen(on) as shown:
        act = shown.fleet.execute
        assert await act(UseFallback("s1")) == "s1 uses backup/small from now on"
        assert on.row().on_fallback
        assert await act(ForceRestore("s1")) == "openai-codex/gpt is tried with the next prompt"
        assert on.row().forced_at is not None
        assert await act(SwitchModel("s1", "backup", "big")) == "backup/big is the primary now"
        on.mode("backup", Mode.OVERLOADED)
        await act(SendPrompt("s1", "Go on."))
        await shown.until(lambda: seen(shown).row.phase is Phase.WAITING)
        assert await act(RetryNow("s1")) == "s1 tries again now"
        await shown.until(lambda: seen(shown).row.phase is Phase.WAITING)
        assert await act(StopTurn("s1")) == "s1's turn is stopped"
        await shown.until(lambda: seen(shown).row.phase is Phase.IDLE)
        assert [event.prompt for event in on.events(TurnStarted)] == ["Go on."]


@play
async def test_sessions_that_the_user_made_are_kept_by_their_process() -> None:
    async with theatre(ONE, watch=True) as on, screen(on) as shown:
        act = shown.fleet.execute
        await on.fleet.execute(NewSession("docs"))
        await shown.until(lambda: any(state.name == "docs" for state in shown.fleet.snapshot().sessions))
        assert await act(ChangeSchedule("docs", HOUR, "Look.")) == "docs runs by itself every 1h"
        assert await act(RenameSession("docs", "papers")) == "docs is called papers now"
        assert on.fleet.runs("papers")
        assert "papers is archived" in await act(ArchiveSession("papers"))
        assert shown.fleet.snapshot().session("papers") is None


@play
async def test_a_refusal_of_the_other_process_is_the_reason_here() -> None:
    async with theatre(ONE, watch=True) as on, screen(on) as shown:
        assert isinstance(shown.fleet.preview(StopTurn("s1")), Refused)
        with pytest.raises(RefusedError, match="s1 has no turn running"):
            await asyncio.to_thread(StateNeighbours(on.on.state).execute, os.getpid(), StopTurn("s1"))
        with pytest.raises(RefusedError, match="does not run s9 any more"):
            await asyncio.to_thread(StateNeighbours(on.on.state).execute, os.getpid(), ResetChain("s9"))


@play
async def test_a_process_does_what_it_is_asked_on_the_way_to_nobody_else() -> None:
    async with theatre(TWO, watch=True, only=("s1",)) as on, process(on) as other, door(on):
        assert other.fleet.runs("s2")
        with pytest.raises(RefusedError, match="does not run s2 any more"):
            await asyncio.to_thread(StateNeighbours(on.on.state).execute, os.getpid(), SendPrompt("s2", "Go."))


@play
async def test_of_a_process_without_a_door_the_rows_are_shown_and_acts_refused_with_the_reason() -> None:
    async with theatre(ONE, watch=True) as on, process(on) as shown:
        await shown.until(lambda: seen(shown).silence is not None)
        on.limit()
        await on.turn()
        await shown.until(lambda: seen(shown).row.on_fallback)
        assert seen(shown).live is None
        with pytest.raises(RefusedError, match=f"process {os.getpid()} cannot be reached .*; act on s1 there"):
            await shown.fleet.execute(ForceRestore("s1"))


@play
async def test_a_door_that_opens_later_is_found() -> None:
    async with theatre(ONE, watch=True) as on, process(on) as shown:
        await shown.until(lambda: seen(shown).silence is not None)
        async with door(on):
            await shown.until(lambda: seen(shown).takes_acts)
        await on.clock.sleep(10)
        assert seen(shown).silence is not None


@play
async def test_an_act_that_a_process_cannot_be_told_of_is_no_refusal() -> None:
    async with theatre(ONE, watch=True) as on, process(on) as shown:
        async with door(on):
            await shown.until(lambda: seen(shown).takes_acts)
        with pytest.raises(NothingReachableError):
            await shown.fleet.execute(SendPrompt("s1", "Go."))


@play
async def test_a_session_whose_process_has_ended_is_said_to_be_nobodys_until_somebody_takes_it() -> None:
    async with theatre(ONE, watch=True) as on, screen(on) as shown:
        assert not seen(shown).abandoned
        await on.fleet.close()
        await shown.until(lambda: seen(shown).abandoned)
        assert not seen(shown).takes_acts
        answer = shown.fleet.preview(SendPrompt("s1", "Go."))
        assert isinstance(answer, Refused)
        assert "reload the configuration (R), and it runs here" in answer.reason
        await shown.fleet.configure(load_configuration(on.on.config, on.on.scenario.environment, on.clock.now()))
        assert seen(shown).mine
        assert not seen(shown).abandoned


@play
async def test_who_keeps_the_sessions_takes_over_those_whose_process_has_ended() -> None:
    async with theatre(TWO, watch=True, only=("s1",)) as on, process(on, keep=True) as keeper:
        assert keeper.fleet.runs("s2")
        assert not keeper.fleet.runs("s1")
        await on.fleet.close()
        await keeper.until(lambda: keeper.fleet.runs("s1"))
        assert await keeper.turn()


@play
async def test_one_process_keeps_the_sessions_of_a_state() -> None:
    async with theatre(ONE, only=()) as on, process(on, keep=True):
        with pytest.raises(RefusedError, match=f"process {os.getpid()} keeps the sessions of this state already"):
            async with process(on, keep=True):
                pass


@play
async def test_beside_who_keeps_the_sessions_a_screen_runs_none_and_what_it_makes_outlives_it() -> None:
    async with theatre(ONE, only=()) as on, process(on, keep=True) as keeper, screen(keeper) as shown:
        assert seen(shown).takes_acts
        await shown.fleet.execute(NewSession("docs", prompt="Begin."))
        assert keeper.fleet.runs("docs")
        assert not shown.fleet.runs("docs")
        await keeper.until(lambda: keeper.row("docs").messages == 2)
        await shown.fleet.execute(ArchiveSession("docs"))
        assert await shown.fleet.execute(BringBack("docs")) == "docs is there again"
        assert keeper.fleet.runs("docs")
        await shown.fleet.close()
        assert await keeper.turn("docs")


@play
async def test_a_first_session_that_a_screen_has_made_elsewhere_can_be_written_to_without_a_pause() -> None:
    async with theatre(NONE) as on, process(on, keep=True) as keeper, door(keeper), process(on) as shown:
        await shown.fleet.execute(NewSession("docs"))
        assert shown.fleet._elsewhere is not None
        assert list(shown.fleet._elsewhere._following) == [os.getpid()]
        await shown.until(lambda: seen(shown, "docs").takes_acts)
        assert await shown.fleet.execute(SendPrompt("docs", "Begin.")) == "sent to docs"


@play
async def test_a_screen_tells_by_its_terminal_what_happens_where_nobody_has_one() -> None:
    async with theatre(ONE, only=()) as on, process(on, keep=True) as keeper, process(on) as shown:
        told: list[str] = []

        async def means(notices: Sequence[Notice]) -> None:
            told.extend(notice.text for notice in notices)

        wanted = Wanted(frozenset(Occasion))
        ledger = shown.on.ledger
        teller = Teller(ledger, shown.clock, means, wanted=lambda: wanted, runs=shown.fleet.tells)
        telling = asyncio.ensure_future(teller.run())
        on.limit()
        await keeper.turn()
        await shown.until(lambda: shown.row().on_fallback)
        teller.end()
        await telling
        assert [text.partition(":")[0] for text in told] == ["s1"]


@play
async def test_a_screen_tells_nothing_of_what_another_screen_tells() -> None:
    async with theatre(ONE, watch=True) as on, process(on) as shown:
        assert on.fleet.tells("s1")
        assert not shown.fleet.tells("s1")


@play
async def test_where_nobody_else_runs_anything_nobody_is_asked() -> None:
    def unasked() -> StateNeighbours:
        raise AssertionError("somebody was asked")

    async with theatre(ONE, only=()) as on:
        loaded = load_configuration(on.on.config, on.on.scenario.environment, on.clock.now())
        with open_ledger(on.on.state) as ledger:
            async with open_fleet(loaded, ledger, on.on.state, clock=on.clock, sees_others=True) as fleet:
                assert fleet._elsewhere is not None
                fleet._elsewhere._open = unasked
                await fleet.start(TaskSpawner())
                await on.clock.sleep(60)
                assert await fleet.prompt("s1", "Go.")
                assert fleet._elsewhere._following == {}


@play
async def test_a_process_that_is_ending_takes_nothing_any_more() -> None:
    async with theatre(ONE, watch=True) as on, door(on) as opened:
        asked = asyncio.ensure_future(
            asyncio.to_thread(StateNeighbours(on.on.state).execute, os.getpid(), SendPrompt("s1", "Go."))
        )
        opened.close()
        with pytest.raises((RefusedError, NothingReachableError)):
            await asked
        assert on.events(TurnStarted) == []


class Hanging(StateNeighbours):
    """A process that answers nothing until it is let go."""

    def __init__(self) -> None:
        self.is_asked, self.is_free = threading.Event(), threading.Event()

    def lives(self, pid: int) -> dict[str, Live]:
        self.is_asked.set()
        self.is_free.wait(30)
        raise NothingReachableError(f"process {pid} did not answer (in time)")


@play
async def test_a_process_that_hangs_holds_up_nothing_here() -> None:
    async with theatre(TWO, only=("s1",)) as on:
        loaded = load_configuration(on.on.config, on.on.scenario.environment, on.clock.now())
        hanging = Hanging()
        with open_ledger(on.on.state) as ledger:
            async with open_fleet(loaded, ledger, on.on.state, clock=on.clock, sees_others=True) as fleet:
                assert fleet._elsewhere is not None
                fleet._elsewhere._open = lambda: hanging
                await fleet.start(TaskSpawner())
                shown = Theatre(replace(on.on, fleet=fleet, ledger=ledger), on.clock)
                await asyncio.to_thread(hanging.is_asked.wait, 30)
                assert await shown.turn("s2")
                await on.turn("s1")
                await shown.until(lambda: seen(shown, "s1").row.turns == 1)
                assert seen(shown, "s1").silence is None
                hanging.is_free.set()
                await shown.until(lambda: seen(shown, "s1").silence is not None)
