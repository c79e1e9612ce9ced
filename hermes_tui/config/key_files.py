"""Key files of our own: a key that was pasted, in a folder beside the configuration, for its owner alone."""

import os
from pathlib import Path
from typing import Final

from hermes_tui.config.new_file import create
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.secret import Secret

FOLDER: Final = "keys"


def key_file(path: Path, provider: str) -> str:
    """Return the reference to a file for a provider's key that is not there yet, for the configuration at `path`."""
    name, number = provider, 1
    while os.path.lexists(path.parent / FOLDER / name):  # a link to nowhere is in the way as well
        number += 1
        name = f"{provider}-{number}"
    return f"file:{FOLDER}/{name}"


def kept_keys(path: Path) -> dict[str, str]:
    """Return the known providers with a key file beside the configuration, each with the reference to it."""
    return {name: f"file:{FOLDER}/{name}" for name in KNOWN_PROVIDERS if (path.parent / FOLDER / name).is_file()}


def keep(path: Path, reference: str, key: Secret) -> Path:
    """Put `key` into the file that `reference` names, for its owner alone, and return it.

    Raises ConfigurationError; whatever is there already is never touched.
    """
    file = path.parent / reference.removeprefix("file:")
    try:
        create(file, f"{key.reveal()}\n")
    except OSError as error:
        advice = "make its folder writable, or put the key into a variable"
        raise ConfigurationError(f"cannot be written ({error.strerror}): {advice}", path=file) from error
    return file
