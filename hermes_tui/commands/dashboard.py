"""The dashboard: a fleet on the screen, with the configuration file watched."""

import asyncio
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from hermes_tui.commands.looks import look_of
from hermes_tui.commands.means import by_command, by_terminal
from hermes_tui.commands.screen import run_screen
from hermes_tui.commands.telling import Teller
from hermes_tui.commands.terminal import require_terminal
from hermes_tui.commands.watching import watch_configuration
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.config.problems import MissingFileError
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.tui.app import HermesApp
from hermes_tui.wiring import open_desk, open_fleet, open_ledger

_WITHOUT_SCREEN: Final = "`hermes-tui status --watch` for lines, or `hermes-tui run` for sessions without it"
_WITHOUT_FILE: Final = (
    "`hermes-tui init`, which writes a first configuration, then `hermes-tui run --prompt TEXT`; "
    "`hermes-tui demo --plain` shows what it is"
)


def dashboard(config: Path | None, state: Path | None) -> int:
    """Open the dashboard; return when the user leaves it. Without a configuration it explains itself first."""
    path, directory = config_path(config, os.environ), state_directory(state, os.environ)
    require_terminal("the dashboard", _WITHOUT_SCREEN if path.exists() else _WITHOUT_FILE)
    try:
        return asyncio.run(_show(path, directory, EngineClock()))
    except MissingFileError:
        from hermes_tui.commands.first_run import first_run  # noqa: PLC0415 - the demo is not needed otherwise

        code = first_run(path, directory)
        return asyncio.run(_show(path, directory, EngineClock())) if code is None else code


async def _show(path: Path, directory: Path, clock: EngineClock) -> int:
    desk = open_desk(path, os.environ, clock.now)
    loaded = desk.load()
    with open_ledger(directory) as ledger:
        async with open_fleet(loaded, ledger, directory, clock=clock, desk=desk, sees_others=True) as fleet:
            doors = ExitStack()

            async def start(app: HermesApp) -> None:
                for teller in _tellers(fleet, ledger, app, clock):
                    app.spawn("telling", teller.run())
                await fleet.start(app)
                _let_in(fleet, directory, app, doors)
                app.spawn("configuration", watch_configuration(fleet, path, desk.load, loaded.digest))
                from hermes_tui.commands.joining import Calling, join_homes  # noqa: PLC0415 - after the first frame

                calling = Calling(lambda: fleet.telling, directory)
                await join_homes(app, loaded.screen.hermes_homes, loaded.configuration.keymap, calling)

            async def stop() -> None:
                doors.close()  # first: what is sent from now on would be lost
                await fleet.close()

            app = HermesApp(fleet, look=look_of(loaded), editor=lambda: edit(path), start=start, stop=stop)
            with doors:
                return await run_screen(app, directory)


def _let_in(fleet: Fleet, directory: Path, app: HermesApp, doors: ExitStack) -> None:
    """Let other screens see these sessions live, and act on them, until the end of `doors`."""
    from hermes_tui.serving import FleetDoor  # noqa: PLC0415 - after the first frame

    door = FleetDoor(fleet, directory)
    if (why := door.open()) is not None:
        app.tell(why, grave=True)
    doors.callback(door.close)


def _tellers(fleet: Fleet, ledger: SqliteLedger, app: HermesApp, clock: EngineClock) -> Iterator[Teller]:
    """Yield who tells by the terminal, and who by the user's command; each at its own pace."""
    rings, runs = by_terminal(app, lambda: fleet.telling), by_command(app, lambda: fleet.telling, clock)
    yield Teller(ledger, clock, rings, wanted=lambda: fleet.telling.by_terminal, runs=fleet.tells)
    yield Teller(ledger, clock, runs, wanted=lambda: fleet.telling.by_command, runs=fleet.runs)


def edit(path: Path) -> str | None:
    """Open `path` in the user's editor and wait; return what went wrong, None where nothing did."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(command), str(path)], check=False)  # noqa: S603 - the user's own editor
    except (OSError, ValueError) as error:
        return f"{command} could not be started: {error}. Set $EDITOR."
    return None if done.returncode == 0 else f"{command} ended with code {done.returncode}"
