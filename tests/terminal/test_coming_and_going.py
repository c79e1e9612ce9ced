"""A screen that comes and goes beside sessions that stay: it shows them live, acts on them, and takes nothing along."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.simulator.action import SetPace
from tests.cli.conftest import Provider, environment, home, lives, program, provider, script
from tests.terminal.conftest import PATIENCE_SECONDS, Open

__all__ = ["environment", "home", "lives", "program", "provider", "script"]

GROWING = ("Reply", "Reply 1", "Reply 1 of", "Reply 1 of gpt")
"""What a screen may show of a reply while it streams."""


@pytest.fixture
def keeper(home: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A program that keeps the sessions, and lets others in by now."""
    command = [sys.executable, "-m", "hermes_tui", "run", "--stay"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, text=True) as started:
        door = Path(environment["HERMES_TUI_STATE"], "run", f"hermes-tui-{started.pid}.sock")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not door.exists():
            assert time.monotonic() < deadline
            assert started.poll() is None
            time.sleep(0.02)
        yield started
        started.kill()


def test_a_screen_shows_live_what_stays_acts_on_it_and_leaves_it_running(
    terminal: Open, keeper: subprocess.Popen[str], environment: dict[str, str], provider: Provider
) -> None:
    provider.apply(SetPace(provider="openai-codex", tokens_per_second=0.5))
    files = {name: value for name, value in environment.items() if name.startswith("HERMES_TUI_")}
    screen = terminal(120, 40, environment=files)
    screen.shows("s1", f"in process {keeper.pid}")
    screen.press("i")
    screen.shows("Prompt s1")
    screen.press("Go on.\r")
    screen.until(lambda text: any(f"{part}▌" in text for part in GROWING), "a reply that grows")
    provider.apply(SetPace(provider="openai-codex", tokens_per_second=0.0))
    screen.shows("Reply 1 of gpt by openai-codex.")
    provider.apply(SetPace(provider="openai-codex", latency=3600.0))
    screen.press("Once more.\r")
    screen.shows("Once more.", "RUN")
    screen.leave_prompt()
    screen.press("x")
    screen.shows("Stop s1's turn?", f"Process {keeper.pid} runs it")
    screen.press("y")
    screen.shows("you stopped it", "IDLE")
    screen.press("n")
    screen.shows("New session")
    screen.press("docs\x13")
    screen.shows("docs is there")
    screen.press("i")
    screen.shows("Prompt docs")
    screen.press("And you.\r")
    screen.shows("And you.", "RUN")
    screen.leave_prompt()
    screen.press("q")
    assert screen.ends() == 0

    again = terminal(80, 24, environment=files)
    again.shows("docs", "RUN")
    os.kill(keeper.pid, signal.SIGSTOP)
    again.until(lambda text: text.count("SILENT") == 2, "that the process does not answer")
    again.shows("1 process does not answer")
    again.press("?")
    again.shows("━ Help ━")
    again.press("\x1b")
    keeper.kill()
    again.shows("NOBODY", "Nobody runs s1 and docs now", "R runs them here")
    again.press("R")
    again.until(lambda text: "NOBODY" not in text and text.count("IDLE") == 2, "that they run here")
    assert again.leave() == 0
