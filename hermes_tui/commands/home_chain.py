"""The chain of a Hermes home as a target of `fallback`: its own config.yaml, over the desk that the editor uses."""

import os
import sys
from dataclasses import replace
from typing import Final

from hermes_tui.commands.auth import ask
from hermes_tui.commands.homes import Asked
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.acts import SaveConfiguration
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.editing import Applied, Entry, MakeChange
from hermes_tui.core.errors import UsageError
from hermes_tui.core.preview import Confirm
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.hermes.masking import is_reference
from hermes_tui.view.editing import difference
from hermes_tui.view.fallback import taking_lines
from hermes_tui.view.line import text_of
from hermes_tui.wiring import open_home, open_homes

_VARIABLE: Final = "env:"


class HomeTarget:
    """Implements `commands.fallback.ChainTarget` for one home, read once: the one asked for, else the one in use."""

    session = None
    asks = True

    def __init__(self, asked: Asked) -> None:
        if asked.profile is None:
            self._home = open_home(asked.home, os.environ, now)
        else:
            ((_, self._home),) = open_homes(asked.home, asked.profile, os.environ, now)

    def configuration(self) -> Configuration:
        """Return what the home's file means. Raises ConfigurationError."""
        return self._home.desk.configuration()

    def fitting(self, entry: Entry) -> Entry:
        """Return an entry as Hermes reads it; raises UsageError where its key would be the key itself."""
        key = entry.api_key
        if key.startswith(_VARIABLE):
            key = f"${{{key.removeprefix(_VARIABLE)}}}"
        if not is_reference(key):
            raise UsageError(
                "--api-key says which variable of .env holds the key and is never the key itself: write '${NAME}' "
                "(in single quotes) or env:NAME"
            )
        return replace(entry, api_key=key)

    def before(self) -> Snapshot:
        """Return where the sessions stand."""
        return self._home.snapshot()

    def apply(self, make: MakeChange, *, anyway: bool, yes: bool) -> Applied:
        """Change the chain in the file, after its lines were shown and agreed to; raises UsageError and RefusedError.

        With `yes` nobody is asked.
        """
        if yes:
            return self._home.desk.apply(make, anyway=anyway)
        return self._home.desk.apply(make, anyway=anyway, agree=self._ask)

    def _ask(self, old: str, new: str) -> None:
        answer = self._home.preview(SaveConfiguration(new, ""))
        if isinstance(answer, Confirm):
            sys.stderr.write("".join(f"{text_of(part)}\n" for part in difference(old, new)))
            ask(answer)

    def told(self, before: Snapshot | None, applied: Applied) -> None:
        """Say which session takes the change when, and what it does not do."""
        desk = self._home.desk
        if before is not None:
            show(taking_lines(desk.takings(desk.read().text, applied.configuration, before)))
