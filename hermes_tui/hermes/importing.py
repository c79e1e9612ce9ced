"""A whole home, read for its translation: nothing in it is written, and no key leaves it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from hermes_tui.core.text import one_line
from hermes_tui.hermes import dotenv
from hermes_tui.hermes.auth_file import Fault, LoginsError
from hermes_tui.hermes.configuration import read_configuration, read_tables
from hermes_tui.hermes.cooldowns import RULES
from hermes_tui.hermes.left_out import files_left_out
from hermes_tui.hermes.logins import read_logins
from hermes_tui.hermes.references import Keys
from hermes_tui.hermes.translation import Translation, translated
from hermes_tui.hermes.values import Home, Login


def translation_of(home: Home, environ: Mapping[str, str], user: Path, check_url: Callable[[str], str]) -> Translation:
    """Return what a home says as this program's own configuration; paths in it begin with `~` for the `user`.

    Raises ConfigurationError where `config.yaml` cannot be read, as `read_configuration` does.
    """
    configuration, document = read_configuration(home), read_tables(home)
    logins, why = _logins(home)
    keys = Keys(logins, environ, dotenv.of_home(home), _written(home.path, user), _written(home.root, user))
    found = translated(document, configuration, keys, check_url)
    lacks = (*((one_line(why),) if why else ()), *found.lacks)
    dead = (
        one_line(f"{row.provider}: the login {row.label} is dead in Hermes ({row.reason or row.status}): sign in again")
        for row in logins
        if row.status == "dead"
    )
    warnings = configuration.warnings
    notes = (*found.notes, *warnings, *files_left_out(set(os.listdir(home.path))))  # noqa: PTH208 - names, not paths
    return Translation(found.tables, (*lacks, *dead), notes)


def _logins(home: Home) -> tuple[tuple[Login, ...], str]:
    """Return the logins of a home, and why they are unknown where they are; a home without any has none."""
    try:
        return read_logins(home, RULES).rows, ""
    except LoginsError as error:
        return (), "" if error.fault is Fault.MISSING else str(error)


def _written(path: Path, user: Path) -> str:
    """Return a path as a person writes it."""
    return f"~/{path.relative_to(user)}" if path.is_relative_to(user) else str(path)
