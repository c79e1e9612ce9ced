"""The first start in a real terminal: it explains itself, and nothing happens before the user says so."""

from pathlib import Path

import pytest

from tests.terminal.conftest import Open


@pytest.fixture
def empty(tmp_path: Path) -> dict[str, str]:
    """An environment without a configuration, a state or any key."""
    return {
        "HERMES_TUI_CONFIG": str(tmp_path / "config" / "hermes-tui.toml"),
        "HERMES_TUI_STATE": str(tmp_path / "state"),
    }


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_it_says_what_is_missing_and_leaves_nothing_behind(
    terminal: Open, empty: dict[str, str], tmp_path: Path
) -> None:
    screen = terminal(80, 24, environment=empty)
    screen.shows("There is no configuration yet", "Watch the demo", "Nothing is sent anywhere")
    screen.press("q")
    assert screen.ends() == 0
    assert _files(tmp_path) == []


def test_a_first_file_is_written_and_opened(terminal: Open, empty: dict[str, str], tmp_path: Path) -> None:
    screen = terminal(120, 40, environment=empty)
    screen.shows("There is no configuration yet")
    screen.press("i")
    screen.shows("1 Sessions", "hermes-tui.toml", "main")
    assert (tmp_path / "config" / "hermes-tui.toml").stat().st_mode & 0o777 == 0o600
    screen.press("e")
    screen.shows("[[fallback_providers]]", "Check")
    screen.press("\x1b")
    screen.shows("1 Sessions")
    assert screen.leave() == 0


def test_the_demo_needs_no_file(terminal: Open, empty: dict[str, str], tmp_path: Path) -> None:
    screen = terminal(80, 24, environment=empty)
    screen.shows("There is no configuration yet")
    screen.press("d")
    screen.shows("nightly-docs")
    assert screen.leave() == 0
    assert _files(tmp_path) == []
