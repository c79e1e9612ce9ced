"""A log is followed line by line, whatever is done to its files."""

import logging
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hermes_tui.core.errors import NothingReachableError
from hermes_tui.hermes.following import LONGEST_LINE, PORTION, Follower

LONG_AGO = 0.0
KEPT = 3


def _follower(path: Path, history_bytes: int = 100 * PORTION) -> Follower:
    return Follower(path, history_bytes)


def _rotate(path: Path) -> None:
    """Rename as Hermes' handler does."""
    for number in range(KEPT - 1, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number + 1}"))
    if path.exists():
        path.replace(path.with_name(f"{path.name}.1"))


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(data)


@contextmanager
def _no_more_files() -> Iterator[None]:
    """Let this process open nothing."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


LINES = some.one_of(
    some.tuples(some.binary(max_size=20).map(lambda line: line.replace(b"\n", b" ")), some.just(1)),
    some.tuples(some.just(b"x"), some.sampled_from((LONGEST_LINE - 3, LONGEST_LINE - 2, LONGEST_LINE, PORTION + 1))),
)
"""What a line is made of besides its number, and how often."""

STEPS = some.lists(some.tuples(LINES, some.floats(0, 1), some.booleans(), some.booleans(), some.booleans()), max_size=8)


@settings(max_examples=60)
@given(STEPS)
def test_however_writing_is_cut_up_and_rotated_between_reads_each_line_is_given_once(
    steps: list[tuple[tuple[bytes, int], float, bool, bool, bool]],
) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory, "agent.log")
        follower = _follower(path)
        given_lines: list[bytes] = []
        rotations = 0
        lines = [b"%d " % number + part * times for number, ((part, times), *_how) in enumerate(steps)]
        for line, (_, cut, read_amid, rotates, read_after) in zip(lines, steps, strict=True):
            whole = line + b"\n"
            at = int(cut * len(whole))
            _append(path, whole[:at])
            if read_amid:
                given_lines += follower.lines(LONG_AGO)
                rotations = 0
            _append(path, whole[at:])
            if rotates and rotations < KEPT:
                _rotate(path)
                path.touch()
                rotations += 1
            if read_after:
                given_lines += follower.lines(LONG_AGO)
                rotations = 0
        given_lines += follower.lines(LONG_AGO)
        assert given_lines == [line[:LONGEST_LINE] for line in lines]


def test_a_real_handler_that_rotates_while_it_is_followed_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    records = 3000
    handler = RotatingFileHandler(path, maxBytes=8000, backupCount=20)
    done = threading.Event()

    def write() -> None:
        for number in range(records):
            handler.emit(logging.LogRecord("agent", logging.INFO, "", 0, f"record {number:06} {'.' * 20}", None, None))
        handler.close()
        done.set()

    follower = _follower(path)
    writer = threading.Thread(target=write)
    writer.start()
    given_lines: list[bytes] = []
    while not done.is_set():
        given_lines += follower.lines(LONG_AGO)
    writer.join()
    given_lines += follower.lines(LONG_AGO)
    assert [int(line.split()[1]) for line in given_lines] == list(range(records))
    assert path.with_name("agent.log.3").exists()


def test_history_is_given_oldest_first_across_rotated_files(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    for name in ("a", "b", "c"):
        _append(path, f"{name}\n".encode())
        _rotate(path)
    _append(path, b"d\n")
    assert list(_follower(path).lines(LONG_AGO)) == [b"a", b"b", b"c", b"d"]


def test_history_is_bounded_from_its_end_and_begins_with_a_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"older\nold\n")
    _rotate(path)
    _append(path, b"new\n")
    assert list(_follower(path, history_bytes=4 + 5).lines(LONG_AGO)) == [b"old", b"new"]
    assert list(_follower(path, history_bytes=4).lines(LONG_AGO)) == [b"new"]
    assert list(_follower(path, history_bytes=0).lines(LONG_AGO)) == []


def test_what_lies_before_the_history_is_not_given_after_a_rotation_either(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    for name in ("a", "b", "c"):
        _append(path, f"{name}\n".encode())
        _rotate(path)
    follower = _follower(path, history_bytes=2)
    assert list(follower.lines(LONG_AGO)) == [b"c"]
    path.with_name("agent.log.1").unlink()
    _append(path, b"d\n")
    assert list(follower.lines(LONG_AGO)) == [b"d"]


def test_files_that_were_last_written_before_the_history_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"old\n")
    _rotate(path)
    os.utime(path.with_name("agent.log.1"), (1000, 1000))
    _append(path, b"new\n")
    assert list(_follower(path).lines(since=2000)) == [b"new"]


def test_a_log_that_is_emptied_begins_anew_even_where_it_has_grown_past_the_old_end(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\ntwo\n")
    follower = _follower(path)
    assert list(follower.lines(LONG_AGO)) == [b"one", b"two"]
    path.write_bytes(b"")
    assert list(follower.lines(LONG_AGO)) == []
    _append(path, b"three\n")
    assert list(follower.lines(LONG_AGO)) == [b"three"]
    path.write_bytes(b"four, five, six\nseven\n")
    assert list(follower.lines(LONG_AGO)) == [b"four, five, six", b"seven"]


def test_a_log_that_is_deleted_and_made_anew_begins_anew_though_its_number_be_the_same(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\n")
    follower = _follower(path)
    assert list(follower.lines(LONG_AGO)) == [b"one"]
    path.unlink()
    assert list(follower.lines(LONG_AGO)) == []
    assert not follower.found
    _append(path, b"two\n")
    assert list(follower.lines(LONG_AGO)) == [b"two"]
    path.unlink()
    _append(path, b"six\n")
    assert list(follower.lines(LONG_AGO)) == [b"six"]


def test_what_was_written_before_a_rotation_is_given_though_the_new_log_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\n")
    follower = _follower(path)
    assert list(follower.lines(LONG_AGO)) == [b"one"]
    _append(path, b"two\n")
    _rotate(path)
    assert list(follower.lines(LONG_AGO)) == [b"two"]
    _append(path, b"three\n")
    assert list(follower.lines(LONG_AGO)) == [b"three"]


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\ntw")
    follower = _follower(path)
    assert list(follower.lines(LONG_AGO)) == [b"one"]
    assert list(follower.lines(LONG_AGO)) == []
    _append(path, b"o\n")
    assert list(follower.lines(LONG_AGO)) == [b"two"]


def test_of_a_line_without_end_the_beginning_is_given_at_once(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    follower = _follower(path)
    _append(path, b"x" * (LONGEST_LINE + 1))
    assert list(follower.lines(LONG_AGO)) == [b"x" * LONGEST_LINE]
    _append(path, b"x" * (PORTION + 1))
    assert list(follower.lines(LONG_AGO)) == []
    _append(path, b"x\ntwo\n")
    assert list(follower.lines(LONG_AGO)) == [b"two"]


def test_a_log_that_has_not_changed_is_not_even_opened(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\n")
    follower = _follower(path)
    assert list(follower.lines(LONG_AGO)) == [b"one"]
    with _no_more_files():
        assert list(follower.lines(LONG_AGO)) == []


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\n")
    _rotate(path)
    _append(path, b"two\n")
    before = len(list(Path("/proc/self/fd").iterdir()))
    assert list(_follower(path).lines(LONG_AGO)) == [b"one", b"two"]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_where_no_file_can_be_opened_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    _append(path, b"one\n")
    follower = _follower(path)
    with (
        _no_more_files(),
        pytest.raises(NothingReachableError, match=r"agent\.log cannot be read: Too many open files"),
    ):
        list(follower.lines(LONG_AGO))
    assert list(follower.lines(LONG_AGO)) == [b"one"]
    _append(path, b"two\n")
    _rotate(path)
    _append(path, b"three\n")
    with _no_more_files(), pytest.raises(NothingReachableError):
        list(follower.lines(LONG_AGO))
    assert list(follower.lines(LONG_AGO)) == [b"two", b"three"]


def test_a_pipe_in_place_of_a_log_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    os.mkfifo(path)
    with pytest.raises(NothingReachableError, match="it is no regular file"):
        list(_follower(path).lines(LONG_AGO))


def test_a_link_in_place_of_a_log_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"secret\n")
    path = tmp_path / "agent.log"
    path.symlink_to(elsewhere)
    with pytest.raises(NothingReachableError, match="it is a link"):
        list(_follower(path).lines(LONG_AGO))


def test_a_link_or_a_pipe_among_the_rotated_ones_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"secret\n")
    path.with_name("agent.log.1").symlink_to(elsewhere)
    _append(path.with_name("agent.log.2"), b"one\n")
    os.mkfifo(path.with_name("agent.log.3"))
    _append(path, b"two\n")
    assert list(_follower(path).lines(LONG_AGO)) == [b"one", b"two"]


def test_a_log_that_is_not_there_has_no_lines_and_a_directory_in_its_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    follower = _follower(path)
    assert list(follower.lines(LONG_AGO)) == []
    path.mkdir()
    with pytest.raises(NothingReachableError):
        list(follower.lines(LONG_AGO))
