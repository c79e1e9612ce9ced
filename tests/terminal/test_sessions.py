"""Sessions in a real terminal: made like another, written to, renamed, archived, found again at the next start."""

import pytest

from hermes_tui.simulator.scenario import Scenario
from tests.cli.conftest import Run, environment, home, lives, program, provider
from tests.engine.theatre import scenario
from tests.terminal.conftest import Open, Terminal

__all__ = ["environment", "home", "lives", "program", "provider"]

CTRL_S = "\x13"
BACKSPACE = "\x7f"
LIKE_NIGHTLY = scenario(
    "backup/small",
    session_fields={
        "name": "nightly",
        "system_prompt": "Be short.",
        "primary": {"provider": "backup", "model": "small"},
    },
)


@pytest.fixture
def script() -> Scenario:
    """A session that others are made like."""
    return LIKE_NIGHTLY


@pytest.fixture
def files(environment: dict[str, str]) -> dict[str, str]:
    """Where the program's files are."""
    return {name: value for name, value in environment.items() if name.startswith("HERMES_TUI_")}


def pasted(*lines: str) -> str:
    """Return lines as a terminal pastes them."""
    return f"\x1b[200~{chr(13).join(lines)}\x1b[201~"


def fill(screen: Terminal, name: str, *, prompt: str, like: str, every: str) -> None:
    """Fill in the form for a new session, field by field."""
    for text in (name, prompt, like, every):
        screen.press(text)
        screen.press("\r")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])
def test_a_session_from_a_template_is_scheduled_written_to_renamed_archived_and_found_again(
    terminal: Open, program: Run, files: dict[str, str], columns: int, rows: int
) -> None:
    screen = terminal(columns, rows, environment=files)
    screen.shows("nightly", "on primary")
    screen.press("n")
    screen.shows("New session", "session-1 starts on")
    fill(screen, "docs", prompt=pasted("Look at", "both lines"), like="nightly", every="2h")
    screen.shows("docs", "backup/small", "turn in", "all on their primary")
    screen.press("i")
    screen.shows("Prompt docs", "enter sends")
    screen.press(pasted("And now", "three more", "lines"))
    screen.shows("three more")
    screen.press("\r")
    screen.shows("three more", "Reply 2 of small", "Prompt docs")
    screen.leave_prompt()
    screen.press("N")
    screen.shows("Rename docs")
    screen.press("papers\r")
    screen.shows("docs is called papers now")
    screen.press("n")
    screen.shows("New session")
    screen.press("aside" + CTRL_S)
    screen.shows("aside is there")
    screen.press("A")
    screen.shows("1 archived (a)", "aside is archived")
    assert screen.leave() == 0

    again = terminal(columns, rows, environment=files)
    again.shows("nightly", "papers", "1 archived (a)", "turn in")
    again.press("1Gi")
    again.shows("Prompt papers", "three more")
    again.press("\x1b[A")
    again.until(lambda text: text.count("three more") == 2, "the earlier prompt in the box")
    again.press(BACKSPACE)
    again.leave_prompt()
    again.press("1aG")
    again.shows("ARCHIVED")
    again.press("A")
    again.shows("aside is there again")
    assert again.leave() == 0
    listed = program("sessions", "list").stdout
    assert [line.split()[0] for line in listed.splitlines()[2:]] == ["nightly", "papers", "aside"]
    assert "every 2h" in listed
