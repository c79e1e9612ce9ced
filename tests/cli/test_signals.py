"""Ending a headless run from outside."""

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import Run
from tests.engine.theatre import scenario

EVERY = scenario("backup/small", session_fields={"prompt": "Go.", "every": "15m"})


@pytest.mark.parametrize("script", [EVERY])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.usefixtures("home")
def test_a_run_that_is_told_to_end_leaves_the_session_idle_and_exit_code_130(
    environment: dict[str, str], program: Run, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "hermes_tui", "run", "--json"]
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    for line in running.stdout:
        if '"turn_completed"' in line:
            break
    os.kill(running.pid, number)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == 130
    assert errors.strip() == "hermes-tui: interrupted"
    assert '"phase": "idle"' in program("status", "--json").stdout
