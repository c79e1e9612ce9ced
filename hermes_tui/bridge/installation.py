"""The plugin's files in a home: what stands there, put there, brought up to date, and taken away again.

Beside the files lies a list of their digests (`SHA256SUMS`): a file that somebody changed is told from one of an older
version.
"""

import hashlib
import os
import shutil
import stat
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from hermes_tui.bridge.plugin import VERSION
from hermes_tui.core.errors import RefusedError, StateError
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass

NAME: Final = "hermes-tui-bridge"
PLUGINS: Final = "plugins"
SUMS: Final = "SHA256SUMS"
_SOURCE: Final = Path(__file__).with_name("plugin")
_MANIFEST: Final = "plugin.yaml"
_COMPILED: Final = "__pycache__"
_LARGEST_BYTES: Final = 1 << 20


class Standing(Enum):
    """What stands in a home, as the end of a sentence."""

    ABSENT = "is not installed"
    CURRENT = "is installed"
    OTHER_VERSION = "is installed in another version"
    CHANGED = "is installed, and was changed by somebody"


@dataclass(frozen=True, slots=True)
class Installed:
    """What stands in `folder`: its `version`, the files that were `changed` since they were put there, and others.

    `foreign` are files that no version of the bridge put there.
    """

    folder: Path
    standing: Standing
    version: PlainText = PlainText("")
    changed: tuple[PlainText, ...] = ()
    foreign: tuple[PlainText, ...] = ()


def shipped() -> dict[str, bytes]:
    """Return the files of the plugin by name, the list of their digests among them."""
    names = sorted(path.name for path in _SOURCE.iterdir() if path.suffix in (".py", ".yaml"))
    files = {name: (_SOURCE / name).read_bytes() for name in names}
    sums = "".join(f"{_digest(content)}  {name}\n" for name, content in files.items())
    return {**files, SUMS: sums.encode()}


def is_there(home: Path) -> bool:
    """Tell whether something stands in the place of the plugin, whatever it is."""
    return (home / PLUGINS / NAME / _MANIFEST).exists()


def look(home: Path) -> Installed:
    """Return what stands in the home. Raises RefusedError where it is not ours to judge, StateError."""
    folder = home / PLUGINS / NAME
    _refuse_foreign(folder)
    try:
        names = {path.name for path in folder.iterdir()} - {_COMPILED}
        found = {name: _read(folder / name) for name in names}
    except FileNotFoundError:
        return Installed(folder, Standing.ABSENT)
    except OSError as error:
        raise StateError(f"{folder} cannot be read ({error.strerror})") from None
    sums = _sums(found.get(SUMS, b""))
    ours = shipped()
    changed = sorted(name for name, digest in sums.items() if name in found and _digest(found[name]) != digest)
    foreign = sorted(names - sums.keys() - ours.keys())
    version = _version(found.get(_MANIFEST, b""))
    if found == ours:
        standing = Standing.CURRENT
    elif changed or foreign or not sums:
        standing = Standing.CHANGED
    else:
        standing = Standing.OTHER_VERSION
    return Installed(folder, standing, version, tuple(map(one_line, changed)), tuple(map(one_line, foreign)))


def install(home: Path) -> Path:
    """Put the plugin into the home, in the place of what the bridge put there before; return its folder.

    It is written beside first and then takes its place. Raises RefusedError and StateError; then it is as it was.
    """
    found = look(home)
    refuse_others(found)
    folder, (new, old) = found.folder, _beside(home)
    try:
        for left in (new, old):
            _take_away(left)
        new.mkdir(mode=0o700)
        for name, content in shipped().items():
            with (new / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        _take_place(new, folder, old)
        _take_away(old)
    except OSError as error:
        with suppress(OSError):  # it may be what is in the way
            _take_away(new)
        raise StateError(f"{folder} cannot be written ({error.strerror or error}): see to that and try again") from None
    return folder


def remove(home: Path) -> bool:
    """Take the plugin's folder away, and `plugins` if nothing else is in it; return whether it was there.

    Raises RefusedError where it holds something of others, StateError where it cannot be taken away.
    """
    found = look(home)
    if found.standing is Standing.ABSENT:
        return False
    refuse_others(found)
    _, old = _beside(home)
    try:
        _take_away(old)
        found.folder.rename(old)
        _take_away(old)
    except OSError as error:
        raise StateError(f"{found.folder} cannot be taken away ({error.strerror})") from None
    _take_away_empty(found.folder.parent)
    return True


def refuse_others(found: Installed) -> None:
    """Raise RefusedError where the folder holds something that no bridge put there."""
    if found.foreign:
        raise RefusedError(
            f"{found.folder} holds {', '.join(found.foreign)}, which is not the bridge's: move that first"
        )


def _refuse_foreign(folder: Path) -> None:
    """Raise RefusedError where a part of the path leads elsewhere, or belongs to somebody else."""
    for part in (folder.parent.parent, folder.parent, folder):
        with suppress(FileNotFoundError):
            found = part.stat() if part == folder.parent.parent else part.lstat()
            if not stat.S_ISDIR(found.st_mode):
                raise RefusedError(
                    f"{part} is a link or a file: the plugin is only put into folders of the home itself"
                )
            if found.st_uid != os.geteuid():
                raise RefusedError(f"{part} belongs to another user: do this as that one")


def _beside(home: Path) -> tuple[Path, Path]:
    """Return where what comes stands before it takes its place, and what goes afterwards."""
    return home / f".{NAME}.new", home / f".{NAME}.old"


def _take_place(new: Path, folder: Path, old: Path) -> None:
    """Put `new` in the place of `folder`, which is `old` then. Raises OSError; then `folder` is what it was."""
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        with suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)
    except OSError:
        with suppress(FileNotFoundError):
            old.rename(folder)
        _take_away_empty(folder.parent)
        raise


def _take_away_empty(folder: Path) -> None:
    with suppress(OSError):  # others are in it
        folder.rmdir()


def _take_away(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _read(path: Path) -> bytes:
    """Return the beginning of a file; of what is no file, nothing that any version has."""
    if not stat.S_ISREG(path.lstat().st_mode):
        return b"\0"
    with path.open("rb") as file:
        return file.read(_LARGEST_BYTES)


def _sums(content: bytes) -> dict[str, str]:
    lines = (line.partition("  ") for line in content.decode(errors="replace").splitlines())
    return {SUMS: _digest(content)} | {name: digest for digest, _, name in lines} if content else {}


def _version(manifest: bytes) -> PlainText:
    lines = manifest.decode(errors="replace").splitlines()
    found = next((line for line in lines if line.startswith("version:")), "")
    return one_line(found.partition(":")[2].strip().strip("\"'"), 40)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


__all__ = ["NAME", "VERSION", "Installed", "Standing", "install", "look", "refuse_others", "remove", "shipped"]
