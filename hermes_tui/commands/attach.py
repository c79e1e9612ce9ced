"""A real Hermes home: its sessions on the screen, or where they stand and why as lines."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hermes_tui.commands.naming import session_named
from hermes_tui.commands.terminal import require_terminal, show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.hermes.source import SOURCE, HermesHome
from hermes_tui.view.status import Document, is_off, needs_attention, status_document, status_lines, why_lines
from hermes_tui.wiring import open_home

if TYPE_CHECKING:
    from hermes_tui.tui.themes import Look

_WITHOUT_SCREEN: Final = "`hermes-tui status --hermes`, or `hermes-tui why --hermes SESSION`"


def attach(given: Path | None, config: Path | None, state: Path | None) -> int:
    """Show a home until the user leaves; `config` is where the looks and keys of the screen come from, if it is there.

    Raises UsageError where there is no home.
    """
    require_terminal("attaching", _WITHOUT_SCREEN)
    from hermes_tui.commands.looks import look_and_keys  # noqa: PLC0415 - the screen is not needed for the others

    look, keys = look_and_keys(config_path(config, os.environ), now())
    home = open_home(given, os.environ, now, keys)
    return asyncio.run(_show(home, look, state_directory(state, os.environ)))


async def _show(home: HermesHome, look: "Look", state: Path) -> int:
    from hermes_tui.commands.screen import run_screen  # noqa: PLC0415 - as above
    from hermes_tui.tui.app import HermesApp  # noqa: PLC0415 - as above

    async def start(app: HermesApp) -> None:
        app.spawn("home", home.watch())

    return await run_screen(HermesApp(home, look=look, start=start), state)


def home_status(*, as_json: bool, with_archived: bool) -> int:
    """Print where every session of the home stands; return 0 when all is well, 1 when something needs attention."""
    document = _document(with_archived=with_archived)
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(status_lines(document, now()))
    return 1 if needs_attention(document) else 0


def home_why(name: str) -> int:
    """Print why a session of the home is where it is; return 0 on a primary that works, else 1."""
    home = open_home(None, os.environ, now)
    session_named(name, home.snapshot().facts)
    found = next(one for one in _told(home, with_archived=False)["sessions"] if one["name"] == name)
    show(why_lines(found, now()))
    return 1 if is_off(found) else 0


def _document(*, with_archived: bool) -> Document:
    return _told(open_home(None, os.environ, now), with_archived=with_archived)


def _told(home: HermesHome, *, with_archived: bool) -> Document:
    snapshot = home.snapshot()
    owners = {state.name: state.owner for state in snapshot.sessions}
    return status_document(snapshot.facts, owners.get, now(), with_archived=with_archived, source=SOURCE)
