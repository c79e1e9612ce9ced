"""Being called by a home in a real terminal: for a question by default, for what its logs tell where that is wanted."""

import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.gateway import fake
from tests.hermes.state.homes import change, make, session
from tests.terminal.conftest import Open
from tests.terminal.test_telling import rings

SWITCH = "agent.chat_completion_helpers: Fallback activated: gpt \x1b]0;owned\x07 → small (custom)"
CONFIGURATION = "model:\n  provider: openai-codex\n  default: gpt\n"
TELL = '[primary]\nprovider = "ollama"\nmodel = "m"\n[tell]\nbell = true\ndesktop = true\n'


@pytest.fixture
def hermes(tmp_path: Path) -> Path:
    """Make a home with a session, and return it."""
    home = make("22", tmp_path / "home")
    change(home, session("s", time.time(), title="weekly", model="gpt", billing_provider="openai-codex"))
    (home / "config.yaml").write_text(CONFIGURATION)
    (home / "logs").mkdir()
    (home / "logs" / "agent.log").touch()
    log(home, SWITCH)
    return home


@pytest.fixture
def files(hermes: Path, tmp_path: Path) -> dict[str, str]:
    """Put the other Hermes of the gateway's tests on the PATH, in the place of a real one."""
    prefix = tmp_path / "venv"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib/python3.11/site-packages/hermes_agent-0.22.3.dist-info").mkdir(parents=True)
    python, command = prefix / "bin" / "python", prefix / "bin" / "hermes"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} {Path(fake.__file__)} plain\n")
    command.write_text(f"#!{python}\n")
    for program in (python, command):
        program.chmod(0o755)
    own = {"HERMES_TUI_CONFIG": str(tmp_path / "own.toml"), "HERMES_TUI_STATE": str(tmp_path / "state")}
    return own | {"HERMES_HOME": str(hermes), "PATH": f"{prefix / 'bin'}:/usr/bin:/bin", "VTE_VERSION": ""}


def log(home: Path, message: str) -> None:
    """Write a line as Hermes does, at this moment."""
    now = time.time()
    stamp = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(now))},{int(now % 1 * 1000):03}"
    with (home / "logs" / "agent.log").open("a") as file:
        file.write(f"{stamp} INFO [s] {message}\n")


def test_a_session_that_asks_rings_once_and_stands_in_the_title_without_any_configuration(
    terminal: Open, files: dict[str, str], hermes: Path
) -> None:
    screen = terminal(120, 40, "attach", environment=files)
    screen.shows("weekly", "Help")
    screen.press("n")
    screen.shows("New session in Hermes of")
    screen.press("work\rapprove rm -r build\x13")
    screen.shows("ASKS YOU")
    screen.until(lambda _: rings(screen.written) == 1, "the bell")
    screen.until(lambda _: b"\x1b]2;hermes-tui: asks you\x1b\\" in screen.written, "the title")
    screen.shows("asks    work asks you: May it run this (recursive delete)?")
    log(hermes, SWITCH.replace("small", "tiny"))
    screen.shows("custom/tiny")
    screen.kill(signal.SIGTERM)
    assert screen.ends() == 0
    assert (rings(screen.written), screen.written.count(b"\x1b]9;")) == (1, 0)


def test_what_the_logs_tell_is_told_with_its_home_and_what_they_told_before_is_not(
    terminal: Open, files: dict[str, str], hermes: Path
) -> None:
    Path(files["HERMES_TUI_CONFIG"]).write_text(TELL)
    screen = terminal(120, 40, "attach", environment=files)
    screen.shows("weekly", "switch")
    log(hermes, SWITCH.replace("small", "tiny"))
    screen.until(lambda _: rings(screen.written) == 1 and b"tiny" in screen.written, "the bell")
    assert screen.leave() == 0
    told = re.findall(rb"\x1b\]9;(.*?)\x1b\\", screen.written)
    assert len(told) == 1
    sentence = told[0].decode()
    assert sentence.startswith("hermes-tui: hermes: weekly: Fallback activated: gpt ")
    assert sentence.endswith("tiny (custom)")
    assert all(map(str.isprintable, sentence))
    assert b"\x1b]0;owned" not in screen.written
