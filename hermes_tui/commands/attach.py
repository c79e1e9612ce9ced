"""A real Hermes home: its sessions on the screen."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hermes_tui.commands.terminal import require_terminal
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.hermes.source import HermesHome
from hermes_tui.wiring import open_homes

if TYPE_CHECKING:
    from hermes_tui.commands.looks import Taste

_WITHOUT_SCREEN: Final = "`hermes-tui status --hermes`, or `hermes-tui why --hermes SESSION`"


def attach(given: Path | None, config: Path | None, state: Path | None) -> int:
    """Show a home until the user leaves; `config` says how the screen looks and tells, and its keys, if it is there.

    Raises UsageError where there is no home.
    """
    require_terminal("attaching", _WITHOUT_SCREEN)
    from hermes_tui.commands.looks import taste_of  # noqa: PLC0415 - the screen is not needed for the others

    taste = taste_of(config_path(config, os.environ), now())
    homes = open_homes(given, None, os.environ, now, taste.keymap)
    return asyncio.run(_show([home for _, home in homes], taste, state_directory(state, os.environ)))


async def _show(homes: Sequence[HermesHome], taste: "Taste", state: Path) -> int:
    from hermes_tui.commands.screen import run_screen  # noqa: PLC0415 - as above
    from hermes_tui.tui.app import HermesApp  # noqa: PLC0415 - as above

    async def start(app: HermesApp) -> None:
        from hermes_tui.commands.joining import Calling, join, watch  # noqa: PLC0415 - after the first frame

        calling = Calling(lambda: taste.telling, state)
        watch(app, homes[0], calling)
        for home in homes[1:]:
            join(app, home, calling)

    return await run_screen(HermesApp(homes[0], look=taste.look, start=start), state)
