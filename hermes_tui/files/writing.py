"""Writing a file so that no half of it is ever seen: whole beside it, on disk, with its rights."""

import os
import tempfile
from pathlib import Path

from hermes_tui.files.rights import given_group


def written_beside(file: Path, content: bytes, like: os.stat_result) -> Path:
    """Return a new hidden file beside `file` with `content`, on disk, with the mode and the group that `like` tells.

    Raises OSError; then there is none.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(descriptor, given_group(descriptor, like))
            os.fsync(descriptor)
    except BaseException:
        Path(name).unlink()
        raise
    return Path(name)


def make_durable(folder: Path) -> None:
    """Have the names in a folder outlive a power cut. Raises OSError where that cannot be promised."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
