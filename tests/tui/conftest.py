"""What every test of the screen may ask for."""

from pathlib import Path

import pytest

from tests.tui.editing import FILE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a configuration file that is commented and has two chains."""
    file = tmp_path / "hermes-tui.toml"
    file.write_text(FILE, encoding="utf-8")
    return file
