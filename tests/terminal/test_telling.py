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
    return {name: value for name, value in environment.items() if name.startswith("HERMES_TUI_")} | {"VTE_VERSION": ""}


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
    return re.sub(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)", b"", written).count(b"\x07")


@pytest.mark.parametrize("before", [b"\x1b]9;hermes-tui: ", b"\x1b]777;notify;hermes-tui;"])
def test_a_fallback_rings_and_notifies_and_a_name_steers_nothing(
    terminal: Open, home: Path, provider: Provider, files: dict[str, str], before: bytes
) -> None:
    tell(home, bell=True, desktop=True)
    provider.apply(LIMIT)
    screen = terminal(120, 40, environment=files | ({"VTE_VERSION": "7600"} if b"777" in before else {}))
    answered(screen)
    screen.until(lambda _: before in screen.written, "a notification")
    assert screen.leave() == 0
    sentence = screen.written.partition(before)[2].partition(b"\x1b\\")[0].decode()
    assert "backup/small" in sentence
    assert [letter for letter in sentence if not letter.isprintable()] == []
    assert screen.written.count(before) == 1
    assert rings(screen.written) == 1
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
