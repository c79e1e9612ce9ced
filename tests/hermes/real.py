"""The real Hermes packages, where a machine has them: HERMES_TUI_LAB names the folder of their environments."""

import os
from pathlib import Path

import pytest


def real(version: str) -> Path:
    """Return the interpreter of the environment of Hermes `version` (`22`, `19`); skip the test where there is none."""
    lab = os.environ.get("HERMES_TUI_LAB")
    if not lab:
        pytest.skip("HERMES_TUI_LAB names no folder with environments of the real Hermes")
    interpreter = Path(lab) / f"hermes{version}" / "bin" / "python"
    if not interpreter.exists():
        pytest.skip(f"{interpreter} is not there")
    return interpreter
