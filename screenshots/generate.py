"""Makes the pictures from the demo: `python screenshots/generate.py`, or those alone whose names are given."""

import asyncio
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from hermes_tui.commands.stage import Stage, stage
from hermes_tui.commands.story import StoryClock, play_story, story_clock
from hermes_tui.core.event import Event, Narrated, VerdictContradicted
from hermes_tui.simulator.loading import load_scenario
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.themes import ANSI, DARK, LIGHT, SAFE, Look

HERE = Path(__file__).parent


class Picture(NamedTuple):
    """The size of the terminal, the keys that lead there, and the colours."""

    size: tuple[int, int]
    keys: str = ""
    theme: str = DARK


PICTURES = {
    "dashboard": Picture((120, 40)),
    "dashboard-80x24": Picture((80, 24)),
    "dashboard-60x20": Picture((60, 20), "4"),
    "dashboard-light": Picture((120, 40), theme=LIGHT),
    "dashboard-safe": Picture((120, 40), theme=SAFE),
    "dashboard-ansi": Picture((120, 40), theme=ANSI),
    "timeline": Picture((120, 30), "vk"),
    "editor": Picture((120, 40), "e"),
    "editor-80x24": Picture((80, 24), "e"),
}

SPEED = 200.0
FONTS_FROM_AFAR = re.compile(r"@font-face\s*\{[^}]*\}")


async def main(names: Sequence[str]) -> None:
    """Play the demo for each picture, up to the moment when the probe has lied."""
    for name in names or PICTURES:
        scenario = load_scenario("friday-to-monday")
        clock = story_clock(scenario, SPEED)
        async with stage(scenario, clock) as on:
            await _picture(on, clock, name, PICTURES[name])


async def _picture(on: Stage, clock: StoryClock, name: str, picture: Picture) -> None:
    async def start(app: HermesApp) -> None:
        await on.fleet.start(app, watch=False)
        app.spawn("story", play_story(on, clock, app.look_at))

    app = HermesApp(on.fleet, look=Look(picture.theme, motion=False), start=start, stop=on.fleet.close)
    async with app.run_test(size=picture.size) as pilot:
        await _until(on, _told_of_the_lie)
        await pilot.press(*picture.keys)
        for worker in [worker for worker in app.workers if worker.group == "timeline"]:
            await worker.wait()
        await pilot.pause()
        drawn = FONTS_FROM_AFAR.sub("", app.export_screenshot(title="hermes-tui demo"))
        (HERE / f"{name}.svg").write_text(drawn, encoding="utf-8")


async def _until(on: Stage, is_so: Callable[[list[Event]], bool]) -> None:
    snapshot = on.fleet.snapshot()
    while not is_so([event for _, event in snapshot.events]):
        snapshot = await on.fleet.changed(snapshot.revision)


def _told_of_the_lie(events: list[Event]) -> bool:
    contradicted = any(isinstance(event, VerdictContradicted) for event in events)
    return contradicted and isinstance(events[-1], Narrated)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
