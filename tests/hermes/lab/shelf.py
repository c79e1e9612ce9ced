"""The homes of the stories, each played once for all workers of a run."""

import asyncio
import fcntl
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.hermes.lab.environments import Build
from tests.hermes.lab.stories import play


class Shelf:
    """A folder of homes that whole stories have happened in; who asks for one first waits until it has been played."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def home(self, build: Build, story: str) -> Path:
        """Return the home, to be read or copied and never written to; beside it lies its record (`.json`)."""
        place = self._folder / build.value
        place.mkdir(parents=True, exist_ok=True)
        home = place / story
        with (place / f"{story}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not home.with_suffix(".json").exists():
                shutil.rmtree(home, ignore_errors=True)  # what another worker's failure left
                with ThreadPoolExecutor(1) as apart:  # a test may have a loop of its own running
                    apart.submit(asyncio.run, play(story, build, home)).result()
        return home
