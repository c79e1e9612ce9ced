"""Being told by the terminal: its bell and a notification, written as bytes that a session's name cannot change."""

import re
from pathlib import Path

import pytest
import tomlkit

from hermes_tui.simulator.action import SetMode
from hermes_tui.simulator.mode import Mode
from hermes_tui.simulator.scenario import Scenario
from tests.cli.conftest import Provider, environment, home, provider
from tests.cli.test_telling import told_in, writing_to
from tests.engine.theatre import scenario
from tests.terminal.conftest import Open, Terminal

__all__ = ["environment", "home", "provider"]

LIMIT = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)
HOSTILE = scenario("backup/small", session_fields={"name": "night\x1b]0;owned\x07\u202e"})


@pytest.fixture
def script() -> Scenario:
    """A session with a name that would change the terminal's title."""
    return HOSTILE


@pytest.fixture
def files(environment: dict[str, str]) -> dict[str, str]:
    """Where the program's files are; VTE is not behind this terminal."""
    ours = {name: value for name, value in environment.items() if name.startswith("HERMES_TUI_")}
    return ours | {"VTE_VERSION": "", "TMUX": "", "STY": ""}


def tell(home: Path, **table: object) -> None:
    path = home / "hermes-tui.toml"
    document = tomlkit.parse(path.read_text())
    document["tell"] = table
    path.write_text(tomlkit.dumps(document))


def answered(screen: Terminal) -> None:
    """Have the session leave its primary by a turn."""
    screen.shows("night", "on primary")
    screen.press("i")
    screen.shows("Prompt night")
    screen.press("Go on.\r")
    screen.shows("WAITING FOR RESET")


def rings(written: bytes) -> int:
    """Return how often the bell rang: a BEL that ends no other sequence."""
    return re.sub(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)", b"", written.replace(b"\x07\x1b\\", b"\x07")).count(b"\x07")


@pytest.mark.parametrize(
    ("before", "after", "here"),
    [
        (b"\x1b]9;hermes-tui: ", b"\x1b\\", {}),
        (b"\x1b]777;notify;hermes-tui;", b"\x1b\\", {"VTE_VERSION": "7600"}),
        (b"\x1bPtmux;\x1b\x1b]9;hermes-tui: ", b"\x07\x1b\\", {"TERM": "tmux-256color", "TMUX": "/tmp/tmux,1,0"}),
        (b"\x1bPtmux;\x1b\x1b]777;notify;hermes-tui;", b"\x07\x1b\\", {"VTE_VERSION": "7600", "TMUX": "/tmp/tmux,1,0"}),
    ],
)
def test_a_fallback_rings_and_notifies_and_a_name_steers_nothing(
    terminal: Open,
    home: Path,
    provider: Provider,
    files: dict[str, str],
    before: bytes,
    after: bytes,
    here: dict[str, str],
) -> None:
    tell(home, bell=True, desktop=True)
    provider.apply(LIMIT)
    screen = terminal(120, 40, environment=files | here)
    answered(screen)
    screen.until(lambda _: before in screen.written, "a notification")
    assert screen.leave() == 0
    sentence = screen.written.partition(before)[2].partition(after)[0].decode()
    assert "backup/small" in sentence
    assert [letter for letter in sentence if not letter.isprintable()] == []
    assert screen.written.count(before) == 1
    assert rings(screen.written) == 1
    assert re.findall(rb"\x1b\]2;(.*?)\x1b\\", screen.written) == [b"hermes-tui", b"hermes-tui: off primary"]
    assert screen.written.rindex(b"\x1b[23;0t") > screen.written.index(b"\x1b[22;0t")
    assert b"\x1b]0;owned" not in screen.written


def test_by_default_nothing_rings(terminal: Open, home: Path, provider: Provider, files: dict[str, str]) -> None:
    provider.apply(LIMIT)
    screen = terminal(120, 40, environment=files)
    answered(screen)
    assert screen.leave() == 0
    assert rings(screen.written) == 0
    assert b"\x1b]9;" not in screen.written


def test_the_command_has_no_terminal_and_names_without_codes(
    terminal: Open, home: Path, provider: Provider, files: dict[str, str]
) -> None:
    told = home / "told"
    tell(home, command=writing_to(told))
    provider.apply(LIMIT)
    screen = terminal(120, 40, environment=files)
    answered(screen)
    screen.until(lambda _: told.exists() and told.read_text().endswith("\n"), "a line of the command")
    ((_, occasion, session, has),) = told_in(told)
    assert (occasion, session, has) == ("fallback", "night␛]0;owned␇�", "no terminal")
    assert screen.leave() == 0


def test_a_command_that_cannot_be_started_is_a_toast(
    terminal: Open, home: Path, provider: Provider, files: dict[str, str]
) -> None:
    tell(home, command=["hermes-tui-no-such-program"])
    provider.apply(LIMIT)
    screen = terminal(120, 40, environment=files)
    answered(screen)
    screen.shows("hermes-tui-no-such-program could not be started")
    assert screen.leave() == 0


def test_a_changed_file_takes_effect_at_once(
    terminal: Open, home: Path, provider: Provider, files: dict[str, str]
) -> None:
    provider.apply(LIMIT)
    screen = terminal(120, 40, environment=files)
    screen.shows("night", "on primary")
    tell(home, bell=True)
    screen.press("R")
    screen.shows("is in force")
    answered(screen)
    screen.until(lambda _: rings(screen.written) == 1, "the bell")
    assert screen.leave() == 0


def test_a_fallback_by_hand_is_no_news(terminal: Open, home: Path, files: dict[str, str]) -> None:
    tell(home, bell=True, desktop=True)
    screen = terminal(120, 40, environment=files)
    screen.shows("night", "on primary")
    screen.press("f")
    screen.shows("which is fine?")
    screen.press("y")
    screen.shows("PINNED")
    assert screen.leave() == 0
    assert rings(screen.written) == 0
    assert b"\x1b]9;" not in screen.written


def test_who_runs_a_session_tells_of_it_and_a_dashboard_beside_does_not(
    terminal: Open, home: Path, provider: Provider, files: dict[str, str]
) -> None:
    told = home / "told"
    tell(home, bell=True, command=writing_to(told))
    document = tomlkit.parse((home / "hermes-tui.toml").read_text())
    document["sessions"][0].update({"prompt": "Go on.", "every": "2s"})
    (home / "hermes-tui.toml").write_text(tomlkit.dumps(document))
    runs = terminal(120, 40, "run", environment=files)
    runs.shows("turn")
    screen = terminal(120, 40, environment=files)
    screen.shows("night", "on primary")
    provider.apply(LIMIT)
    screen.shows("WAITING FOR RESET")
    runs.until(lambda _: told.exists() and told.read_text().endswith("\n"), "a line of the command")
    assert screen.leave() == 0
    assert rings(screen.written) == 0
    assert len(told_in(told)) == 1
