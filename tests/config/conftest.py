"""A file to write and load, and nothing of the machine's environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from hermes_tui.config.load import Loaded, load
from tests.storage.conftest import spawn, unprivileged

__all__ = ["load_text", "path", "spawn", "unprivileged"]

NOW = 1_800_000_000.0


class LoadText(Protocol):
    """Writes a text as the configuration and loads it."""

    def __call__(self, text: str, environ: Mapping[str, str] | None = None) -> Loaded:
        """Return what the text means in an environment, by default an empty one."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hermes-tui.toml"


@pytest.fixture
def load_text(path: Path) -> LoadText:
    def load_it(text: str, environ: Mapping[str, str] | None = None) -> Loaded:
        path.write_text(text, encoding="utf-8")
        return load(path, environ=environ or {}, now=NOW)

    return load_it
