"""An editor that knows nothing of the program: puts numbered comments into a file, a line at a time: PATH COUNT.

It takes the lock of the folder for the moment in which it reads, compares and replaces: an editor that neither locks
nor looks can write over what others wrote a moment before. Between two edits it lets others have a turn.
"""

import fcntl
import os
import random
import sys
import time
from pathlib import Path

PATIENCE_SECONDS = 0.2
TABLE = "[[fallback_providers]]\n"


def main(path: Path, count: int) -> None:
    """Make `count` edits."""
    dice = random.Random(count)
    folder = os.open(path.parent, os.O_RDONLY)
    for number in range(count):
        fcntl.flock(folder, fcntl.LOCK_EX)
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        places = [at for at, line in enumerate(lines) if line == TABLE]
        lines.insert(dice.choice([*places, len(lines)]), f"# edit {number}\n")
        other = path.with_name("other.tmp")
        other.write_text("".join(lines), encoding="utf-8")
        other.chmod(path.stat().st_mode)
        if path.read_text(encoding="utf-8") != text:
            sys.exit(f"edit {number}: somebody wrote although the folder is locked")
        other.replace(path)
        mine = path.stat().st_ino
        fcntl.flock(folder, fcntl.LOCK_UN)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while path.stat().st_ino == mine and time.monotonic() < deadline:
            time.sleep(0.001)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
