"""Makes the pictures of the README from the demo: `python screenshots/generate.py`."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from hermes_tui.commands.stage import Stage, stage
from hermes_tui.commands.story import StoryClock, play_story, story_clock
from hermes_tui.core.event import Event, Narrated, VerdictContradicted
from hermes_tui.simulator.loading import load_scenario
from hermes_tui.tui.app import HermesApp

HERE = Path(__file__).parent
PICTURES = {
    "dashboard": ((120, 40), ""),
    "dashboard-80x24": ((80, 24), ""),
    "timeline": ((120, 30), "vk"),
    "editor": ((120, 40), "e"),
    "editor-80x24": ((80, 24), "e"),
}
"""For each picture the size of the terminal, and the keys that lead there."""

SPEED = 200.0
FONTS_FROM_AFAR = re.compile(r"@font-face\s*\{[^}]*\}")


async def main() -> None:
    """Play the demo for each picture, up to the moment when the probe has lied."""
    for name, (size, keys) in PICTURES.items():
        scenario = load_scenario("friday-to-monday")
        clock = story_clock(scenario, SPEED)
        async with stage(scenario, clock) as on:
            await _picture(on, clock, name, size, keys)


async def _picture(on: Stage, clock: StoryClock, name: str, size: tuple[int, int], keys: str) -> None:
    async def start(app: HermesApp) -> None:
        await on.fleet.start(app, watch=False)
        app.spawn("story", play_story(on, clock, app.look_at))

    app = HermesApp(on.fleet, start=start, stop=on.fleet.close)
    async with app.run_test(size=size) as pilot:
        await _until(on, _told_of_the_lie)
        await pilot.press(*keys)
        for worker in [worker for worker in app.workers if worker.group == "timeline"]:
            await worker.wait()
        await pilot.pause()
        picture = FONTS_FROM_AFAR.sub("", app.export_screenshot(title="hermes-tui demo"))
        (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")


async def _until(on: Stage, is_so: Callable[[list[Event]], bool]) -> None:
    snapshot = on.fleet.snapshot()
    while not is_so([event for _, event in snapshot.events]):
        snapshot = await on.fleet.changed(snapshot.revision)


def _told_of_the_lie(events: list[Event]) -> bool:
    contradicted = any(isinstance(event, VerdictContradicted) for event in events)
    return contradicted and isinstance(events[-1], Narrated)


if __name__ == "__main__":
    asyncio.run(main())
