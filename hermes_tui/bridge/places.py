"""Where the bridges of a home listen: one socket for each process, in a folder that nobody else can write to."""

import errno
import os
import re
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import HermesTuiError, NothingReachableError, RefusedError

FOLDER: Final = "run"
NAME: Final = re.compile(r"hermes-tui-([0-9]{1,10})\.sock")
_LONGEST_PATH: Final = 100
"""Bytes of an address that any system takes; Linux is given a short one."""

_MOST: Final = 64
_CREDENTIALS: Final = struct.Struct("3i")


class LeftBehindError(NothingReachableError):
    """Nobody listens at a socket: its process has ended, and its number may be another's by now."""


@contextmanager
def opened(home: Path) -> Iterator[int]:
    """Yield a descriptor of the folder of the sockets.

    Raises NothingReachableError where there is none, RefusedError where somebody else could put something into it.
    """
    path = home / FOLDER
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NothingReachableError(f"no bridge has run in {home}: hermes-tui bridge install") from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise RefusedError(f"{path} is a link or a file, and is not followed") from None
        raise NothingReachableError(f"{path} cannot be opened ({error.strerror})") from None
    try:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid():
            raise RefusedError(f"{path} belongs to another user: attach as that one")
        if stat.S_IMODE(found.st_mode) & 0o022:
            raise RefusedError(f"others can write to {path}: chmod 700 it")
        yield folder
    finally:
        os.close(folder)


def pids(folder: int) -> tuple[int, ...]:
    """Return the processes that have a socket in the folder, whether they live or not."""
    with os.scandir(folder) as entries:
        found = sorted(int(match[1]) for entry in entries if (match := NAME.fullmatch(entry.name)))
    return tuple(found[:_MOST])


def connected(home: Path, folder: int, pid: int, patience_seconds: float) -> socket.socket:
    """Return a connection to the bridge of a process.

    Raises LeftBehindError where nobody listens, NothingReachableError where nobody answers in time, RefusedError where
    it is not what it says.
    """
    name = f"hermes-tui-{pid}.sock"
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise LeftBehindError(f"process {pid} has no bridge any more") from None
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
        raise RefusedError(f"{home / FOLDER / name} is no socket of yours, and is not opened")
    try:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        raise NothingReachableError(f"no line to process {pid} can be opened ({error.strerror})") from None
    try:
        line.settimeout(patience_seconds)
        line.connect(_address(home, folder, name))
        _check(line, pid)
    except ConnectionRefusedError:
        line.close()
        raise LeftBehindError(f"process {pid} has no bridge any more") from None
    except OSError as error:
        line.close()
        raise NothingReachableError(
            f"the bridge of process {pid} does not answer ({error.strerror or error})"
        ) from None
    except BaseException:
        line.close()
        raise
    return line


def sweep(home: Path) -> tuple[int, ...]:
    """Take away the sockets at which nobody listens, and the folder if nothing is left; return their processes.

    Raises as `opened` does; a home in which no bridge has run has nothing to sweep.
    """
    if not os.path.lexists(home / FOLDER):
        return ()
    gone: list[int] = []
    with opened(home) as folder:
        for pid in pids(folder):
            if _is_left_behind(home, folder, pid):
                with suppress(FileNotFoundError):
                    os.unlink(f"hermes-tui-{pid}.sock", dir_fd=folder)
                gone.append(pid)
    with suppress(OSError):  # something is left in it
        (home / FOLDER).rmdir()
    return tuple(gone)


def _is_left_behind(home: Path, folder: int, pid: int) -> bool:
    try:
        connected(home, folder, pid, 1.0).close()
    except LeftBehindError:
        return True
    except HermesTuiError:
        return False
    return False


def has_ended(pid: int) -> bool:
    """Tell whether there is no such process any more."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass
    return False


def _address(home: Path, folder: int, name: str) -> str:
    if sys.platform == "linux":
        return f"/proc/self/fd/{folder}/{name}"
    path = str(home / FOLDER / name)
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise NothingReachableError(f"{path} is too long a path for a socket on this system")
    return path


def _check(line: socket.socket, pid: int) -> None:
    """Refuse a socket at which another user or another process than it is named after listens, where that is told."""
    if sys.platform != "linux":
        return
    raw = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    other, uid, _ = _CREDENTIALS.unpack(raw)
    if uid != os.geteuid() or other not in (pid, 0):  # 0 is one of another container
        raise RefusedError(f"the socket of process {pid} is held by process {other} of user {uid}: not talked to")
