"""The dashboard: a fleet on the screen, with the configuration file watched."""

import asyncio
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from hermes_tui.commands.watching import watch_configuration
from hermes_tui.config.load import Loaded
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.engine.clock import EngineClock
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.themes import Look, look_for
from hermes_tui.wiring import load_configuration, open_fleet, open_ledger


def dashboard(config: Path | None, state: Path | None) -> int:
    """Open the dashboard; return when the user leaves it."""
    path, directory = config_path(config, os.environ), state_directory(state, os.environ)
    clock = EngineClock()

    def load() -> Loaded:
        return load_configuration(path, os.environ, clock.now())

    return asyncio.run(_show(load, path, directory, clock))


async def _show(load: Callable[[], Loaded], path: Path, directory: Path, clock: EngineClock) -> int:
    loaded = load()
    with open_ledger(directory) as ledger:
        async with open_fleet(loaded, ledger, directory, clock=clock, reload=load) as fleet:

            async def start(app: HermesApp) -> None:
                await fleet.start(app)
                app.spawn("configuration", watch_configuration(fleet, path, load, loaded.digest))

            app = HermesApp(fleet, look=_look(loaded), editor=lambda: edit(path), start=start, stop=fleet.close)
            await app.run_async()
            return app.return_code or 0


def _look(loaded: Loaded) -> Look:
    screen = loaded.screen
    return look_for(
        os.environ,
        sys.stdout.encoding or "ascii",
        theme=screen.theme,
        ascii_only=screen.glyphs == "ascii",
        motion=screen.motion != "none",
    )


def edit(path: Path) -> str | None:
    """Open `path` in the user's editor and wait; return what went wrong, None where nothing did."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(command), str(path)], check=False)  # noqa: S603 - the user's own editor
    except (OSError, ValueError) as error:
        return f"{command} could not be started: {error}. Set $EDITOR."
    return None if done.returncode == 0 else f"{command} ended with code {done.returncode}"
