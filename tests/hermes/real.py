"""The real Hermes packages."""

from pathlib import Path

from tests.hermes.lab.environments import Build, interpreter


def real(version: str) -> Path:
    """Return the interpreter of the environment of Hermes `version` (`22`, `19`)."""
    return interpreter(Build(f"hermes{version}"))
