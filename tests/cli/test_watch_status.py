"""`status --watch`: the status once, then only what changes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.commands.watch_status import LOOK_SECONDS, StatusWatch, watch_status
from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.decision import Decision, Record, Row
from hermes_tui.core.event import ConfigurationLoaded, Event, FallbackActivated, RequestSent, TurnStarted
from hermes_tui.core.text import PlainText
from hermes_tui.simulator.action import SetMode
from hermes_tui.simulator.mode import Mode
from hermes_tui.storage.ledger import SqliteLedger
from tests.cli.conftest import Provider, Run
from tests.core.made import DAY, NOW, away, benched, configuration, session

WITH_DOCS = replace(configuration(), sessions=(SessionPlan("docs"),))
LOADED = ConfigurationLoaded(time=NOW, origin=PlainText("hermes-tui.toml"), warnings=())
STARTED = TurnStarted(time=NOW, session="docs", turn=1, prompt=PlainText("Go on."))
SENT = RequestSent(time=NOW, session="docs", provider="p", model="m", credential="c", attempt=1)
LEFT = FallbackActivated(
    time=NOW,
    session="docs",
    position=1,
    provider="backup",
    model="small",
    left=PlainText("openai-codex/gpt"),
    reason=PlainText("429 usage limit"),
    notice=PlainText("backup/small answers"),
)


class Watched:
    """A watch on a state that the test writes, with a clock that the test moves."""

    def __init__(self, state: Path, capfd: pytest.CaptureFixture[str], *, as_json: bool = False) -> None:
        self.now = NOW
        self._state = state
        self._capfd = capfd
        self._watch = StatusWatch(state, as_json=as_json, now=lambda: self.now)

    def commit(self, event: Event, *rows: Row) -> None:
        """Write as another process would."""
        ledger = SqliteLedger.open(self._state)
        ledger.commit(lambda _facts: Decision(None, (Record(event, rows),)))
        ledger.close()

    def look(self) -> list[str]:
        """Return the lines that the next look prints."""
        self._watch.look()
        return self._capfd.readouterr().out.splitlines()


@pytest.fixture
def watched(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Watched:
    """A watch that has seen a session on its primary."""
    watch = Watched(tmp_path / "state", capfd)
    watch.commit(LOADED, WITH_DOCS, session("docs"))
    first = watch.look()
    assert any(line.startswith("docs ") and "on primary" in line for line in first)
    return watch


def test_while_nothing_changes_nothing_is_printed(watched: Watched) -> None:
    assert [watched.look() for _ in range(3)] == [[], [], []]


def test_an_event_is_told_as_a_run_tells_it_and_quiet_ones_are_not(watched: Watched) -> None:
    watched.commit(SENT)
    assert watched.look() == []
    watched.commit(STARTED)
    (line,) = watched.look()
    assert line[2:3] + line[5:6] + line[8:] == "::  turn     docs turn 1: Go on."
    assert watched.look() == []


def test_a_session_that_stands_elsewhere_is_told_after_what_brought_it_there(watched: Watched) -> None:
    watched.commit(LEFT, away("docs"), benched())
    event, standing = watched.look()
    assert "switch   docs" in event
    assert "standing docs: waiting for reset, on backup/small (1/2)" in standing


def test_time_alone_changes_a_standing_at_its_moment_and_not_before(watched: Watched) -> None:
    watched.commit(LEFT, away("docs"), benched())
    watched.look()
    watched.now = NOW + 2 * DAY - 1
    assert watched.look() == []
    watched.now = NOW + 2 * DAY + 1
    (line,) = watched.look()
    assert "standing docs: restore due, on backup/small (1/2)" in line
    assert watched.look() == []


def test_a_session_that_comes_or_goes_is_told(watched: Watched) -> None:
    watched.commit(LOADED, replace(WITH_DOCS, sessions=(SessionPlan("new"),)), session("new"))
    lines = watched.look()[1:]
    assert [line[19:] for line in lines] == [
        "docs is not configured any more",
        "new: on primary, on openai-codex/gpt (0/2)",
    ]


def test_as_json_each_line_is_an_object_with_a_type(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    watch = Watched(tmp_path / "state", capfd, as_json=True)
    watch.commit(LOADED, WITH_DOCS, session("docs"))
    (status,) = map(json.loads, watch.look())
    assert (status["type"], status["schema_version"], status["sessions"][0]["name"]) == ("status", 1, "docs")
    watch.commit(LEFT, away("docs"), benched())
    event, standing = map(json.loads, watch.look())
    assert (event["type"], event["time"], event["session"]) == ("fallback_activated", NOW, "docs")
    assert (standing["type"], standing["time"], standing["session"]) == ("standing_changed", NOW, "docs")
    assert standing["standing"]["diagnosis"]["code"] == "waiting_for_reset"


def test_it_waits_for_a_state_and_says_so_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    watch = StatusWatch(tmp_path / "state", as_json=False)
    watch.look()
    watch.look()
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", f"hermes-tui: no state in {tmp_path / 'state'} yet: waiting for one\n")
    Watched(tmp_path / "state", capfd).commit(LOADED, WITH_DOCS, session("docs"))
    watch.look()
    assert "on primary" in capfd.readouterr().out


def test_a_state_that_was_taken_away_is_waited_for(watched: Watched, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "state")
    assert watched.look() == []
    watched.commit(LOADED, WITH_DOCS, away("docs"))
    assert any("backup/small" in line for line in watched.look())


def test_it_looks_once_a_second_and_leaves_the_signals_as_they_were(
    watched: Watched, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            watched.commit(STARTED)
        if len(waits) == 4:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        watch_status(tmp_path / "state", as_json=False, sleep=sleep)
    assert waits == [LOOK_SECONDS] * 4
    assert capfd.readouterr().out.count("docs turn 1: Go on.") == 1
    assert signal.getsignal(signal.SIGTERM) is before


@contextmanager
def process(environment: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `status --watch` as a person does."""
    command = [sys.executable, "-m", "hermes_tui", "status", "--watch", *arguments]
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@pytest.mark.usefixtures("home")
def test_a_real_watch_sees_a_run_of_another_process(
    environment: dict[str, str], program: Run, provider: Provider
) -> None:
    program("run", "--prompt", "One.")
    provider.apply(SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0))
    with process(environment, "--json") as watch:
        assert watch.stdout is not None
        assert json.loads(watch.stdout.readline())["type"] == "status"
        program("run", "--prompt", "Two.")
        seen = []
        for line in watch.stdout:
            seen.append(json.loads(line))
            if seen[-1]["type"] == "standing_changed" and seen[-1]["standing"]["fallback_active"]:
                break
        assert "fallback_activated" in [event["type"] for event in seen]
        assert "request_sent" not in [event["type"] for event in seen]


@pytest.mark.parametrize(("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 0, "")])
def test_a_signal_ends_it_without_a_trace(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals, code: int, said: str
) -> None:
    with process(environment) as watch:
        assert watch.stderr is not None
        assert watch.stderr.readline().startswith("hermes-tui: no state in ")
        os.kill(watch.pid, number)
        _, errors = watch.communicate(timeout=30)
        assert (watch.returncode, errors.strip().removeprefix("hermes-tui: ")) == (code, said)


def test_a_reader_that_goes_away_ends_it_quietly_although_nothing_changes(
    environment: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Watched(tmp_path / "state", capfd).commit(LOADED, WITH_DOCS, session("docs"))
    with process(environment) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        assert watch.stdout.readline().startswith("session")
        watch.stdout.close()
        assert watch.wait(timeout=30) == 1
        assert watch.stderr.read() == ""
