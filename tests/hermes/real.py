"""The real Hermes packages."""

from pathlib import Path

from tests.hermes.lab.environments import Build, interpreter


def real(version: str) -> Path:
    """Return the interpreter of the environment with Hermes `version` (`22`, `19`), installed where it is missing."""
    return interpreter(Build(f"hermes{version}"))
