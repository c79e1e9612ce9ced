"""Writing a home's `config.yaml`: all of it or nothing, and never over what Hermes or anybody wrote meanwhile.

Hermes locks the file only within one process, so there is no lock that anybody else could take. What the new file takes
the place of is looked at when it is out of the way: where it is not what was read, it is put back. As Hermes does, a
link is followed, the mode kept, and a copy left among its own copies (`backups/config`).

`hermes config set` is no safer way. In 0.19 it writes a list as text, from which Hermes reads no chain, and drops every
remark; in 0.22 remarks stay at their place in the list when the entries move.
"""

import hashlib
import os
import stat
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import ConfigurationError, ConflictError
from hermes_tui.core.text import PlainText
from hermes_tui.files.exchange import exchange
from hermes_tui.files.writing import make_durable, written_beside
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.document import LARGEST

COPIES: Final = 5
"""So many of the newest copies stay, as many as Hermes keeps of each kind."""

_BACKUPS: Final = Path("backups", "config")
_REASON: Final = "hermes-tui"


def read_file(path: Path) -> bytes:
    """Return the content of the file at `path`, whatever it is. Raises ConfigurationError."""
    try:
        content, _ = read_at_most(path, LARGEST + 1)
    except FileNotFoundError:
        raise ConfigurationError("it is not there: run `hermes setup` to make one", path=path) from None
    except OSError as error:
        raise ConfigurationError(f"it cannot be read ({reason_of(error)})", path=path) from None
    if len(content) > LARGEST:
        raise ConfigurationError(f"it is larger than {LARGEST >> 10} KiB and is not read", path=path)
    return content


def digest(content: bytes) -> str:
    """Return what tells one content of the file from another."""
    return hashlib.sha256(content).hexdigest()


def replace(path: Path, content: bytes, expected: str, stamp: datetime) -> None:
    """Write `content` in the place of the content with the digest `expected`, of which a copy with `stamp` is kept.

    Raises ConflictError where the file is another one by now, ConfigurationError where it must not or cannot be
    written; then it is as it was.
    """
    before = read_file(path)
    if digest(before) != expected:
        raise _conflict(path)
    file = Path(os.path.realpath(path))
    try:
        found = file.lstat()
        if (why := _why_not_ours(file, found)) is not None:
            raise ConfigurationError(why, path=path)
        _keep_copy(path, before, stamp)
        new = written_beside(file, content, found)
        try:
            _put_in_place(new, file, expected, path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        advice = "see to that and try again; the file is as it was"
        raise ConfigurationError(f"cannot be saved ({reason_of(error)}): {advice}", path=path) from None


def _why_not_ours(file: Path, found: os.stat_result) -> PlainText | None:
    """Say why a file is not ours to replace, None where it is."""
    if sys.platform == "win32":
        return PlainText("cannot be replaced safely on this platform: change it in Hermes")
    if found.st_nlink > 1:
        return PlainText("has a second name, which would keep the old content: change it in Hermes")
    if found.st_uid != os.geteuid():
        return PlainText("belongs to another user, and would become yours: change it as that user")
    if not found.st_mode & stat.S_IWUSR:
        return PlainText("is protected against writing: to allow it, chmod u+w the file")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        return PlainText(f"is in a folder that you cannot write: to allow it, chmod u+w {file.parent}")
    return None


def _conflict(path: Path) -> ConflictError:
    return ConflictError("was changed elsewhere meanwhile, and stays as it is: make your change anew", path=path)


def _keep_copy(path: Path, content: bytes, stamp: datetime) -> None:
    """Leave a copy where Hermes leaves its own, named as it names them; only the newest stay."""
    folder = path.parent / _BACKUPS
    folder.mkdir(parents=True, exist_ok=True)
    prefix = f"{path.name}.{_REASON}."
    copy = folder / f"{prefix}{stamp:%Y%m%d-%H%M%S}"
    with suppress(FileExistsError):  # of the same second, or put there as a link: it stays
        descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
    ours = sorted(one for one in folder.iterdir() if one.name.startswith(prefix))
    for old in ours[:-COPIES]:
        old.unlink(missing_ok=True)


def _put_in_place(new: Path, file: Path, expected: str, path: Path) -> None:
    """Let `new` become the file, unless that is another one by now; the old one then has the name of the new."""
    if digest(read_file(file)) != expected:
        raise _conflict(path)
    exchange(new, file)
    try:
        was_expected = digest(read_file(new)) == expected
    except ConfigurationError:
        was_expected = False
    if not was_expected:  # written in the last moment: it goes back
        exchange(new, file)
        raise _conflict(path)
    with suppress(OSError):  # as Hermes: the file is in its place, even where a power cut may undo that
        make_durable(file.parent)
