"""Keys of the user's own in a real terminal: from the file to the footer, and a changed file while it runs."""

from pathlib import Path

from tests.terminal.conftest import Open

FILE = """\
[primary]
provider = "local"
model = "small"
[providers.local]
base_url = "http://127.0.0.1:9/v1"
[[sessions]]
name = "docs"
[keys]
help = "{help}"
probe = "quit"
"""


def test_a_key_of_the_file_opens_the_help_and_a_changed_file_changes_it(terminal: Open, tmp_path: Path) -> None:
    path = tmp_path / "hermes-tui.toml"
    path.write_text(FILE.format(help="ctrl+y"), encoding="utf-8")
    screen = terminal(120, 80, "--config", str(path), "--state", str(tmp_path / "state"))
    screen.shows("ctrl+y Help", "p Probe", "! 1 warning")
    screen.press("\x19")
    screen.shows("ctrl+y    Help ", "Shows the keys")
    path.write_text(FILE.format(help="!, f5"), encoding="utf-8")
    screen.shows("! f5      Help ")
    screen.press("\x1b")
    screen.until(lambda text: "esc closes" not in text, "the help is closed")
    screen.press("!")
    screen.shows("esc closes")
    screen.press("\x1b")
    screen.until(lambda text: "esc closes" not in text, "the help is closed")
    assert screen.leave() == 0
