"""Whether something else decides about a home's settings: a package manager, or a folder of the administrator's."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.bounded import read_at_most
from hermes_tui.hermes.document import LARGEST, read_document
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY

_VARIABLE: Final = "HERMES_MANAGED"
_MARKER: Final = ".managed"
_FOLDER_VARIABLE: Final = "HERMES_MANAGED_DIR"
_FOLDER: Final = Path("/etc/hermes")


def why_managed(folder: Path, environ: Mapping[str, str]) -> PlainText | None:
    """Say why Hermes itself would not write the configuration in the home `folder`, None where it would."""
    if environ.get(_VARIABLE, "").strip():
        by = f"${_VARIABLE} is set"
    elif os.path.lexists(folder / _MARKER):
        by = f"{folder / _MARKER} is there"
    else:
        return None
    return one_line(f"a package manager decides about this home ({by}): change the chain where that declares it")


def pinned(environ: Mapping[str, str], folder: Path = _FOLDER) -> Iterator[PlainText]:
    """Yield what an administrator has set for everybody, so that the home's own does not count (from 0.22 on)."""
    named = environ.get(_FOLDER_VARIABLE, "").strip()
    path = (Path(named) if named else folder) / "config.yaml"
    try:
        document = read_document(read_at_most(path, LARGEST + 1)[0], path)
    except (OSError, ConfigurationError):  # as Hermes: then nothing is set there
        return
    for name in (CHAIN, LEGACY, "model"):
        if name in document:
            yield one_line(f"{path} sets {name} for everybody: what stands here does not count (from 0.22 on)")
