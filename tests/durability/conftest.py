"""A zygote for lives that start at once, a provider that they ask, and the fixtures of the terminal."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.simulator.scenario import Scenario
from tests.cli.conftest import Provider
from tests.durability.life import World, play_once
from tests.durability.lives import Zygote, zygote
from tests.engine.theatre import scenario
from tests.terminal.conftest import terminal

__all__ = ["terminal"]


@pytest.fixture(scope="package")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """Begin lives; all have ended at the end."""
    server = Provider(scenario("backup/small"))
    with zygote() as started:
        started.rehearse(play_once, new_world(tmp_path_factory.mktemp("rehearsal"), server))
        server.close()
        yield started


@pytest.fixture
def script() -> Scenario:
    """A primary, a fallback and one session; a test may have its own."""
    return scenario("backup/small")


@pytest.fixture
def provider(script: Scenario) -> Iterator[Provider]:
    """The provider that the lives ask."""
    server = Provider(script)
    yield server
    server.close()


@pytest.fixture
def world(provider: Provider, tmp_path: Path) -> World:
    """A place for lives."""
    return new_world(tmp_path, provider)


def new_world(folder: Path, provider: Provider) -> World:
    """Return a place for lives in `folder`, whose configuration points at `provider`."""
    folder.mkdir(exist_ok=True)
    played = provider.simulator.scenario
    assert played is not None
    world = World(folder, played.configuration_for(provider.simulator.base_url), time.time())
    world.write_configuration(world.chain)
    return world
