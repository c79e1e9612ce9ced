"""A file that takes the place of another is open to nobody new."""

import errno
import os
import stat
from pathlib import Path

import pytest

from hermes_tui.files.rights import given_group


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The file that is replaced."""
    path = tmp_path / "old"
    path.touch()
    path.chmod(0o640)
    return path


def mode_of_new(old: Path) -> tuple[int, int]:
    """Return the mode that a new file in the place of `old` gets, and its group."""
    with old.with_name("new").open("wb") as new:
        return given_group(new.fileno(), old.stat()), os.fstat(new.fileno()).st_gid


@pytest.mark.skipif(os.geteuid() != 0, reason="a group of somebody else's is given by root only")
def test_the_group_is_kept_with_its_rights(old: Path) -> None:
    os.chown(old, -1, 12345)
    assert mode_of_new(old) == (0o640, 12345)


def test_a_group_that_cannot_be_kept_gets_no_rights(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_allowed(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", not_allowed)
    assert mode_of_new(old)[0] == 0o600


def test_the_file_that_is_replaced_is_left_alone(old: Path) -> None:
    before = old.stat()
    mode_of_new(old)
    assert (old.stat().st_mode, old.stat().st_gid) == (before.st_mode, before.st_gid)
    assert stat.S_IMODE(old.with_name("new").stat().st_mode) & stat.S_IWOTH == 0
