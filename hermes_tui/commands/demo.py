"""`demo`: a scenario played before your eyes, on the dashboard or as lines; nothing leaves this machine."""

import asyncio
import sys
import time

from hermes_tui.commands.stage import play_planned_turns, stage
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.event import (
    AttemptFailed,
    ConfigurationLoaded,
    CredentialBenched,
    Event,
    RequestSent,
    RestoreCheckStarted,
    SessionCreated,
)
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.loading import load_scenario
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.simulator.simulator import Caption
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.view.events import kind, sentence
from hermes_tui.view.words import local

_LEFT_OUT = (RequestSent, RestoreCheckStarted, SessionCreated, ConfigurationLoaded, AttemptFailed)
"""What other lines of the story say again."""


def demo(name: str, speed: float | None, *, plain: bool) -> int:
    """Play the scenario `name`; `speed` is how many of its seconds pass in one."""
    scenario = load_scenario(name)
    clock = EngineClock(speed=speed or scenario.speed, start=time.time())
    if plain:
        return asyncio.run(_tell(scenario, clock))
    from hermes_tui.commands.dashboard import demo_dashboard  # noqa: PLC0415 - the screen is not needed for lines

    return demo_dashboard(scenario, clock)


async def _tell(scenario: Scenario, clock: EngineClock) -> int:
    sys.stdout.write(f"{scenario.title}\n{scenario.story.strip()}\n\n")
    async with stage(scenario, clock, said=_say) as on:
        teller = _Teller(on.ledger)
        await on.fleet.start(TaskSpawner(), watch=False)
        await play_planned_turns(on)
        await on.simulator.play()
        teller.close()
    return 0


def _say(caption: Caption) -> None:
    sys.stdout.write(f"\n{_moment(caption.at)}  {caption.text}\n")
    sys.stdout.flush()


class _Teller:
    """Writes the events that carry the story."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self._ledger = ledger
        self._last = 0
        self.close = ledger.subscribe(self._tell)

    def _tell(self) -> None:
        for number, event in self._ledger.tail(self._last):
            self._last = number
            if _is_told(event):
                who = f"{event.session}: " if event.session else ""
                sys.stdout.write(f"{_moment(event.time)}  {kind(event):8} {who}{sentence(event)}\n")
        sys.stdout.flush()


def _is_told(event: Event) -> bool:
    return isinstance(event, CredentialBenched) or not isinstance(event, _LEFT_OUT)


def _moment(at: float) -> str:
    return f"{local(at):%a %H:%M:%S}"
