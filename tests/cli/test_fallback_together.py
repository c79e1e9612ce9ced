"""One file, many hands at once: an outside editor, the desk of a dashboard and the command line lose nothing (M44)."""

import os
import random
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from hermes_tui.cli import main
from hermes_tui.config.desk import FileDesk
from hermes_tui.core.editing import AddEntry, Entry, MoveEntry
from hermes_tui.core.errors import ConflictError

EDITS, SAVES, COMMANDS, PROGRAMS = 80, 60, 50, 10
URL: Final = "http://127.0.0.1:9/v1"
EDITOR: Final = Path(__file__).with_name("outside_editor.py")
TEXT: Final = """\
# the head
[primary]
provider = "ollama"
model = "m"

# the first
[[fallback_providers]]
provider = "lmstudio"
model = "m" # behind

# above runtime
[runtime]
policy = "adaptive" # the end
"""


def forked(work: Callable[[], None]) -> int:
    """Do `work` in a child process; return its pid."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """Wait for the end of a child process; return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def save_by_desk(path: Path, conflicts: Path) -> None:
    """Add entries and move others as the dashboard's editor does: on a conflict theirs is taken, and it is redone."""
    desk = FileDesk(path, environ=os.environ, now=lambda: 0.0)
    dice, lost = random.Random(SAVES), 0
    for number in range(SAVES):
        while True:
            draft = desk.read()
            count = len(desk.check(draft.text, None).entries)
            new = AddEntry(Entry("desk", f"desk-{number}", base_url=URL), dice.randint(1, count + 1))
            text = desk.change(draft.text, None, new)
            if number % 5 == 0:
                text = desk.change(text, None, MoveEntry(dice.randint(1, count + 1), dice.randint(1, count + 1)))
            try:
                desk.save(text, draft.digest)
            except ConflictError:
                lost += 1
            else:
                break
    conflicts.write_text(str(lost))


def add_by_command() -> None:
    """Add entries by the command line, each in a process of its own that need not import it."""
    for number in range(COMMANDS):
        child = forked(lambda number=number: main(["fallback", "add", f"command/command-{number}", "--base-url", URL]))  # type: ignore[misc]
        assert ended(child) == 0


def add_by_program() -> None:
    """Add entries by the program itself."""
    for number in range(PROGRAMS):
        added = ["fallback", "add", f"program/program-{number}", "--base-url", URL]
        subprocess.run([sys.executable, "-m", "hermes_tui", *added], check=True, stdout=subprocess.DEVNULL)


def read_all_the_time(path: Path, stop: Path) -> None:
    """Read until `stop` is there; fail where the file is missing, not whole, or of another mode."""
    os.nice(10)
    while not stop.exists():
        with path.open("rb") as stream:
            content, mode = stream.read(), os.fstat(stream.fileno()).st_mode
        tomllib.loads(content.decode())
        assert b'policy = "adaptive" # the end' in content
        assert mode & 0o777 == 0o640


def test_c113_two_hundred_edits_by_many_at_once_are_all_there(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    path, conflicts, stop = home / "hermes-tui.toml", tmp_path / "conflicts", tmp_path / "stop"
    path.write_text(TEXT)
    path.chmod(0o640)
    monkeypatch.setenv("HERMES_TUI_CONFIG", str(path))
    monkeypatch.setenv("HERMES_TUI_STATE", environment["HERMES_TUI_STATE"])
    reader = forked(lambda: read_all_the_time(path, stop))
    hands = [forked(work) for work in (lambda: save_by_desk(path, conflicts), add_by_command, add_by_program)]
    editor = subprocess.run([sys.executable, EDITOR, path, str(EDITS)], check=False, capture_output=True, text=True)
    assert (editor.returncode, editor.stderr) == (0, "")
    assert [ended(hand) for hand in hands] == [0, 0, 0]
    stop.touch()
    assert ended(reader) == 0

    text = path.read_text()
    chain = [f"{entry['provider']}/{entry['model']}" for entry in tomllib.loads(text)["fallback_providers"]]
    added = {"desk": SAVES, "command": COMMANDS, "program": PROGRAMS}
    expected = [f"{name}/{name}-{number}" for name, count in added.items() for number in range(count)]
    assert sorted(chain) == sorted([*expected, "lmstudio/m"])
    assert sorted(re.findall(r"# edit \d+", text)) == sorted(f"# edit {number}" for number in range(EDITS))
    for comment in re.findall(r"#.*", TEXT):
        assert text.count(comment) == 1
    assert int(conflicts.read_text()) > 0
    assert path.stat().st_mode & 0o777 == 0o640
    tomllib.loads((home / "hermes-tui.toml.bak").read_text())
    assert sorted(each.name for each in home.iterdir()) == ["hermes-tui.toml", "hermes-tui.toml.bak"]
