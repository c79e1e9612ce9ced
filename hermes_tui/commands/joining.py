"""The homes of Hermes on this machine, joined to the dashboard once it shows."""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hermes_tui.commands.means import by_command, by_one_of_all, by_terminal
from hermes_tui.commands.telling import HomeTeller
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.errors import UsageError
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.telling import Telling
from hermes_tui.engine.clock import EngineClock
from hermes_tui.hermes.homes import chosen_homes, why_not_a_home
from hermes_tui.hermes.source import HermesHome
from hermes_tui.storage.ownership import Ownership
from hermes_tui.tui.app import HermesApp
from hermes_tui.wiring import open_homes


class Calling(NamedTuple):
    """How the user is told of homes; dashboards with the same `state` folder share what one of them is to tell."""

    telling: Callable[[], Telling]
    state: Path


async def join_homes(app: HermesApp, wanted: Sequence[str] | None, keymap: Keymap, calling: Calling) -> None:
    """Show the sessions of the homes at `wanted` beside those of `app`; None is the home that Hermes uses here.

    A home that was asked for and is not there is told of.
    """
    for given in (None,) if wanted is None else tuple(map(Path, wanted)):
        app.reads = "Hermes" if await asyncio.to_thread(_is_there, given) else ""
        app.tick()
        try:
            homes = await asyncio.to_thread(open_homes, given, None, os.environ, now, keymap)
        except UsageError as error:
            if given is not None:
                app.tell(str(error), grave=True)
            continue
        finally:
            app.reads = ""
        for _, home in homes:
            join(app, home, calling)


def _is_there(given: Path | None) -> bool:
    return any(why_not_a_home(home) is None for home in chosen_homes(given, None, os.environ, Path.home()))


def join(app: HermesApp, home: HermesHome, calling: Calling) -> None:
    """Show the sessions of `home` under a name that no other source has, and watch it."""
    taken, name, number = {source.snapshot().source for source in app.sources}, home.name, 1
    while home.name in taken:
        number += 1
        home.name = f"{name}-{number}"
    app.join(home)
    watch(app, home, calling)


def watch(app: HermesApp, home: HermesHome, calling: Calling) -> None:
    """Watch `home` while the app runs, and tell of it; what ends that is shown, and stops nothing else.

    The sessions that run in a Hermes of its own end when the app does.
    """
    app.stops.append(home.close)
    app.run_worker(home.watch(), name=home.name, group="homes", exit_on_error=False)
    for teller in _tellers(app, home, calling):
        app.run_worker(teller.run(), name=f"telling of {home.name}", group="homes", exit_on_error=False)


def _tellers(app: HermesApp, home: HermesHome, calling: Calling) -> Iterator[HomeTeller]:
    """Yield who tells of `home` by the terminal, and who by the user's command; each at its own pace."""
    telling, state = calling
    command = by_one_of_all(by_command(app, telling, EngineClock()), app, Ownership(state), str(home.path))
    yield HomeTeller(home, by_terminal(app, telling), wanted=lambda: telling().by_terminal)
    yield HomeTeller(home, command, wanted=lambda: telling().by_command)
