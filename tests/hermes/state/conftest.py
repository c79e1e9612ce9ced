"""Homes with a session database, of every kind that Hermes makes."""

from pathlib import Path

import pytest

from tests.hermes.state.homes import copied, make

KINDS = ["19", "22", "22 with a log", "real 19", "real 22"]


@pytest.fixture(scope="session", params=KINDS)
def any_kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home of each kind, made once."""
    return make(request.param, tmp_path_factory.mktemp("homes") / "home")


@pytest.fixture(scope="session")
def newest_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home of the newest version, made once."""
    return make("22", tmp_path_factory.mktemp("homes") / "home")


@pytest.fixture
def any_home(any_kind: Path, tmp_path: Path) -> Path:
    """A home of each kind."""
    return copied(any_kind, tmp_path / "any home?")


@pytest.fixture
def home(newest_kind: Path, tmp_path: Path) -> Path:
    """A home of the newest version."""
    return copied(newest_kind, tmp_path / "home")
