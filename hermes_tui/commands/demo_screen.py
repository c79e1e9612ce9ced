"""A demo's story on the dashboard."""

import asyncio
import os
import sys

from hermes_tui.commands.dashboard import edit
from hermes_tui.commands.screen import run_screen
from hermes_tui.commands.stage import stage
from hermes_tui.commands.story import play_story
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.themes import look_for


def show_story(scenario: Scenario, clock: EngineClock) -> int:
    """Play a scenario on the dashboard; return when the user leaves it."""
    return asyncio.run(_show_demo(scenario, clock))


async def _show_demo(scenario: Scenario, clock: EngineClock) -> int:
    async with stage(scenario, clock) as on:

        async def start(app: HermesApp) -> None:
            await on.fleet.start(app, watch=False)
            app.spawn("story", play_story(on, clock, app.look_at))

        look = look_for(os.environ, sys.stdout.encoding or "ascii")
        app = HermesApp(on.fleet, look=look, editor=lambda: edit(on.config), start=start, stop=on.fleet.close)
        return await run_screen(app, None)
