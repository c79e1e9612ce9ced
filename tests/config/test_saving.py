"""Writing the file: all of it or nothing, its mode kept, what it was beside it; and what must not be written."""

import errno
import os
import resource
import signal
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

import pytest

from hermes_tui.config import saving
from hermes_tui.config.load import digest
from hermes_tui.config.saving import locked
from hermes_tui.core.errors import ConfigurationError, ConflictError
from hermes_tui.files import exchange, flock
from tests.storage.conftest import Spawn

OLD: Final = b"# old\n"
NEW: Final = b"# new, and longer\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "hermes-tui.toml"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def save(path: Path, content: bytes = NEW, expected: bytes = OLD) -> None:
    with locked(path) as file:
        file.replace(content, digest(expected))


def backup_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.bak")


def untouched(path: Path) -> bool:
    return path.read_bytes() == OLD and [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_new_content_has_the_mode_and_the_old_one_is_the_backup(path: Path) -> None:
    before = path.stat()
    save(path)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (NEW, 0o640)
    assert (backup_of(path).read_bytes(), backup_of(path).stat().st_ino) == (OLD, before.st_ino)
    assert stat.S_IMODE(backup_of(path).stat().st_mode) == 0o640
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name, backup_of(path).name]


def test_there_is_one_backup_the_content_before(path: Path) -> None:
    save(path)
    save(path, b"# third\n", expected=NEW)
    assert (path.read_bytes(), backup_of(path).read_bytes()) == (b"# third\n", NEW)


def test_a_late_write_through_the_old_file_is_in_the_backup(path: Path) -> None:
    with path.open("r+b") as editor:
        save(path)
        editor.write(b"# late\n")
    assert (path.read_bytes(), backup_of(path).read_bytes()) == (NEW, b"# late\n")


def test_c113_a_file_that_was_changed_elsewhere_is_a_conflict_and_stays(path: Path) -> None:
    before = path.stat().st_ctime_ns
    with pytest.raises(ConflictError, match=r"hermes-tui\.toml: was changed elsewhere meanwhile"):
        save(path, expected=b"# older\n")
    assert untouched(path)
    assert path.stat().st_ctime_ns == before


def test_a_file_that_is_gone_is_a_conflict(path: Path) -> None:
    path.unlink()
    with pytest.raises(ConflictError):
        save(path)
    assert list(path.parent.iterdir()) == []


# What must not be written


def refused(path: Path, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words) as caught:
        save(path)
    assert not isinstance(caught.value, ConflictError)


def test_a_link_is_refused_with_the_file_to_name_instead(path: Path) -> None:
    link = path.with_name("link.toml")
    link.symlink_to(path)
    refused(link, rf"is a link.*{path}, with --config")
    assert link.is_symlink()
    assert path.read_bytes() == OLD


def test_a_file_of_somebody_else_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    refused(path, "belongs to another user")
    assert untouched(path)


def test_a_write_protected_file_is_refused(path: Path) -> None:
    path.chmod(0o444)
    refused(path, "is protected against writing: to allow it, chmod u.w")
    assert untouched(path)


def test_what_is_no_file_is_refused(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
    refused(path, "is not a regular file")


def test_a_folder_in_the_place_of_the_backup_is_refused(path: Path) -> None:
    backup_of(path).mkdir()
    refused(path, r"move .*hermes-tui\.toml\.bak away")
    assert path.read_bytes() == OLD


def test_a_folder_that_cannot_be_written_is_refused(unprivileged: Path) -> None:
    path = unprivileged / "hermes-tui.toml"
    path.write_bytes(OLD)
    unprivileged.chmod(0o500)
    refused(path, r"is in a folder that you cannot write: to allow it, chmod u\+w")
    unprivileged.chmod(0o700)
    assert untouched(path)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere" / "a.toml", "there is no such file: `hermes-tui init` writes one")
    (tmp_path / "file").touch()
    refused(tmp_path / "file" / "a.toml", r"its folder cannot be locked \(Not a directory\), so it is not written")


def test_without_locks_nothing_is_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(_: int) -> bool:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(flock, "try_exclusive", none_here)
    refused(path, r"cannot be locked \(No locks available\), so it is not written")
    assert untouched(path)


# Taking turns

HOLDER = """
import fcntl, os, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(folder, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_that_is_held_too_long_is_a_clear_error(
    path: Path, spawn: Spawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = spawn("-c", HOLDER, path.parent)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    monkeypatch.setattr(saving, "WAIT_SECONDS", 0.05)
    refused(path, "another process is writing it: nothing was saved, try again")
    assert untouched(path)
    holder.kill()
    holder.wait()
    save(path)
    assert path.read_bytes() == NEW


# When the disk is full, or the program ends


FULL: Final = 77


def in_a_child(work: Callable[[], None]) -> int:
    """Do `work` in a child process; return its exit code: FULL for the error of a write that failed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
        except ConfigurationError as error:
            code = FULL if "what it held is not lost" in str(error) else 1
        else:
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_full_disk_leaves_the_file_as_it_was_and_nothing_beside_it(path: Path) -> None:
    def save_without_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        save(path, b"#" * 2000)

    assert in_a_child(save_without_room) == FULL
    assert untouched(path)


def test_a_program_that_is_killed_at_any_step_leaves_one_whole_content_or_the_other(path: Path) -> None:
    steps = steps_of(lambda: save(path))
    seen = set()
    for number in range(1, steps + 1):
        path.write_bytes(OLD)

        def save_and_die(number: int = number) -> None:
            with Tripwire(number, lambda: os.kill(os.getpid(), signal.SIGKILL)):
                save(path)

        assert in_a_child(save_and_die) == -signal.SIGKILL
        seen.add(path.read_bytes())
        assert path.read_bytes() in (OLD, NEW)
    assert seen == {OLD, NEW}
    path.write_bytes(OLD)
    save(path)
    assert path.read_bytes() == NEW


# An outsider that neither locks nor looks

THEIRS: Final = b"# theirs\n"


def replacing(path: Path, content: bytes = THEIRS) -> None:
    """Put another file in the place, as most editors do."""
    other = path.with_name("theirs.tmp")
    other.write_bytes(content)
    other.replace(path)


def writing(path: Path) -> None:
    """Write into the file by its name."""
    path.write_bytes(THEIRS)


def test_m44_what_an_outsider_writes_at_any_step_is_kept_and_the_save_says_so(path: Path) -> None:
    steps = steps_of(lambda: save(path))
    for number in range(1, steps + 1):
        for act in (replacing, writing, None):
            path.write_bytes(OLD)
            backup_of(path).unlink(missing_ok=True)
            with path.open("r+b", buffering=0) as editor:
                outsider = partial(act, path) if act else partial(editor.write, THEIRS)
                with Tripwire(number, outsider):
                    outcome = outcome_of(path)
            kept = [each.read_bytes()[: len(THEIRS)] for each in (path, backup_of(path)) if each.exists()]
            assert THEIRS in kept, (number, act)
            after_the_last_look = number == steps and act is None
            assert outcome == "conflict" or after_the_last_look, (number, act)
            assert not list(path.parent.glob(".*")), (number, act)


@pytest.mark.parametrize(
    ("writes", "backup"), [([THEIRS], b"# older\n"), ([THEIRS, b"# theirs too\n"], b"# theirs too\n")]
)
def test_outsiders_in_the_last_moment_keep_the_file_and_the_backup_holds_what_else_they_wrote(
    path: Path, monkeypatch: pytest.MonkeyPatch, writes: list[bytes], backup: bytes
) -> None:
    def crowded(one: Path, other: Path) -> None:
        if writes:
            replacing(path, writes.pop(0))
        exchange.exchange(one, other)

    backup_of(path).write_bytes(b"# older\n")
    monkeypatch.setattr(saving, "exchange", crowded)
    assert outcome_of(path) == "conflict"
    assert (path.read_bytes(), backup_of(path).read_bytes()) == (THEIRS, backup)


@pytest.mark.parametrize("links", [True, False])
def test_where_names_cannot_be_exchanged_the_old_file_gets_a_second_name_first(
    path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    monkeypatch.setattr(exchange, "_exchanged", lambda *_: False)
    if not links:
        monkeypatch.setattr(os, "link", _refusing(errno.EPERM))
    save(path)
    assert (path.read_bytes(), backup_of(path).read_bytes()) == (NEW, OLD)
    assert stat.S_IMODE(backup_of(path).stat().st_mode) == 0o640
    with Tripwire(steps_of(lambda: save(path, OLD, NEW)) // 2, lambda: writing(path)):
        assert outcome_of(path) == "conflict"
    assert THEIRS in (path.read_bytes(), backup_of(path).read_bytes())
    assert not list(path.parent.glob(".*"))


def test_a_failure_while_names_change_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_exchanged", lambda *_: False)
    monkeypatch.setattr(os, "replace", _refusing(errno.EIO))
    refused(path, r"cannot be saved \(.*\): see to that and try again; what it held is not lost")
    assert untouched(path)


def test_a_failure_between_the_steps_keeps_the_old_content(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, calls = os.replace, []

    def once(*names: Any) -> None:
        calls.append(names)
        if len(calls) > 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        replace(*names)

    monkeypatch.setattr(exchange, "_exchanged", lambda *_: False)
    monkeypatch.setattr(os, "replace", once)
    refused(path, "what it held is not lost")
    assert OLD in [each.read_bytes() for each in path.parent.iterdir()]


def outcome_of(path: Path) -> str:
    """Return how a save ends."""
    try:
        save(path)
    except ConflictError:
        return "conflict"
    return "saved"


def _refusing(number: int) -> Callable[..., None]:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


class Tripwire:
    """Does something before the call number `at` that a save makes of the file system (from 1)."""

    def __init__(self, at: int, act: Callable[[], object]) -> None:
        self.calls = 0
        self._at = at
        self._act = act
        self._patch = pytest.MonkeyPatch()

    def __enter__(self) -> Self:
        for name in ("open", "stat", "fsync", "fchmod", "replace", "unlink"):
            self._patch.setattr(os, name, self._watched(getattr(os, name)))
        self._patch.setattr(saving, "exchange", self._watched(exchange.exchange))
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.undo()

    def _watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self._at:
                self._act()
            return call(*arguments, **named)

        return watched


def steps_of(work: Callable[[], None]) -> int:
    """Return how many calls `work` makes of the file system."""
    with Tripwire(0, lambda: None) as wire:
        work()
    return wire.calls
