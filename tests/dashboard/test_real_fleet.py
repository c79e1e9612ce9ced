"""The dashboard over a real fleet: keys that act on sessions that stream from a real server on loopback."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from textual.pilot import Pilot

from hermes_tui.commands.stage import Stage, stage
from hermes_tui.core.event import PrimaryRestored, TurnCompleted
from hermes_tui.core.session import Phase, Session
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.action import SetMode, SetPace
from hermes_tui.simulator.mode import Mode
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.tui.app import HermesApp
from tests.engine.theatre import scenario

LIMIT = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)
OPEN = SetMode(provider="openai-codex", mode=Mode.OK)


@dataclass
class Dashboard:
    """An app that runs over a stage, and the words that tests speak."""

    on: Stage
    pilot: Pilot[None]

    @property
    def row(self) -> Session:
        """The first session."""
        return self.on.ledger.facts.sessions["s1"]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the fleet is as wanted."""
        snapshot = self.on.fleet.snapshot()
        while not is_so():
            snapshot = await self.on.fleet.changed(snapshot.revision)

    def streamed(self) -> str:
        """What has streamed of the running reply."""
        live = self.on.fleet.snapshot().sessions[0].live
        return live.text if live else ""

    def completed(self) -> list[TurnCompleted]:
        """The turns that brought a reply."""
        return [event for _, event in self.on.ledger.tail(0) if isinstance(event, TurnCompleted)]


@asynccontextmanager
async def dashboard(script: Scenario, *, speed: float = 20.0) -> AsyncIterator[Dashboard]:
    """Open the dashboard over `script`, on a clock that runs faster."""
    clock = EngineClock(speed=speed)
    async with stage(script, clock) as on:

        async def start(app: HermesApp) -> None:
            await on.fleet.start(app, watch=False)

        app = HermesApp(on.fleet, start=start, stop=on.fleet.close)
        async with app.run_test(size=(120, 40)) as pilot:
            shown = Dashboard(on, pilot)
            await shown.until(lambda: bool(on.fleet.snapshot().sessions))
            await pilot.pause()
            yield shown


async def test_m39_force_restore_pressed_while_a_reply_streams_leaves_the_stream_unharmed() -> None:
    async with dashboard(scenario("backup/small")) as shown:
        shown.on.simulator.world.apply(LIMIT)
        assert await shown.on.fleet.prompt("s1", "Go on.")
        assert shown.row.on_fallback
        shown.on.simulator.world.apply(SetPace(provider="backup", latency=1.0, tokens_per_second=0.03))
        await shown.pilot.press("i")
        await shown.pilot.press(*"And now?", "enter")
        await shown.until(lambda: bool(shown.streamed()))
        shown.on.simulator.world.apply(OPEN)
        await shown.pilot.press("escape", "1", "b")
        await shown.pilot.press("y")
        await shown.until(lambda: shown.row.forced_at is not None)
        assert shown.row.phase is Phase.RUNNING
        shown.on.simulator.world.apply(SetPace(provider="backup", tokens_per_second=0))
        await shown.until(lambda: shown.row.phase is Phase.IDLE)
        assert [event.provider for event in shown.completed()] == ["backup", "backup"]
        asked = [request for request in shown.on.simulator.requests if request.provider == "backup"]
        assert len(asked) == 2
        assert await shown.on.fleet.prompt("s1", "Once more.")
        assert shown.completed()[-1].provider == "openai-codex"
        assert [event.forced for _, event in shown.on.ledger.tail(0) if isinstance(event, PrimaryRestored)] == [True]


async def test_opening_and_leaving_the_dashboard_sends_nothing() -> None:
    async with dashboard(scenario("backup/small")) as shown:
        await shown.pilot.press("question_mark", "escape", "1", "2", "3", "4", "5", "6", "z", "z")
        assert shown.on.simulator.requests == []
