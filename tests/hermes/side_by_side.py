"""What each program tells of the same incidents: `python -m tests.hermes.side_by_side FOLDER [HERMESD]`.

The stories are played into FOLDER, where they are not there yet; each program is given a copy of its own. A question
counts as answered where a word that answers it is on the screen or in the output: the texts are printed below the table
to be judged by eye.
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

from hermes_tui.view.table import table
from tests.hermes.lab.agent import hermes_environment
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.lab.shelf import Shelf
from tests.terminal.conftest import Terminal

STORIES: Final = ("quota_out", "lying", "two", "restored", "dead", "stuck")
QUESTIONS: Final = {
    "off its primary": r"off (its|their) primary|1/\d+ off|answers now|on fallback \d|all on their primary",
    "why": r"\b429\b|\b401\b|usage limit|rate-limited|revoked",
    "back when": r"next try|\d left\)|returns at|nothing by itself|\b\d+[dh]\d*\w* *(left|✗)|on its primary",
    "lying probe": r"lying|just failed",
    "which login": r"\bwork\b|\bdevice_code\b",
    "what to do": r"→ |clear the cooldown|sign in again|auth reset|force restore|Reset\b.*try",
}
HERMES: Final[tuple[tuple[str, ...], ...]] = (("auth", "list"), ("fallback", "list"), ("status",))
OURS: Final[tuple[tuple[str, ...], ...]] = (("status", "--hermes"), ("why", "--hermes", "SESSION"))
PANELS: Final = "257"
"""Of hermesd: sessions, configuration, and what has the credentials, beside the overview."""


def main(folder: Path, hermesd: Path | None) -> None:
    """Print the table, and then what each program said."""
    shelf, rows, said = Shelf(folder), [], []
    for build in Build:
        for story in STORIES:
            for name, text in _told(build, shelf.home(build, story), hermesd):
                answers = (bool(re.search(pattern, text, re.IGNORECASE)) for pattern in QUESTIONS.values())
                rows.append((build.value, story, name, *("yes" if answer else "-" for answer in answers)))
                said.append(f"\n=== {build.value} {story}: {name}\n{text}")
    sys.stdout.write(table(rows, ("release", "story", "program", *QUESTIONS)) + "\n".join(said) + "\n")


def _told(build: Build, home: Path, hermesd: Path | None) -> Iterator[tuple[str, str]]:
    """Yield what each program says of a home, each of a copy."""
    with tempfile.TemporaryDirectory() as name:
        copies = (Path(copytree(home, Path(name, str(number), home.name))) for number in range(10))
        for words in HERMES:
            at = next(copies)
            command = [str(interpreter(build)), "-m", "hermes_cli.main", *words]
            yield " ".join(("hermes", *words)), _output(command, hermes_environment(at))
        if hermesd is not None:
            yield "hermesd", _screens([str(hermesd), "--hermes-home", str(next(copies))], {}, PANELS)
        at = next(copies)
        path = os.pathsep.join((str(interpreter(build).parent), os.environ["PATH"]))
        environment = {
            "HERMES_HOME": str(at),
            "PATH": path,
            "HERMES_TUI_STATE": name,
            "HERMES_TUI_CONFIG": f"{name}/no",
        }
        ours = [sys.executable, "-m", "hermes_tui"]
        session = _output([*ours, "status", "--hermes", "--json"], os.environ | environment)
        (known,) = re.findall(r'"name": "(.*?)",\s+"source": "hermes"', session) or [""]
        for words in OURS:
            asked = [known if word == "SESSION" else word for word in words]
            yield " ".join(("hermes-tui", *words)), _output([*ours, *asked], os.environ | environment)
        yield "hermes-tui attach", _screens([*ours, "attach"], environment, "")


def _output(command: Sequence[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout + done.stderr


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
