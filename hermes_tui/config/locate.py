"""Where the configuration and the state live: by option, else by variable, else by the platform."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

PROGRAM: Final = "hermes-tui"
FILE_NAME: Final = "hermes-tui.toml"


def config_path(option: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the configuration file's path: `--config`, else `$HERMES_TUI_CONFIG`, else the platform's place."""
    chosen = option or _from_variable("HERMES_TUI_CONFIG", environ)
    if chosen is not None:
        return _whole(chosen)
    from platformdirs import user_config_path  # noqa: PLC0415  # most starts do not need it

    return user_config_path(PROGRAM, appauthor=False) / FILE_NAME


def state_directory(option: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the state's folder: `--state`, else `$HERMES_TUI_STATE`, else the platform's place."""
    chosen = option or _from_variable("HERMES_TUI_STATE", environ)
    if chosen is not None:
        return _whole(chosen)
    from platformdirs import user_state_path  # noqa: PLC0415  # most starts do not need it

    return user_state_path(PROGRAM, appauthor=False)


def _from_variable(name: str, environ: Mapping[str, str]) -> Path | None:
    value = environ.get(name, "").strip()
    return Path(value) if value else None


def _whole(path: Path) -> Path:
    """Return the path from the root; a link stays a link."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:  # `~name` of nobody
        return path.absolute()
