"""A dashboard on which nothing happens but time, in a real terminal: little is written, and nothing is cleared."""

import re
from pathlib import Path

from tests.terminal.conftest import Open, Terminal

SECONDS = 5
MOST_BYTES_A_SECOND = 1000
CLEARS = re.compile(rb"\x1b\[[0-3]?J|\x1b\[\?1049|\x1bc")
"""A clear of the screen or a part of it, a change to the other screen, a reset."""

CAN_SYNCHRONISE = "\x1b[?2026;2$y"
"""A terminal's answer that it can hold back what it shows until an update is whole."""

BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"

FILE = """
[primary]
provider = "local"
model = "large"

[[fallback_providers]]
provider = "local"
model = "small"

[providers.local]
base_url = "http://127.0.0.1:9/v1"
api_mode = "chat_completions"
api_key = "a-key-of-this-test"

[[sessions]]
name = "docs"

[[sessions]]
name = "triage"
"""


def test_c144_a_second_writes_its_digits_clears_nothing_and_is_synchronised(terminal: Open, tmp_path: Path) -> None:
    (tmp_path / "hermes-tui.toml").write_text(FILE, encoding="utf-8")
    environment = {"HERMES_TUI_CONFIG": str(tmp_path / "hermes-tui.toml"), "HERMES_TUI_STATE": str(tmp_path / "state")}
    screen = terminal(120, 40, environment=environment)
    screen.shows("docs", "triage", "all on their primary")
    screen.press(CAN_SYNCHRONISE)
    ticked = _clock(screen.text)
    for _ in range(3):
        ticked = _next_second(screen, ticked)
    before = len(screen.written)
    for _ in range(SECONDS):
        ticked = _next_second(screen, ticked)
    written = screen.written[before:]
    assert 0 < len(written) < MOST_BYTES_A_SECOND * SECONDS
    assert not CLEARS.search(written)
    assert written.count(BEGIN) >= SECONDS - 1
    assert abs(written.count(BEGIN) - written.count(END)) <= 1
    assert screen.leave() == 0


def _clock(text: str) -> str:
    return str(re.findall(r"\d\d:\d\d:\d\d", text.splitlines()[0])[-1])


def _next_second(screen: Terminal, before: str) -> str:
    return _clock(screen.until(lambda text: _clock(text) != before, "another second"))
