"""What tests on real homes ask for; their `conftest.py` imports it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hermes.lab.environments import Build
from tests.hermes.lab.shelf import Shelf

HomeOf = Callable[[Build, str], Path]


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Return the homes of this run: those of all workers, where there are several."""
    folder = tmp_path_factory.getbasetemp()
    return Shelf((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "hermes-homes")


@pytest.fixture
def home_of(shelf: Shelf, tmp_path: Path) -> HomeOf:
    """Return a copy of a story's home, to do anything with."""

    def copy(build: Build, story: str) -> Path:
        home = tmp_path / build.value / story
        return Path(shutil.copytree(shelf.home(build, story), home))

    return copy


@pytest.fixture(params=Build, ids=lambda build: build.value)
def build(request: pytest.FixtureRequest) -> Build:
    """Return each release in turn."""
    chosen: Build = request.param
    return chosen
