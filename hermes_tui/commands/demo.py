"""`demo`: a scenario played before your eyes, on the dashboard or as lines; nothing leaves this machine."""

import asyncio
import sys

from hermes_tui.commands.stage import stage
from hermes_tui.commands.story import play_story, story_clock
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.commands.terminal import require_terminal
from hermes_tui.core.event import Narrated
from hermes_tui.core.text import plain
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.loading import load_scenario
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.view.event_words import tell
from hermes_tui.view.words import local


def demo(name: str, speed: float | None, *, plain: bool) -> int:
    """Play the scenario `name`; `speed` is how many of its seconds pass in one."""
    if not plain:
        require_terminal("the demo's screen", "`hermes-tui demo --plain` for lines")
    scenario = load_scenario(name)
    clock = story_clock(scenario, speed)
    if plain:
        return asyncio.run(_tell(scenario, clock))
    from hermes_tui.commands.demo_screen import show_story  # noqa: PLC0415 - the screen is not needed for lines

    return show_story(scenario, clock)


async def _tell(scenario: Scenario, clock: EngineClock) -> int:
    sys.stdout.write(plain(f"{scenario.title}\n{scenario.story.strip()}\n\n"))
    async with stage(scenario, clock) as on:
        teller = _Teller(on.ledger)
        await on.fleet.start(TaskSpawner(), watch=False)
        await play_story(on, clock)
        teller.close()
    return 0


class _Teller:
    """Writes the events that carry the story."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self._ledger = ledger
        self._last = 0
        self.close = ledger.subscribe(self._tell)

    def _tell(self) -> None:
        for number, event in self._ledger.tail(self._last):
            self._last = number
            told = tell(event)
            if isinstance(event, Narrated):
                sys.stdout.write(f"\n{_moment(event.time)}  {event.text}\n")
            elif not told.quiet:
                sys.stdout.write(f"{_moment(event.time)}  {told.topic:8} {told.text}\n")
        sys.stdout.flush()


def _moment(at: float) -> str:
    return f"{local(at):%a %H:%M:%S}"
