"""A real filesystem that is small enough to be filled."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
FILLER = ".filler"


@contextmanager
def small_disk(place: Path, size: str, files: int) -> Iterator[Path]:
    """Yield the folder of a filesystem that takes so much and so many files; where none may be mounted, of any."""
    place.mkdir()
    options = f"size={size},nr_inodes={files},mode=700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield place
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path, *, pages: int | None = None, files: int | None = None) -> None:
    """Fill a disk but for so many pages, or so many files."""
    free = os.statvfs(disk)
    filler = disk / FILLER
    if pages is not None:
        filler.touch()
        with filler.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_bsize - pages * PAGE or 1)
    if files is not None:
        filler.mkdir()
        for number in range(free.f_ffree - 1 - files):
            (filler / str(number)).touch()


def empty(disk: Path) -> None:
    """Take away what filled it."""
    filler = disk / FILLER
    if filler.is_dir():
        for file in filler.iterdir():
            file.unlink()
        filler.rmdir()
    else:
        filler.unlink()
