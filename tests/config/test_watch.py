import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from hermes_tui.config.load import Loaded, load
from hermes_tui.config.watch import changes
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.secret import fingerprint

from .conftest import NOW

Outcome = Loaded | ConfigurationError


def text(model: str) -> str:
    return f'[primary]\nprovider = "ollama"\nmodel = "{model}"\n'


def put(path: Path, content: str) -> None:
    path.write_text(content)


def replace(path: Path, content: str) -> None:
    swap = path.with_name(".swap")
    swap.write_text(content)
    swap.replace(path)


def remove(path: Path) -> None:
    path.unlink()


class Looks:
    """Loads a file and tells when it did."""

    def __init__(self, load_it: Callable[[], Loaded]) -> None:
        self._load_it = load_it
        self.happened = asyncio.Event()

    def __call__(self) -> Loaded:
        """Load it, and tell."""
        self.happened.set()
        return self._load_it()

    async def next(self) -> None:
        """Wait for the next load from now on."""
        self.happened.clear()
        await self.happened.wait()


def model(outcome: Outcome) -> str:
    assert isinstance(outcome, Loaded)
    return outcome.configuration.primary.route.model


@pytest.fixture
def load_it(path: Path) -> Callable[[], Loaded]:
    path.write_text(text("first"))
    return lambda: load(path, environ={}, now=NOW)


@pytest.fixture
async def seen(path: Path, load_it: Callable[[], Loaded]) -> AsyncGenerator[AsyncGenerator[Outcome, None], None]:
    """What a watch yields that began with the first content in force."""
    watching = changes(path, load_it, since=load_it().digest)
    async with asyncio.timeout(20), contextlib.aclosing(watching):
        yield watching


Seen = AsyncGenerator[Outcome, None]


async def test_a_change_made_before_the_watch_began_is_noticed(path: Path, seen: Seen) -> None:
    put(path, text("second"))
    assert model(await anext(seen)) == "second"


async def test_each_new_content_is_yielded(path: Path, seen: Seen) -> None:
    for name in ("second", "third", "fourth"):
        put(path, text(name))
        assert model(await anext(seen)) == name


async def test_an_editor_that_replaces_by_rename_is_noticed(path: Path, seen: Seen) -> None:
    for name in ("second", "third"):
        replace(path, text(name))
        assert model(await anext(seen)) == name


async def test_a_broken_file_is_told_once_and_the_same_content_again_takes_it_back(path: Path, seen: Seen) -> None:
    put(path, "primary = ")
    broken = await anext(seen)
    assert isinstance(broken, ConfigurationError)
    assert broken.line == 1
    put(path, text("first"))
    assert model(await anext(seen)) == "first"


async def test_a_file_that_is_gone_is_told_and_found_again(path: Path, seen: Seen) -> None:
    remove(path)
    assert isinstance(await anext(seen), ConfigurationError)
    put(path, text("back"))
    assert model(await anext(seen)) == "back"


async def test_a_file_that_vanishes_for_a_moment_is_no_event(path: Path, load_it: Callable[[], Loaded]) -> None:
    looks = Looks(load_it)
    watching = changes(path, looks, since=load_it().digest)
    async with asyncio.timeout(20), contextlib.aclosing(watching):
        remove(path)
        following = asyncio.ensure_future(anext(watching))
        await looks.next()
        put(path, text("second"))
        assert model(await following) == "second"


async def test_the_same_content_written_again_is_no_change(path: Path, load_it: Callable[[], Loaded]) -> None:
    looks = Looks(load_it)
    watching = changes(path, looks)
    async with asyncio.timeout(20), contextlib.aclosing(watching):
        following = asyncio.ensure_future(anext(watching))
        await looks.next()
        replace(path, text("first"))
        await looks.next()
        put(path, text("second"))
        assert model(await following) == "second"


@pytest.fixture
def real_and_link(tmp_path: Path) -> tuple[Path, Path]:
    real, link = tmp_path / "dotfiles" / "real.toml", tmp_path / "hermes-tui.toml"
    real.parent.mkdir()
    real.write_text(text("first"))
    link.symlink_to(real)
    return real, link


async def test_a_file_behind_a_link_is_watched_where_it_lives(real_and_link: tuple[Path, Path]) -> None:
    real, link = real_and_link
    looks = Looks(lambda: load(link, environ={}, now=NOW))
    watching = changes(link, looks)
    async with asyncio.timeout(20), contextlib.aclosing(watching):
        following = asyncio.ensure_future(anext(watching))
        await looks.next()
        put(real, text("second"))
        assert model(await following) == "second"


async def test_a_watch_ends_at_once_when_cancelled(path: Path, load_it: Callable[[], Loaded]) -> None:
    looks = Looks(load_it)
    following = asyncio.ensure_future(anext(changes(path, looks)))
    await looks.next()
    following.cancel()
    async with asyncio.timeout(4):
        with pytest.raises(asyncio.CancelledError):
            await following


async def test_a_folder_that_does_not_exist_is_told(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "hermes-tui.toml"
    outcomes = [each async for each in changes(path, lambda: load(path, environ={}, now=NOW))]
    assert [type(each) for each in outcomes] == [ConfigurationError]


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """Return a key file in a folder of its own, which the configuration refers to."""
    file = tmp_path / "keys" / "groq"
    file.parent.mkdir()
    file.write_text("first-simulated-key\n")
    return file


WITH_KEY_FILE = '[primary]\nprovider = "groq"\nmodel = "m"\napi_key = "file:keys/groq"\n'


def key_of(outcome: Outcome) -> str:
    """Return the fingerprint of the only key that a file's primary has."""
    assert isinstance(outcome, Loaded)
    return outcome.configuration.pools[0].members[0].fingerprint


async def test_c64_a_key_that_becomes_another_in_its_own_file_is_a_change(path: Path, key_file: Path) -> None:
    path.write_text(WITH_KEY_FILE)
    watching = changes(path, lambda: load(path, environ={}, now=NOW), since=load(path, environ={}, now=NOW).digest)
    async with asyncio.timeout(20), contextlib.aclosing(watching):
        for key in ("second-simulated-key", "third-simulated-key", "fourth-simulated-key"):
            replace(key_file, f"{key}\n")
            assert key_of(await anext(watching)) == fingerprint(key)


async def test_c64_a_key_file_that_the_configuration_comes_to_name_is_watched_from_then_on(
    path: Path, key_file: Path, seen: Seen
) -> None:
    put(path, WITH_KEY_FILE)
    assert key_of(await anext(seen)) == fingerprint("first-simulated-key")
    for key in ("second-simulated-key", "third-simulated-key"):
        replace(key_file, f"{key}\n")
        assert key_of(await anext(seen)) == fingerprint(key)
