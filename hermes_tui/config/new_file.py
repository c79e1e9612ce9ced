"""A file that was not there before, for its owner alone."""

import errno
import os
from pathlib import Path


def create(path: Path, text: str) -> None:
    """Write `text` as a new file that its owner alone can read, and make its folder where it is missing.

    Raises OSError; then nothing was written, and whatever is at `path` already is never touched.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), error.filename) from error
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        path.unlink()
        raise
