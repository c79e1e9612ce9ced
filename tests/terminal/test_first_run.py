"""The first start in a real terminal: it explains itself, and nothing happens before the user says so."""

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.simulator.scenario import Scenario
from tests.cli.conftest import Provider, provider
from tests.engine.theatre import scenario
from tests.terminal.conftest import Open, Terminal

__all__ = ["provider"]

KEY = "simulated-backup-1"
COLOUR = re.compile(rb"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|9[0-7]|[34]8;[25];[0-9;]+)m")


@pytest.fixture
def empty(tmp_path: Path) -> dict[str, str]:
    """An environment without a configuration, a state, or any key but one."""
    keys = [*(name for known in KNOWN_PROVIDERS.values() for name in known.key_variables), "CODEX_TOKEN"]
    return dict.fromkeys(keys, "") | {
        "HOME": str(tmp_path / "home"),
        "HERMES_TUI_CONFIG": str(tmp_path / "config" / "hermes-tui.toml"),
        "HERMES_TUI_STATE": str(tmp_path / "state"),
        "GROQ_API_KEY": "gsk_a-key-that-nobody-may-see",
    }


@pytest.fixture
def script() -> Scenario:
    """A server of somebody's own, with a large and a small model."""
    return scenario("backup/small", primary="backup/large")


class Listener:
    """Counts who connects to a server that nobody was told to ask."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            accepted.close()

    def close(self) -> None:
        """End the server."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A server that counts."""
    counting = Listener()
    yield counting
    counting.close()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def file_of(folder: Path) -> Path:
    return folder / "config" / "hermes-tui.toml"


def click(screen: Terminal, words: str) -> None:
    """Press and release the left button on `words`, wherever they are shown once all is drawn."""
    screen.shows(words)
    screen.settled()
    row = next(number for number, line in enumerate(screen.lines) if words in line)
    column = screen.lines[row].index(words) + 2
    screen.press(f"\x1b[<0;{column};{row + 1}M\x1b[<0;{column};{row + 1}m")


def test_it_says_what_is_missing_and_leaves_nothing_behind(
    terminal: Open, empty: dict[str, str], tmp_path: Path
) -> None:
    screen = terminal(80, 24, environment=empty)
    screen.shows("There is no configuration yet", "Watch the demo", "Nothing is sent anywhere", "GROQ_API_KEY (groq)")
    screen.press("q")
    assert screen.ends() == 0
    assert files(tmp_path) == []


def test_the_demo_needs_no_file(terminal: Open, empty: dict[str, str], tmp_path: Path) -> None:
    screen = terminal(80, 24, environment=empty)
    screen.shows("Watch the demo")
    screen.press("d")
    screen.shows("nightly-docs")
    assert screen.leave() == 0
    assert files(tmp_path) == []


@pytest.mark.parametrize("size", [(120, 40), (48, 14)])
def test_a_server_of_ones_own_with_a_pasted_key_answers_the_first_prompt(
    terminal: Open, empty: dict[str, str], tmp_path: Path, provider: Provider, script: Scenario, size: tuple[int, int]
) -> None:
    address = script.configuration_for(provider.simulator.base_url)["providers"]["backup"]["base_url"]
    screen = terminal(*size, environment=empty)
    screen.shows("Set up a provider")
    for keys, then in (
        ("s", "Which provider"),
        ("o", "Where is the server?"),
        (f"{address}\r", "Where does the key of server"),
        ("p", "Paste the key"),
        (f"\x1b[200~{KEY}\n\x1b[201~\r", "Which model of server?"),
        ("\r", "It lists"),
        ("large", "large"),
        ("\r", "Where do sessions go"),
        ("n", "This will be written."),
    ):
        screen.press(keys)
        screen.shows(then)
        assert all(request.path.endswith("/models") for request in provider.simulator.requests)
        assert files(tmp_path) == []
    screen.press("a")
    screen.shows("CAN SERVE")
    assert file_of(tmp_path).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "config" / "keys" / "server").stat().st_mode & 0o777 == 0o600
    screen.press("\r")
    screen.shows("1 Sessions", "on primary")
    screen.press("i")
    screen.shows("Prompt main")
    screen.press("Hello.\r")
    screen.until(lambda _: any(request.model == "large" for request in provider.simulator.requests), "a request")
    screen.leave_prompt()
    assert screen.leave() == 0
    assert KEY.encode() not in screen.written
    assert KEY not in file_of(tmp_path).read_text()


def test_nothing_is_sent_and_nothing_written_up_to_the_last_yes(
    terminal: Open, empty: dict[str, str], tmp_path: Path, listener: Listener
) -> None:
    screen = terminal(80, 24, environment=empty | {"HTTPS_PROXY": listener.address, "HTTP_PROXY": listener.address})
    screen.shows("Set up a provider")
    for keys, then in (
        ("s", "Which provider"),
        ("o", "Where is the server?"),
        (f"{listener.address}\r", "Where does the key of server"),
        ("v", "What is the variable called?"),
        ("GROQ_API_KEY\r", "Which model of server?"),
        ("m\r", "Where do sessions go"),
        ("\x1b[B\r", "Where does the key of groq"),
        ("\r", "Which model of groq?"),
        ("\r", "This will be written."),
    ):
        screen.press(keys)
        screen.shows(then)
    assert files(tmp_path) == []
    screen.press("w")
    screen.shows("is written.", "All of it can work.")
    assert listener.connections == 0
    assert "gsk_" not in file_of(tmp_path).read_text()
    screen.press("q")
    assert screen.ends() == 0
    assert listener.connections == 0


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
def test_the_mouse_alone_leads_to_the_dashboard(
    terminal: Open, empty: dict[str, str], tmp_path: Path, size: tuple[int, int]
) -> None:
    screen = terminal(*size, environment=empty)
    for words, then in (
        ("Set up a provider", "Which provider"),
        ("esc back", "Watch the demo"),
        ("Set up a provider", "Which provider"),
        ("groq", "Where does the key"),
        ("$GROQ_API_KEY", "Which model"),
        ("llama-3.3-70b-versatile", "Where do sessions go"),
        ("Nowhere yet", "This will be written."),
        ("Write it", "Open the dashboard"),
    ):
        click(screen, words)
        screen.shows(then)
    click(screen, "Open the dashboard")
    screen.shows("1 Sessions", "on primary")
    assert screen.leave() == 0
    assert files(tmp_path / "config") == ["hermes-tui.toml"]


def test_without_colour_it_is_all_there(terminal: Open, empty: dict[str, str], tmp_path: Path) -> None:
    screen = terminal(80, 24, environment=empty | {"NO_COLOR": "1"})
    screen.shows("Set up a provider")
    screen.press("i")
    screen.shows("This will be written.", 'provider = "groq"')
    screen.press("w")
    screen.shows("All of it can work.")
    screen.press("\x11")
    assert screen.ends() == 0
    assert COLOUR.findall(screen.written) == []
    assert file_of(tmp_path).exists()
