"""Whether a file of a home may have changed: one question to the system, nothing opened, nothing read."""

from pathlib import Path

from hermes_tui.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the system says of a file: the same stamp, the same content.

    Time and size alone miss a copy that keeps both; a replacement is another inode, and the time of change
    (`changed_ns`) cannot be set back. Times are in nanoseconds. `fault` is the number of the error with which the
    system refused, None where the file is there; that too is a stamp, and differs from that of any file.
    """

    modified_ns: int = 0
    size: int = 0
    inode: int = 0
    changed_ns: int = 0
    fault: int | None = None


def stamp(path: Path) -> Stamp:
    """Return the stamp of the file that `path` leads to. Never raises: a file that is not there has one as well."""
    try:
        found = path.stat()
    except OSError as error:
        return Stamp(fault=error.errno or 0)
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns)
