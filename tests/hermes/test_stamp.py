"""A stamp tells whether a file may have changed, without opening it."""

import errno
import os
from pathlib import Path

from hermes_tui.hermes.stamp import Stamp, stamp


def test_a_file_that_nobody_touched_keeps_its_stamp(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model: a\n")
    assert stamp(file) == stamp(file)


def test_a_replacement_of_the_same_size_and_time_has_another_stamp(tmp_path: Path) -> None:
    file, other = tmp_path / "auth.json", tmp_path / "new"
    file.write_text("one")
    other.write_text("two")
    os.utime(file, ns=(10**18, 10**18))
    os.utime(other, ns=(10**18, 10**18))
    before = stamp(file)
    other.replace(file)
    assert stamp(file) != before
    assert (stamp(file).modified_ns, stamp(file).size) == (before.modified_ns, before.size)


def test_a_file_that_is_not_there_has_a_stamp_until_it_comes(tmp_path: Path) -> None:
    file = tmp_path / "auth.json"
    before = stamp(file)
    assert before == Stamp(fault=errno.ENOENT)
    file.touch()
    assert stamp(file) != before


def test_another_refusal_is_another_stamp(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert stamp(tmp_path / "file" / "auth.json") == Stamp(fault=errno.ENOTDIR)


def test_a_name_that_no_file_can_have_is_a_stamp_too(tmp_path: Path) -> None:
    assert stamp(tmp_path / ("a" * 300)) == Stamp(fault=errno.ENAMETOOLONG)
