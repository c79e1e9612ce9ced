"""A disk that takes nothing more: what was there is whole, what was begun is gone, and Hermes goes on."""

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_tui.bridge import installation, plugin
from hermes_tui.bridge.installation import NAME, Standing
from hermes_tui.bridge.plugin.door import Door
from hermes_tui.commands.bridge import install, remove
from hermes_tui.core.errors import HermesTuiError
from tests.bridge.knocking import as_hermes, threads
from tests.bridge.small_disk import empty, fill, small_disk
from tests.bridge.test_installation import CONFIGURATION, everything, make_older

MOST = 60
"""More pages, and more files, than anything here needs."""


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with small_disk(tmp_path_factory.mktemp("full") / "disk", "512k", 100) as disk:
        if not disk.is_mount():
            pytest.skip("no filesystem may be mounted here")
        yield disk


@pytest.fixture
def home(disk: Path) -> Iterator[Path]:
    home = disk / "home"
    home.mkdir()
    (home / "config.yaml").write_text(CONFIGURATION)
    yield home
    shutil.rmtree(home)


def leave_alone(_: Path) -> None:
    """Begin with a home that has no bridge."""


def put_there(home: Path) -> None:
    install(home, yes=True)
    shutil.rmtree(home / "backups")


def put_older_there(home: Path) -> None:
    put_there(home)
    make_older(home)


@pytest.mark.parametrize("scarce", ["pages", "files"])
@pytest.mark.parametrize(
    ("begin", "act", "reached"),
    [
        (leave_alone, install, Standing.CURRENT),
        (put_older_there, install, Standing.CURRENT),
        (put_there, remove, Standing.ABSENT),
    ],
    ids=["install", "update", "remove"],
)
def test_what_the_disk_has_no_room_for_is_refused_and_undone_and_done_where_it_has(
    home: Path,
    begin: Callable[[Path], None],
    act: Callable[..., int],
    reached: Standing,
    scarce: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    begin(home)
    before = everything(home)
    for room in range(MOST):
        fill(home.parent, **{scarce: room})
        refused = None
        try:
            act(home, yes=True)
        except HermesTuiError as error:
            refused = error
        finally:
            empty(home.parent)
        if refused is None:
            break
        assert "No space left" in str(refused) or "full" in str(refused)
        assert everything(home) == before
    assert room > 0
    assert refused is None
    assert installation.look(home).standing is reached
    assert (NAME in (home / "config.yaml").read_text()) is (reached is Standing.CURRENT)
    assert [path.name for path in home.iterdir() if path.name.startswith(".")] == []
    capsys.readouterr()


def test_a_door_that_finds_no_room_for_its_socket_is_not_opened(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "run").mkdir(mode=0o700)
    as_hermes(monkeypatch, home)
    fill(home.parent, files=0)
    with caplog.at_level(logging.WARNING):
        plugin.register(None)
    empty(home.parent)
    (told,) = caplog.records
    assert "stays closed: [Errno 28] No space left on device" in told.getMessage()
    assert told.exc_info is None
    assert (threads(), list((home / "run").iterdir())) == ([], [])
    door = Door(str(home), lambda _: {}, lambda _: {})
    door.open()
    door.close()
    for thread in threads():
        thread.join(60)
