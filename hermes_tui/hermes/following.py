"""Following one log across its rotations: every complete line once, whatever happens to its files in between."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import NothingReachableError

LONGEST_LINE: Final = 16_384
"""Bytes of a line that are given; the rest of a longer one is left out."""

PORTION: Final = 1_048_576
"""Bytes read at once."""

MOST_ROTATED: Final = 20
"""Rotated files that are looked for (`agent.log.1` is the newest); Hermes keeps two to five unless told otherwise."""

HEAD: Final = 256
"""Bytes by which a file is known again: its number alone may have been that of one that was deleted."""

Key = tuple[int, int]
"""A file's device and number."""


class _Place:
    """How far one file was read; `inside` a line whose rest is to be passed over; `head` is how the file begins."""

    __slots__ = ("head", "inside", "offset")

    def __init__(self, offset: int, size: int) -> None:
        self.offset = offset
        self.inside = 0 < offset < size
        self.head = b""

    def is_in(self, descriptor: int) -> bool:
        return os.pread(descriptor, len(self.head), 0) == self.head


class Follower:
    """Gives the complete lines of a log and of what it was rotated to, the older first, each of them once.

    The first time it begins `history_bytes` before the end. A file that was renamed goes on where it was left; one that
    was replaced, emptied, or deleted and made anew begins at its beginning. No descriptor stays open between two
    calls, and a log that has not changed costs one `lstat`. Only regular files are read: a link, a pipe or a device in
    place of a log is refused. What is written to a log that was copied aside, before it is emptied, is lost; Hermes
    itself renames.
    """

    def __init__(self, path: Path, history_bytes: int) -> None:
        self._path = path
        self._history_bytes = history_bytes
        self._places: dict[Key, _Place] = {}
        self._begun = False
        self._looked: tuple[int, ...] | None = None

    @property
    def found(self) -> bool:
        """Tell whether the log was there when it was last read, or is just being rotated."""
        return self._looked is not None or self._path.with_name(f"{self._path.name}.1").is_file()

    def lines(self, since: float) -> Iterator[bytes]:
        """Give the lines that were not given before, without their ends; all are to be taken.

        A file that was last written before `since` (epoch seconds) has no new ones. Where there is no log, there are
        none. Raises `NothingReachableError` where it cannot be read now; the next call then goes on where this one
        stopped.
        """
        try:
            looks = self._look()
            if self._begun and looks == self._looked:
                return
            with ExitStack() as opened:
                for descriptor, place in reversed(self._open_all(opened, since)):
                    yield from _rest(descriptor, place)
        except OSError as error:
            raise NothingReachableError(f"{self._path} cannot be read: {error.strerror}.") from error
        self._begun = True
        self._looked = looks

    def _look(self) -> tuple[int, ...] | None:
        try:
            found = os.lstat(self._path)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is a link" if stat.S_ISLNK(found.st_mode) else "it is no regular file")
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _open_all(self, opened: ExitStack, since: float) -> list[tuple[int, _Place]]:
        """Open what may hold new lines, the newest first: a file that is rotated meanwhile is then met again, not lost.

        It ends at the first file that was read before: all that are older were too.
        """
        places: dict[Key, _Place] = {}
        files: list[tuple[int, _Place]] = []
        left, missing = self._history_bytes, 0
        for path in self._paths():
            descriptor = _open(path, opened, must=path == self._path)
            if descriptor is None:
                missing += path != self._path
                if missing > 1:  # one may be on its way to its next name
                    break
                continue
            found = os.fstat(descriptor)
            key = found.st_dev, found.st_ino
            if key in places:
                continue
            known = self._places.get(key)
            if known is None or not known.is_in(descriptor):
                begins = 0 if self._begun else max(found.st_size - left, 0)
                place = _Place(found.st_size if found.st_mtime < since else begins, found.st_size)
            else:
                place = known
                place.offset = min(place.offset, found.st_size)
            place.head = os.pread(descriptor, HEAD, 0)
            left = max(left - found.st_size, 0)
            places[key] = place
            files.append((descriptor, place))
            if place is known and self._begun:
                break
        self._remember(places)
        return files

    def _paths(self) -> Iterator[Path]:
        yield self._path
        for number in range(1, MOST_ROTATED + 1):
            yield self._path.with_name(f"{self._path.name}.{number}")

    def _remember(self, places: dict[Key, _Place]) -> None:
        """Keep the places of the newest files: `places` and those that were met before."""
        older = ((key, place) for key, place in self._places.items() if key not in places)
        self._places = places | dict(islice(older, MOST_ROTATED))


def _open(path: Path, opened: ExitStack, *, must: bool) -> int | None:
    """Return a descriptor of a regular file, None where there is none or where one that need not be read may not be."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENOENT or (not must and error.errno in (errno.EACCES, errno.ELOOP)):
            return None
        raise
    opened.callback(os.close, descriptor)
    return descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def _rest(descriptor: int, place: _Place) -> Iterator[bytes]:
    """Give the lines after `place`, which moves on to the last one that is not complete."""
    while data := os.pread(descriptor, PORTION, place.offset):
        *lines, tail = data.split(b"\n")
        if place.inside and lines:
            del lines[0]
            place.inside = False
        used = len(data) - len(tail)
        if len(tail) > LONGEST_LINE and not place.inside:
            lines.append(tail)
            place.inside = True
        if place.inside:
            used = len(data)
        if not used:
            return
        place.offset += used
        for line in lines:
            yield line[:LONGEST_LINE]
