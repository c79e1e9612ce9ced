"""A known secret is found nowhere: not in the state, the journal, a line, the screen, a picture or a traceback.

Its provider repeats it in every place where an answer has room, and a second one stands in the file itself.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.config.desk import FileDesk
from hermes_tui.core.secret import fingerprint
from hermes_tui.tui.app import HermesApp
from tests.secrets.parrot import ANSWERS, Parrot
from tests.terminal.conftest import Open, Terminal
from tests.tui.driving import showing
from tests.tui.fakes import NOW, StoryBook

IN_ENVIRONMENT = "Zq9plain0secret1Qw8vT3xYmN2"
IN_FILE = "lit3ral0secret7hG5kLm2Pq4Rs"
SECRETS = (IN_ENVIRONMENT, IN_FILE)

FILE = """\
# An old key that somebody left here: api_key = "{in_file}"
[primary]
provider = "parrot"
model = "{model}"

[[fallback_providers]]
provider = "parrot"
model = "reply"

[providers.parrot]
base_url = "{url}"

[[providers.parrot.credentials]]
label = "main"
api_key = "${{PARROT_KEY}}"

[[providers.parrot.credentials]]
label = "second"
api_key = "{in_file}"

[runtime]
max_retries = 1

[[sessions]]
name = "talk"
"""


@pytest.fixture
def parrot() -> Iterator[Parrot]:
    server = Parrot()
    yield server
    server.close()


class Home:
    """A folder with a configuration and a state, and the program in it."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self._url = folder, url
        self.config = folder / "hermes-tui.toml"
        self.environment = os.environ | {
            "HERMES_TUI_CONFIG": str(self.config),
            "HERMES_TUI_STATE": str(folder / "state"),
            "PARROT_KEY": IN_ENVIRONMENT,
        }

    def ask_for(self, model: str) -> None:
        """Make `model` the primary."""
        self.config.write_text(FILE.format(model=model, url=self._url, in_file=IN_FILE), encoding="utf-8")

    def run(self, *arguments: str) -> str:
        """Run the program to its end; return all that it said."""
        command = [sys.executable, "-m", "hermes_tui", *arguments]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=60, check=False, input=""
        )
        return done.stdout + done.stderr

    def on_disk(self) -> str:
        """Return every byte of the state."""
        files = [path for path in (self.folder / "state").rglob("*") if path.is_file()]
        return "".join(path.read_bytes().decode("latin-1") for path in files)


@pytest.fixture
def home(tmp_path: Path, parrot: Parrot) -> Home:
    return Home(tmp_path, parrot.url)


def assert_nowhere(text: str) -> None:
    """Fail where a secret is told, whole, or in a piece that is worth having."""
    squeezed = re.sub(r"[\s\x00]+", "", text)
    for secret in SECRETS:
        for piece in (secret, secret[:16], secret[-16:]):
            assert piece not in text
            assert piece not in squeezed


@pytest.mark.parametrize("model", ANSWERS)
def test_no_line_and_no_byte_of_the_state_tells_what_a_provider_repeats(home: Home, parrot: Parrot, model: str) -> None:
    home.ask_for(model)
    said = home.run("run", "--json", "--prompt", "Go on.", "--prompt", "And again.")
    assert parrot.answers[model] >= 1
    assert '"turn_started"' in said
    assert_nowhere(said)
    for arguments in (("status",), ("status", "--json"), ("why", "talk"), ("check",)):
        said = home.run(*arguments)
        assert "talk" in said or "parrot" in said
        assert_nowhere(said)
    state = home.on_disk()
    assert "And again." in state
    assert_nowhere(state)


def test_the_commands_about_credentials_and_the_chain_tell_four_digits(home: Home) -> None:
    home.ask_for("401")
    home.run("run", "--prompt", "Go on.")
    said = home.run("auth", "list") + home.run("auth", "list", "--json")
    assert fingerprint(IN_ENVIRONMENT)[:4] in said
    said += home.run("fallback", "list") + home.run("fallback", "list", "--json")
    said += home.run("fallback", "add", "parrot/500", "--api-key", IN_FILE)
    assert_nowhere(said)


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])
def test_the_screen_never_tells_it_nor_does_the_editor(home: Home, terminal: Open, columns: int, rows: int) -> None:
    home.ask_for("frame")
    screen: Terminal = terminal(columns, rows, environment=home.environment)
    screen.shows("talk")
    screen.press("i")
    screen.shows("Prompt talk")
    screen.press("Tell me my key.\r")
    screen.shows("Your key is")
    screen.leave_prompt()
    for key, words in (("e", "ctrl+s Save"), ("\x1b", "Commands"), ("6", "no more of"), ("\r", "no more of")):
        screen.press(key)
        screen.shows(words)
    screen.kill(signal.SIGTERM)
    screen.ends()
    assert_nowhere(screen.written.decode(errors="replace"))
    assert_nowhere(home.on_disk())


def test_a_saved_edit_keeps_the_key_in_the_file_and_tells_it_nowhere(home: Home, terminal: Open) -> None:
    home.ask_for("reply")
    screen: Terminal = terminal(120, 40, environment=home.environment)
    screen.shows("talk")
    screen.press("e")
    screen.shows("fallback_providers", "can be saved", "ctrl+s Save")
    screen.press("# a note of mine\r")
    screen.shows("(changed)", "can be saved")
    screen.press("\x13")
    screen.shows("Saved and in force")
    assert screen.leave() == 0
    saved = home.config.read_text(encoding="utf-8")
    assert "# a note of mine\n" in saved
    assert saved.count(IN_FILE) == 2
    assert_nowhere(screen.written.decode(errors="replace"))
    assert_nowhere(home.on_disk())


async def test_a_picture_of_the_editor_shows_placeholders(tmp_path: Path) -> None:
    path = tmp_path / "hermes-tui.toml"
    path.write_text(FILE.format(model="reply", url="http://127.0.0.1:9/v1", in_file=IN_FILE), encoding="utf-8")
    app = HermesApp(StoryBook(desk=FileDesk(path, environ={}, now=lambda: NOW)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("e")
        await showing(pilot, "<kept ")
        assert_nowhere(app.export_screenshot())


CRASH = """
import asyncio, sys
from hermes_tui.commands.screen import run_screen
from hermes_tui.core.secret import Secret
from hermes_tui.tui.app import HermesApp
from tests.tui.fakes import StoryBook

key = Secret({secret!r})

class Broken(StoryBook):
    def snapshot(self):
        revealed = key.reveal()
        raise RuntimeError(f"header Bearer {{revealed}} is wrong")

sys.exit(asyncio.run(run_screen(HermesApp(Broken()), None)))
"""

CRASH_AT_FIRST = """
from pathlib import Path
from hermes_tui.commands.first_file import HereFile
from hermes_tui.core.secret import Secret
from hermes_tui.tui.themes import Look
from hermes_tui.tui.welcome import WelcomeApp

key = Secret({secret!r})

class Broken(WelcomeApp):
    def _turn(self):
        revealed = key.reveal()
        raise RuntimeError(f"header Bearer {{revealed}} is wrong")

Broken(HereFile(Path("hermes-tui.toml"), Path("state"), {{}}), look=Look()).run()
"""


@pytest.mark.parametrize("script", [CRASH, CRASH_AT_FIRST])
def test_a_crash_of_the_screen_tells_its_traceback_without_keys(home: Home, script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script.format(secret=IN_ENVIRONMENT)],
        env=home.environment | {"TERM": "xterm-256color"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "RuntimeError" in done.stderr + done.stdout
    assert_nowhere(done.stderr + done.stdout)


def test_a_crash_of_a_command_tells_its_traceback_without_keys(home: Home) -> None:
    home.ask_for("reply")
    broken = (
        "import hermes_tui.commands.run as run\n"
        "def crash(*_): raise RuntimeError('header Bearer ' + __import__('os').environ['PARROT_KEY'])\n"
        "run._play = crash\n"
        "from hermes_tui.cli import main\n"
        "main(['run', '--prompt', 'Go on.'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", broken],
        env=home.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr
    assert "_play" in done.stderr
    assert_nowhere(done.stderr + done.stdout)
