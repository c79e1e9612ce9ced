"""`run --stay`: sessions that go on without a screen, and the command line that acts on them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_tui.commands.edge import ATTENTION, FINE, NOTHING_REACHABLE, USAGE
from hermes_tui.simulator.action import SetMode, SetPace
from hermes_tui.simulator.mode import Mode
from tests.cli.conftest import Provider, Run
from tests.engine.theatre import scenario

PATIENCE_SECONDS = 30.0
LIMITED = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)
SLOW = SetPace(provider="openai-codex", latency=3600.0)

Start = Callable[..., "Program"]


class Program:
    """A program that goes on beside the test."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self._state = Path(environment["HERMES_TUI_STATE"])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hermes_tui", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self.told: list[str] = []

    def tells(self, word: str) -> None:
        """Wait until the program has written a line with `word`."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.told.append(line)
            if word in line:
                return
        pytest.fail(f"it ended without {word}: {''.join(self.told)}")

    def lets_in(self) -> None:
        """Wait until others can see what it runs."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (self._state / "run" / f"hermes-tui-{self.pid}.sock").exists():
            assert time.monotonic() < deadline
            assert self._process.poll() is None, self._process.communicate()
            time.sleep(0.02)

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def ends(self) -> tuple[int, str]:
        """Wait for its end; return the exit code, and what it complained of."""
        _, errors = self._process.communicate(timeout=PATIENCE_SECONDS)
        return self._process.returncode, errors

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def start(home: Path, environment: dict[str, str]) -> Iterator[Start]:
    """Start programs; all are killed at the end."""
    started: list[Program] = []

    def begin(*arguments: str) -> Program:
        started.append(Program(environment, *arguments))
        started[-1].lets_in()
        return started[-1]

    yield begin
    for one in started:
        one.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_stays_sends_nothing_by_itself_and_ends_well_when_it_is_told_to(
    start: Start, here: Run, provider: Provider, number: signal.Signals
) -> None:
    keeper = start("run", "--stay")
    assert here("sessions", "send", "s1", "Go on.").stdout == "sent to s1\n"
    keeper.tells("s1 answered")
    assert len(provider.simulator.requests) == 1
    keeper.signal(number)
    assert keeper.ends() == (FINE, "")
    assert list((Path(os.environ["HERMES_TUI_STATE"]) / "run").iterdir()) == []


def test_the_command_line_acts_on_what_another_process_runs(start: Start, here: Run, provider: Provider) -> None:
    provider.apply(LIMITED)
    keeper = start("run", "--stay", "--prompt", "One.")
    keeper.tells("s1 answered by backup/small")
    asked = here("sessions", "do", "force-restore", "s1")
    assert asked.returncode == USAGE
    assert "before its reset? Nobody can be asked here: add --yes." in asked.stderr
    done = here("sessions", "do", "force-restore", "s1", "--yes")
    assert done.stdout == "openai-codex/gpt is tried with the next prompt\n"
    again = here("sessions", "do", "force-restore", "s1", "--yes")
    assert (again.returncode, "already asked for" in again.stderr) == (ATTENTION, True)
    assert here("sessions", "new", "docs", "--like", "s1").stdout.startswith("docs is there")
    assert f"process {keeper.pid}" in next(
        line for line in here("sessions", "list").stdout.splitlines() if line.startswith("docs")
    )
    assert here("sessions", "rename", "docs", "papers").stdout == "docs is called papers now\n"
    assert here("sessions", "schedule", "papers", "--every", "2h", "--prompt", "Look.").returncode == FINE
    assert "papers is archived" in here("sessions", "archive", "papers").stdout
    assert here("sessions", "bring-back", "papers").stdout == "papers is there again\n"


def test_a_turn_that_runs_elsewhere_is_stopped(start: Start, here: Run, provider: Provider) -> None:
    provider.apply(SLOW)
    keeper = start("run", "--stay")
    here("sessions", "send", "s1", "Go on.")
    keeper.tells("s1 turn 1")
    assert here("sessions", "do", "stop-turn", "s1", "--yes").stdout == "s1's turn is stopped\n"
    keeper.tells("stopped")


def test_a_turn_elsewhere_is_not_stopped_by_archiving_without_a_question(
    start: Start, here: Run, provider: Provider
) -> None:
    keeper = start("run", "--stay")
    provider.apply(SLOW)
    here("sessions", "send", "s1", "Go on.")
    keeper.tells("request")
    refused = here("sessions", "archive", "s1")
    assert refused.returncode == USAGE
    assert "Archive s1 while its turn runs?" in refused.stderr
    assert here("sessions", "archive", "s1", "--yes").returncode == FINE


@pytest.mark.usefixtures("home")
def test_what_nobody_runs_is_not_acted_on(here: Run) -> None:
    assert here("run", "--prompt", "One.").returncode == FINE
    refused = here("sessions", "send", "s1", "Go on.")
    assert refused.returncode == ATTENTION
    assert "nobody runs s1 now: open the dashboard, or start `hermes-tui run --stay`" in refused.stderr
    assert here("sessions", "send", "s9", "Go on.").returncode == USAGE


def test_a_second_one_that_stays_is_refused(start: Start, here: Run) -> None:
    keeper = start("run", "--stay")
    refused = here("run", "--stay")
    assert refused.returncode == ATTENTION
    assert refused.stderr == f"hermes-tui: process {keeper.pid} keeps the sessions of this state already\n"
    elsewhere = here("run", "--stay", "--session", "s1")
    assert f"already run elsewhere: s1 (process {keeper.pid})" in elsewhere.stderr


def test_a_process_that_hangs_is_said_to_and_does_not_hold_up_the_command_line(
    start: Start, here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.bridge.neighbours.PATIENCE_SECONDS", 0.3)
    keeper = start("run", "--stay")
    keeper.signal(signal.SIGSTOP)
    refused = here("sessions", "send", "s1", "Go on.")
    assert refused.returncode == NOTHING_REACHABLE
    assert refused.stderr == f"hermes-tui: process {keeper.pid} did not answer (in time)\n"


def test_what_is_sent_to_a_run_that_would_end_is_answered_first(start: Start, here: Run, provider: Provider) -> None:
    provider.apply(SLOW)
    running = start("run", "--prompt", "One.")
    running.tells("s1 turn 1")
    assert here("sessions", "send", "s1", "Two.").stdout == "s1 takes it when its turn has ended\n"
    provider.go_on()
    assert running.ends() == (FINE, "")
    (session,) = json.loads(here("sessions", "list", "--json").stdout)["sessions"]
    assert (session["turns"], session["messages"]) == (2, 4)


def test_who_stays_for_one_session_follows_its_name_and_ends_when_it_is_archived(start: Start, here: Run) -> None:
    assert here("sessions", "new", "docs").returncode == FINE
    keeper = start("run", "--stay", "--session", "docs")
    assert here("sessions", "rename", "docs", "papers").returncode == FINE
    assert here("sessions", "send", "papers", "Go on.").stdout == "sent to papers\n"
    keeper.tells("papers answered")
    assert here("sessions", "archive", "papers").returncode == FINE
    assert keeper.ends() == (FINE, "hermes-tui: docs is not run here any more: nothing is left to run\n")


@pytest.mark.parametrize("script", [scenario("backup/small", sessions=0)])
def test_who_stays_may_begin_without_any_session_and_runs_what_is_made(start: Start, here: Run) -> None:
    keeper = start("run", "--stay")
    assert here("sessions", "new", "docs").stdout == "docs is there; it sends nothing before its first prompt\n"
    assert here("sessions", "send", "docs", "Begin.").stdout == "sent to docs\n"
    keeper.tells("docs answered")


TELLS_WHAT_IS_LOADED = """
import sys
from hermes_tui.cli import main
from hermes_tui.serving import FleetDoor
FleetDoor.open = lambda _: print("lets in with", *sorted({"httpx", "watchfiles"} & set(sys.modules)), flush=True)
main(["run", "--stay"])
"""


@pytest.mark.parametrize("script", [scenario("backup/small", sessions=0)])
@pytest.mark.usefixtures("home")
def test_nobody_is_let_in_before_what_the_first_act_needs_is_loaded(environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", TELLS_WHAT_IS_LOADED]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        told = next(line for line in keeper.stdout if line.startswith("lets in"))
        keeper.kill()
    assert told == "lets in with httpx watchfiles\n"
