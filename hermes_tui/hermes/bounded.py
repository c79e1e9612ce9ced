"""Files of a home, opened so that nothing waits and nothing large is read."""

import os
import stat
from pathlib import Path

from hermes_tui.core.text import PlainText, one_line


def read_at_most(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """Return the first `limit` bytes of a regular file and what it is; a pipe or a device is not waited for.

    Raises OSError, also where the path leads to anything but a regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(None, "is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit), facts
    finally:
        os.close(descriptor)


def reason_of(error: OSError) -> PlainText:
    """Return why a file could not be read, without its path."""
    return one_line((error.strerror or type(error).__name__).lower())
