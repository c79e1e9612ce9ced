"""Two files of one folder change names, so that what is replaced is never lost, whoever wrote it last.

Linux and macOS do it in one step. Where that cannot be had (another system, a file system without it) the old file
gets a second name first; a file put there by somebody else in the moment between the steps would be lost then.
"""

import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path
from typing import Final

_EXCHANGE: Final = 2
"""RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""
_HERE: Final = -100
"""AT_FDCWD of Linux."""
_CANNOT: Final = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)


def exchange(one: Path, other: Path) -> None:
    """Let two files change names; neither is ever missing. Raises OSError."""
    if not _exchanged(one, other):
        _exchange_in_steps(one, other)


def _exchanged(one: Path, other: Path) -> bool:
    """Do it in one step; tell whether that can be done here. Raises OSError where it failed for another reason."""
    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin":
        failed = library.renamex_np(*names, _EXCHANGE)
    elif hasattr(library, "renameat2"):
        failed = library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)
    else:
        return False
    if failed and (number := ctypes.get_errno()) not in _CANNOT:
        raise OSError(number, os.strerror(number), str(other))
    return not failed


def _exchange_in_steps(one: Path, other: Path) -> None:
    aside = one.with_name(f"{one.name}.old")
    try:
        os.link(other, aside)
    except OSError:  # no links here: a copy, which a late write through the old file's descriptor does not reach
        shutil.copy2(other, aside)
    try:
        one.replace(other)
    except BaseException:
        aside.unlink()
        raise
    aside.replace(one)
