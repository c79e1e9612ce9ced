"""Shell completion: the script for a shell, and the names that it offers from the state, the file and the scenarios."""

import os
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from hermes_tui.commands.edge import PROGRAM
from hermes_tui.commands.naming import credential_keys
from hermes_tui.commands.state import last_configuration, open_state
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.plans import archived, listed

if TYPE_CHECKING:
    from hermes_tui.commands.homes import Asked

VARIABLE: Final = "_HERMES_TUI_COMPLETE"
"""Tells the program that a shell asks: the variable that click derives from its name."""


def script(program: click.Command, shell: str) -> int:
    """Print the script that completes `program` in `shell`; return 0."""
    found = get_completion_class(shell)
    if found is None:
        raise LookupError(f"click knows no completion for {shell}")
    sys.stdout.write(found(program, {}, PROGRAM, VARIABLE).source())
    return 0


def offers(kind: str, context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the names of `kind` that begin with what is typed; nothing where they cannot be read.

    A pressed key is no place for an error: the command itself tells what is wrong.
    """
    try:
        names = [name for name in _NAMES[kind](context) if name.startswith(incomplete)]
    except (HermesTuiError, OSError):
        return []
    return [CompletionItem(_written(name)) for name in names]


def _written(name: str) -> str:
    """Return a name as it must stand in the line: bash takes it as it is, the other shells quote by themselves."""
    return shlex.quote(name) if os.environ.get(VARIABLE, "").startswith("bash") else name


def _option(context: click.Context, name: str) -> Path | None:
    value = context.params.get(name) or context.find_root().params.get(name)
    return value if isinstance(value, Path) else None


def _asked(context: click.Context) -> "Asked | None":
    if not any(context.params.get(name) for name in ("hermes", "home", "profile")):
        return None
    from hermes_tui.commands.homes import Asked  # noqa: PLC0415 - as below

    return Asked(_option(context, "home"), context.params["profile"])


def _file(context: click.Context) -> Configuration:
    from hermes_tui.wiring import load_configuration  # noqa: PLC0415 - the engine costs a tenth of a second

    path = config_path(_option(context, "config"), os.environ)
    return load_configuration(path, os.environ, now()).configuration


def _sessions_of_state(context: click.Context) -> Iterable[str]:
    with open_state(state_directory(_option(context, "state"), os.environ)) as ledger:
        return [session.name for session in listed(ledger.facts)]


def _sessions(context: click.Context) -> Iterable[str]:
    """Return the sessions that the command is about: of the state, or of Hermes where that is asked for."""
    if (asked := _asked(context)) is None:
        return _sessions_of_state(context)
    from hermes_tui.commands.home_sessions import session_names  # noqa: PLC0415 - only Hermes' own need it

    return session_names(asked)


def _credentials(context: click.Context) -> Iterable[str]:
    if (asked := _asked(context)) is None:
        return _credentials_of_state(context)
    from hermes_tui.commands.home_logins import login_names  # noqa: PLC0415 - as above

    return login_names(asked)


def _archived_sessions(context: click.Context) -> Iterable[str]:
    with open_state(state_directory(_option(context, "state"), os.environ)) as ledger:
        return [session.name for session in archived(ledger.facts)]


def _credentials_of_state(context: click.Context) -> Iterable[str]:
    with open_state(state_directory(_option(context, "state"), os.environ)) as ledger:
        return map(str, credential_keys(last_configuration(ledger)))


def _sessions_of_file(context: click.Context) -> Iterable[str]:
    return [plan.name for plan in _file(context).sessions]


def _entries_of_file(context: click.Context) -> Iterable[str]:
    if context.params.get("of_hermes"):
        from hermes_tui.commands.home_chain import HomeTarget  # noqa: PLC0415 - as above

        return [str(link.route) for link in HomeTarget().configuration().chain]
    configuration, session = _file(context), context.params.get("session")
    _, chain = configuration.routes_of(configuration.plan(session) if session else None)
    return [str(link.route) for link in chain]


def _credentials_of_file(context: click.Context) -> Iterable[str]:
    return map(str, credential_keys(_file(context)))


def _scenarios(_: click.Context) -> Iterable[str]:
    from hermes_tui.simulator.loading import scenario_names  # noqa: PLC0415 - the simulator costs half a second

    return scenario_names()


def _shapes(_: click.Context) -> Iterable[str]:
    from hermes_tui.simulator.gallery import shapes  # noqa: PLC0415 - the simulator costs half a second

    return [*dict.fromkeys(shape.provider for shape in shapes().values()), *shapes()]


_NAMES: Final[dict[str, Callable[[click.Context], Iterable[str]]]] = {
    "sessions": _sessions,
    "sessions of the state": _sessions_of_state,
    "archived sessions": _archived_sessions,
    "credentials": _credentials,
    "sessions of the file": _sessions_of_file,
    "credentials of the file": _credentials_of_file,
    "entries of the file": _entries_of_file,
    "scenarios": _scenarios,
    "shapes": _shapes,
}
