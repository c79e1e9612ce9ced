"""What the tests of the screen share: an app over the story, what it shows, and waiting without sleeping."""

import time
from collections.abc import Callable, Coroutine
from itertools import groupby
from typing import Any

from textual.app import App
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot

from hermes_tui.core.snapshot import Snapshot
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.tui.themes import DARK, Look
from tests.tui.fakes import StoryBook

STILL = Look(DARK, motion=False)
PATIENCE_SECONDS = 30.0


def dashboard(
    snapshot: Snapshot | None = None,
    *,
    look: Look = STILL,
    editor: Callable[[], str | None] | None = None,
    start: Callable[[HermesApp], Coroutine[object, object, None]] | None = None,
    stop: Callable[[], Coroutine[object, object, None]] | None = None,
) -> tuple[HermesApp, StoryBook]:
    """Return a dashboard over the story, and the story."""
    book = StoryBook(snapshot)
    return HermesApp(book, look=look, editor=editor, start=start, stop=stop), book


def main(app: HermesApp) -> MainScreen:
    """Return the app's dashboard."""
    screen = app.screen_stack[0]
    assert isinstance(screen, MainScreen)
    return screen


def shown(app: App[Any]) -> list[str]:
    """Return what the terminal shows, line by line."""
    width, height = app.size
    compositor = app.screen._compositor
    return [strip.text for strip in compositor.render_strips(app.size)][:height] if width else []


def everything(app: App[Any]) -> str:
    """Return what the terminal shows as one text."""
    return "\n".join(shown(app))


def toasts(app: HermesApp) -> list[str]:
    """Return what was told, oldest first."""
    return [notification.message for notification in app._notifications]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, waiting for each; letters behind a letter are a word, which comes in one go."""
    for is_letter, run in groupby(keys, lambda key: len(key) == 1):
        first, *word = run
        await pilot.press(first)
        if not is_letter:
            await pilot.press(*word)
        elif word:
            for letter in word[:-1]:
                pilot.app.post_message(Key(_character_to_key(letter), letter))
            await pilot.press(word[-1])


async def showing(pilot: Pilot[Any], text: str) -> str:
    """Wait until the terminal shows `text`, and return everything that it shows; fail when it does not come."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while text not in (seen := everything(pilot.app)):
        assert time.monotonic() < deadline, seen
        await pilot.pause()
    return seen


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until workers of the user's acts are done and everything is drawn."""
    await pilot.pause()
    app = pilot.app
    acts = [worker for worker in app.workers if worker.group in ("act", "editor", "timeline")]
    if acts:
        await app.workers.wait_for_complete(acts)
    await pilot.pause()
