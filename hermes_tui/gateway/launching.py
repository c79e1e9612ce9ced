"""How a Hermes is started as a gateway: the program that its own terminal interface starts, by its own interpreter."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from hermes_tui.core.values import dataclass

_MODULE: Final = "tui_gateway.entry"
_LACKS_A_NAME: Final = "0.22.2.post1"
"""This release uses `Path` in a module that does not import it, which only Python 3.14 forgives."""

_WITH_THE_NAME: Final = (
    f"import builtins, pathlib, runpy; builtins.Path = pathlib.Path; runpy.run_module({_MODULE!r}, run_name='__main__')"
)


@dataclass(frozen=True, slots=True)
class Launch:
    """A command, its whole environment, and the folder that it is started in: its tools work there."""

    command: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    folder: Path


def launch_of(home: Path, python: Path, version: str, environ: Mapping[str, str], folder: Path) -> Launch:
    """Return how the Hermes of that version is started on `home`, whose interpreter is `python`.

    No module that lies in `folder` is met.
    """
    how = ("-c", _WITH_THE_NAME) if version == _LACKS_A_NAME else ("-m", _MODULE)
    return Launch((str(python), "-P", *how), {**environ, "HERMES_HOME": str(home)}, folder)
