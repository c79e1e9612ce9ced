"""A home that a real Hermes has filled, as a person sees it: on the screen, and as lines."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.test_reader import contents
from tests.terminal.conftest import Terminal

HomeOf = Callable[[Build, str], Path]


def environment(home: Path, tmp_path: Path) -> dict[str, str]:
    """Return what a person has who uses 0.22 in `home`, and no configuration of this program."""
    path = os.pathsep.join((str(interpreter(Build.HERMES_22).parent), os.environ["PATH"]))
    own = {"HERMES_TUI_CONFIG": str(tmp_path / "none.toml"), "HERMES_TUI_STATE": str(tmp_path / "state")}
    return {"HERMES_HOME": str(home), "PATH": path, **own}


def lines(home: Path, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with `arguments` and return what it wrote."""
    command = [sys.executable, "-m", "hermes_tui", *arguments]
    return subprocess.run(
        command, env={**os.environ, **environment(home, tmp_path)}, capture_output=True, text=True, check=False
    )


def test_the_status_of_a_home_tells_which_session_is_where_and_ends_with_one(home_of: HomeOf, tmp_path: Path) -> None:
    home = home_of(Build.HERMES_22, "lying")
    before = contents(home)
    done = lines(home, tmp_path, "status", "--hermes", "--json")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    (session,) = document["sessions"]
    assert (document["source"], session["source"]) == ("hermes", "hermes")
    assert (session["diagnosis"]["code"], session["position"]) == ("lying_probe", 1)
    assert {fact["source"] for fact in session["diagnosis"]["facts"]} >= {"auth.json", "inferred from agent.log"}
    why = lines(home, tmp_path, "why", "--hermes", session["name"])
    assert why.returncode == 1
    assert "Hermes took back the credential that had just failed" in why.stdout
    assert contents(home) == before
    assert not (tmp_path / "state").exists()


def test_no_home_is_a_sentence_with_what_to_do(tmp_path: Path) -> None:
    done = lines(tmp_path / "nowhere", tmp_path, "status", "--hermes")
    assert done.returncode == 2
    assert str(tmp_path / "nowhere") in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def screen(home_of: HomeOf, tmp_path: Path) -> Iterator[Terminal]:
    home = home_of(Build.HERMES_22, "two")
    running = Terminal(120, 40, "attach", str(home), environment=environment(home, tmp_path))
    yield running
    running.close()


def test_a_home_is_watched_cleared_and_left(screen: Terminal, tmp_path: Path) -> None:
    screen.shows("KEY NOT TRIED", "COOLING", "And then?", "config.yaml")
    screen.press("4c")
    screen.shows("Clear the cooldown of openai-codex/work", "keeps its own cooldown in memory")
    screen.press("y")
    screen.shows("RESTORE DUE", "cleared")
    assert screen.leave() == 0
    (file,) = tmp_path.rglob("two/auth.json")
    rows = json.loads(file.read_text())["credential_pool"]["openai-codex"]
    assert [row["last_status"] for row in rows] == [None, None]
    assert all(row["access_token"].encode() not in screen.written for row in rows)


OWN = """
[primary]
provider = "openai"
model = "gpt-4o"
base_url = "http://127.0.0.1:9/v1"
api_key_env = "MADE_UP"

[[sessions]]
name = "docs"
"""


def test_the_dashboard_shows_a_home_beside_its_own_sessions(home_of: HomeOf, tmp_path: Path) -> None:
    home = home_of(Build.HERMES_22, "two")
    before = contents(home)
    (tmp_path / "own.toml").write_text(OWN)
    own = {"HERMES_TUI_CONFIG": str(tmp_path / "own.toml"), "MADE_UP": "sk-made-up-0123456789"}
    screen = Terminal(120, 40, environment=environment(home, tmp_path) | own)
    try:
        screen.shows("1 of 2 sessions off their primary", "docs", "Credentials and verdicts of own", "KEY NOT TRIED")
        screen.press("j")
        screen.shows("Credentials and verdicts of hermes", "Events of hermes", "And then?", "config.yaml")
        screen.press("b")
        screen.shows("Nobody has it open: nothing of it is in")
        screen.press("e")
        screen.shows("fallback_providers:", "can be saved")
        screen.press("\x1b")
        screen.shows("Events of hermes")
        screen.press("k")
        screen.shows("Credentials and verdicts of own", "Events of own")
        assert screen.leave() == 0
    finally:
        screen.close()
    assert contents(home) == before


def test_homes_that_are_named_are_shown_instead_or_none(home_of: HomeOf, tmp_path: Path) -> None:
    home = home_of(Build.HERMES_22, "two")
    (tmp_path / "own.toml").write_text(OWN + "\n[screen]\nhermes_homes = ['/nowhere/at/all']\n")
    own = {"HERMES_TUI_CONFIG": str(tmp_path / "own.toml"), "MADE_UP": "sk-made-up-0123456789"}
    screen = Terminal(120, 40, environment=environment(home, tmp_path) | own)
    try:
        screen.shows("all on their primary", "docs", "there is no folder /nowhere/at/all")
        assert "Events of" not in screen.text
    finally:
        screen.close()


def test_who_has_a_home_and_no_file_yet_watches_it_at_a_key(home_of: HomeOf, tmp_path: Path) -> None:
    home = home_of(Build.HERMES_22, "two")
    before = contents(home)
    screen = Terminal(120, 40, environment=environment(home, tmp_path))
    try:
        screen.shows("Watch Hermes", "Take over the Hermes home", "There is no configuration yet")
        screen.press("w")
        screen.shows("1 of 1 session off their primary", "KEY NOT TRIED", "config.yaml")
        assert screen.leave() == 0
    finally:
        screen.close()
    assert contents(home) == before
    assert not (tmp_path / "none.toml").exists()
