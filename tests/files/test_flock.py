"""Locks between processes: tried, never waited for; and what a platform without them says."""

import os
import runpy
import sys
from pathlib import Path

import pytest

from hermes_tui.config.saving import locked
from hermes_tui.core.errors import ConfigurationError, RefusedError, StateError
from hermes_tui.files import flock
from hermes_tui.hermes import auth_lock
from hermes_tui.storage.locks import try_exclusive, try_shared


@pytest.fixture
def pair(tmp_path: Path) -> tuple[int, int]:
    """One file, opened twice: as two processes have it."""
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    return first, second


def test_an_exclusive_lock_keeps_everybody_out_until_it_is_given_back(pair: tuple[int, int]) -> None:
    first, second = pair
    assert flock.try_exclusive(first)
    assert not flock.try_exclusive(second)
    assert not flock.try_shared(second)
    flock.unlock(first)
    assert flock.try_exclusive(second)


def test_a_shared_lock_keeps_an_exclusive_one_out_alone(pair: tuple[int, int]) -> None:
    first, second = pair
    assert flock.try_shared(first)
    assert flock.try_shared(second)
    assert not flock.try_exclusive(second)


def test_a_lock_that_is_given_back_is_free_although_the_file_is_open_elsewhere(pair: tuple[int, int]) -> None:
    first, second = pair
    inherited = os.dup(first)  # as a child that was born meanwhile has it
    assert flock.try_exclusive(first)
    flock.unlock(first)
    os.close(first)
    assert flock.try_exclusive(second)
    os.close(inherited)


def test_where_the_platform_has_none_they_cannot_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    there = runpy.run_path(flock.__file__)
    assert there["EXISTS"] is False
    for name in ("try_exclusive", "try_shared"):
        with pytest.raises(OSError, match="no flock"):
            there[name](0)
    there["unlock"](0)


def test_where_the_platform_has_none_nothing_is_written_and_each_part_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flock, "EXISTS", False)
    with pytest.raises(StateError, match="so it is not written"):
        try_exclusive(0)
    with pytest.raises(StateError, match="who runs a session"):
        try_shared(0)
    with pytest.raises(RefusedError, match="use `hermes auth reset`"), auth_lock.held(tmp_path, 0):
        pass
    with pytest.raises(ConfigurationError, match="no flock"), locked(tmp_path / "hermes-tui.toml"):
        pass
    assert list(tmp_path.iterdir()) == []
