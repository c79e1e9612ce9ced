"""Programs of these benchmarks in processes of their own, and what a process holds of the machine (Linux)."""

import gc
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any


def answer_of(module: str, *words: object) -> Any:
    """Run `python -m tests.benchmarks.MODULE WORDS…` to its end, and return what it printed as JSON."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *map(str, words)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def answer(value: object) -> None:
    """Print `value` for `answer_of`."""
    sys.stdout.write(json.dumps(value))


def resident_bytes(process: int) -> int:
    """Return the memory that a process has resident; this one drops its garbage first."""
    if process == os.getpid():
        gc.collect()
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def allow_many_descriptors() -> None:
    """Take as many descriptors as the system allows: each session has a lock and a connection."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
