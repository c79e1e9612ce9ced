"""How the screen looks and which keys it has, by the configuration file where there is one."""

import os
import sys
from dataclasses import replace
from pathlib import Path

from hermes_tui.config.load import Loaded
from hermes_tui.config.problems import MissingFileError
from hermes_tui.core.keymap import NO_CHANGE, Keymap
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


def look_and_keys(config: Path, now: float) -> tuple[Look, Keymap]:
    """Return the look and the keys of the file at `config`, which need not exist. Raises ConfigurationError."""
    try:
        loaded = load_configuration(config, os.environ, now)
    except MissingFileError:
        return look_of(None), NO_CHANGE
    return look_of(loaded), loaded.configuration.keymap
