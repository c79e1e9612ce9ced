"""What each program tells of the same incidents: `python -m tests.hermes.side_by_side FOLDER [HERMESD]`.

The stories are played into FOLDER, where they are not there yet; each program is given a copy of its own. What they say
is printed, to be judged by eye: is a session off its primary, why, until when, is the probe lying, which login is it,
and what helps?
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree
from typing import Final

from tests.hermes.lab.agent import hermes_environment
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.lab.shelf import Shelf
from tests.terminal.conftest import Terminal

STORIES: Final = ("quota_out", "lying", "two", "restored", "dead", "stuck")
HERMES: Final[tuple[tuple[str, ...], ...]] = (("auth", "list"), ("fallback", "list"), ("status",))
PANELS: Final = "257"
"""Of hermesd: sessions, configuration, and what has the credentials, beside the overview."""


def main(folder: Path, hermesd: Path | None) -> None:
    """Print what each program says of each story."""
    shelf = Shelf(folder)
    for build in Build:
        for story in STORIES:
            for name, text in _told(build, shelf.home(build, story), hermesd):
                sys.stdout.write(f"=== {build.value} {story}: {name}\n{text}\n")


def _told(build: Build, home: Path, hermesd: Path | None) -> Iterator[tuple[str, str]]:
    """Yield what each program says of a home, each of a copy."""
    with tempfile.TemporaryDirectory() as name:
        copies = (Path(copytree(home, Path(name, str(number), home.name))) for number in range(10))
        for words in HERMES:
            command = [str(interpreter(build)), "-m", "hermes_cli.main", *words]
            yield " ".join(("hermes", *words)), _output(command, hermes_environment(next(copies)))
        if hermesd is not None:
            yield "hermesd", _screens([str(hermesd), "--hermes-home", str(next(copies))], {}, PANELS)
        path = os.pathsep.join((str(interpreter(build).parent), os.environ["PATH"]))
        own = {"HERMES_TUI_STATE": name, "HERMES_TUI_CONFIG": f"{name}/none.toml"}
        environment = {"HERMES_HOME": str(next(copies)), "PATH": path, **own}
        ours = [sys.executable, "-m", "hermes_tui"]
        yield "hermes-tui status --hermes", _output([*ours, "status", "--hermes"], os.environ | environment)
        yield "hermes-tui attach", _screens([*ours, "attach"], environment, "")


def _output(command: Sequence[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120
    )
    return re.sub(r"\n{2,}", "\n", done.stdout + done.stderr)


def _screens(command: Sequence[str], environment: dict[str, str], keys: str) -> str:
    program = ("-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])", *command)
    screen = Terminal(120, 40, program=program, environment=environment)
    try:
        texts = [screen.until(lambda text: "Sessions" in text, "the first screen")]
        for key in ("", *keys):
            screen.press(key)
            texts.append(screen.settled())
        return "\n".join(texts)
    finally:
        screen.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
