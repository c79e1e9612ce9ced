"""How the screen looks and tells and which keys it has, by the configuration file where there is one."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from hermes_tui.config.load import Loaded
from hermes_tui.config.problems import MissingFileError
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.telling import UNLESS_CHOSEN, Telling
from hermes_tui.tui.themes import Look, look_for
from hermes_tui.wiring import load_configuration


def look_of(loaded: Loaded | None) -> Look:
    """Return the look that a configuration asks for, or the terminal's own where there is none."""
    encoding = sys.stdout.encoding or "ascii"
    if loaded is None:
        return look_for(os.environ, encoding)
    screen = loaded.screen
    look = look_for(
        os.environ,
        encoding,
        theme=screen.theme,
        ascii_only=screen.glyphs == "ascii",
        motion=screen.motion != "none",
    )
    return replace(look, updates_per_second=screen.updates_per_second)


class Taste(NamedTuple):
    """What a user's file says of the screen alone."""

    look: Look
    keymap: Keymap
    telling: Telling


def taste_of(config: Path, now: float) -> Taste:
    """Return what the file at `config` says, which need not exist. Raises ConfigurationError."""
    try:
        loaded = load_configuration(config, os.environ, now)
    except MissingFileError:
        return Taste(look_of(None), NO_CHANGE, UNLESS_CHOSEN)
    return Taste(look_of(loaded), loaded.configuration.keymap, loaded.telling)
