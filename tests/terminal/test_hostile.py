"""Text from outside reaches the terminal as text, in whatever place it stands (C132, C133, C142)."""

import base64
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import hostile
from tests.terminal.boxes import count, crooked
from tests.terminal.codes import strangers
from tests.terminal.conftest import Open, Terminal
from tests.terminal.hostile import KEY, TEXT, Provider

SIZES = pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24), (60, 20)])


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    yield server
    server.close()


@pytest.fixture
def files(provider: Provider, tmp_path: Path) -> dict[str, str]:
    """A hostile configuration under a hostile name, and where the state is."""
    path = hostile.write(tmp_path, provider.url)
    return {"HERMES_TUI_CONFIG": str(path), "HERMES_TUI_STATE": str(tmp_path / "st\x1b[2Jate")}


@pytest.fixture
def evil(terminal: Open, files: dict[str, str]) -> Iterator[Terminal]:
    """The dashboard with everything hostile; it lives, and nothing of it has reached the terminal as a code."""
    screen = terminal(120, 40, environment=files)
    screen.shows("0 [/]", "Help", "newest first")
    yield screen
    unharmed(screen)


def unharmed(screen: Terminal) -> None:
    """Leave, and assert that what was written holds no stranger's code and no key."""
    screen.kill(signal.SIGTERM)
    assert screen.ends() == 0
    assert strangers(screen.written) == []
    assert KEY.encode() not in screen.written


def paste(screen: Terminal, text: str) -> None:
    screen.press(f"\x1b[200~{text}\x1b[201~")


def escape(screen: Terminal) -> None:
    """Press esc and wait until it was taken: with what follows at once it would be another key."""
    screen.press("\x1b")
    screen.settled()


def turn(screen: Terminal, session: int) -> None:
    """Select a session by its number and give it a prompt."""
    screen.press("1g" + "j" * session)
    screen.shows(f"› {hostile.NAMES[session][:4]}")
    screen.press("i")
    screen.shows("Prompt")
    screen.press("Go [/] on.\r")
    screen.shows("Sent to")


@SIZES
def test_c142_sides_of_boxes_are_straight_around_every_name(
    terminal: Open, files: dict[str, str], columns: int, rows: int
) -> None:
    screen = terminal(columns, rows, environment=files)
    screen.shows("0 [/]", "Help")
    for panel in "123456":
        screen.press(panel)
        for move in ("G", "g"):
            screen.press(move)
            screen.settled()
            assert count(screen.cells) > 0
            assert crooked(screen.cells) == []
    unharmed(screen)


def test_c142_columns_stand_under_their_heads_whatever_the_name_before_them(evil: Terminal) -> None:
    evil.press("1")
    for moves in ("g", "G"):
        evil.press(moves)
        evil.settled()
        at = next("".join(row).index("turn ") for row in evil.cells if "session  " in "".join(row))
        states = [row[at : at + 4] for row in evil.cells[3:10]]
        assert states == [list("IDLE")] * len(states)


def test_c132_c133_a_reply_is_shown_as_it_stands_while_it_streams_and_when_it_is_kept(
    evil: Terminal, provider: Provider
) -> None:
    turn(evil, 1)
    evil.press("5z")
    evil.until(lambda text: "語語語" in text, "the reply streams")
    evil.settled()
    assert crooked(evil.cells) == []
    provider.held.set()
    evil.shows("lines")
    kept = pages(evil)
    for shown in ("[@click=app.quit]x", "␛[2Jwiped", "be␇ll", "10%␍20%␍30%", "�olleh", "日", "DE flag", "two"):
        assert shown in kept


def test_c133_what_a_provider_refuses_with_is_shown_in_events_and_details(evil: Terminal) -> None:
    turn(evil, 0)
    evil.shows("CHAIN EXHAUSTED")
    evil.press("6")
    evil.settled()
    evil.press("\r")
    evil.shows("Event")
    evil.settled()
    assert crooked(evil.cells, "Event") == []
    escape(evil)
    evil.press("4")
    evil.press("\r")
    evil.settled()
    assert "␛]0;owned␇" in evil.text
    escape(evil)


def test_c133_the_names_of_a_usage_endpoint_are_shown_as_they_stand(evil: Terminal) -> None:
    evil.press("4p")
    evil.shows("quota")
    evil.press("\r")
    evil.shows("┏━ openai-codex/codex [/]")
    evil.settled()
    assert crooked(evil.cells, "┏━ openai-codex/codex") == []
    escape(evil)


def test_c133_a_paste_presses_no_key_and_is_kept_as_it_stands(evil: Terminal, provider: Provider) -> None:
    evil.press("1gj")
    evil.press("i")
    evil.shows("Prompt 1 [")
    paste(evil, "[/] \x1b[2Jwiped \x1b:\x9b31m \u202eolleh \x1b[<0;3;3M [@click=app.quit]x")
    evil.shows("[/] ␛[2Jwiped ␛:�31m �olleh ␛[<0;3;3M [@click=app.quit]x")
    assert crooked(evil.cells) == []
    evil.press("\r")
    evil.shows("you       [/] ␛[2Jwiped")
    provider.held.set()


def test_c132_a_new_session_may_be_called_anything(evil: Terminal) -> None:
    evil.press("n")
    evil.shows("New session")
    paste(evil, "new [/][@click=app.quit]x\x1b[2J")
    evil.press("\r")
    evil.settled()
    evil.press("\r")
    evil.shows("new [/][@click=app.quit]x␛[2J is there")


def test_c132_what_is_typed_into_the_palette_and_a_filter_is_text(evil: Terminal) -> None:
    evil.press(":")
    evil.shows("Search")
    evil.press("[/] [@click=app.quit]x [link=x \\[")
    evil.settled()
    escape(evil)
    evil.press("1/")
    evil.shows("Filter")
    evil.press("[/")
    evil.settled()
    evil.press("zzz")
    evil.shows("No session matches")
    escape(evil)


def test_c132_a_question_names_its_object_as_it_stands(evil: Terminal) -> None:
    evil.press("1gf")
    evil.shows("Confirm", "0 [/]")
    assert crooked(evil.cells, "Confirm") == []
    escape(evil)


def test_c133_a_row_is_copied_without_codes(evil: Terminal) -> None:
    evil.press("1g" + "j" * 8 + "y")
    evil.shows("Copied")
    (copied,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", evil.written)
    text = base64.b64decode(copied).decode()
    assert text.startswith("8 ␛]0;owned␇")
    assert text.isprintable()


def test_c133_the_editor_draws_codes_as_pictures_and_quotes_them_so(evil: Terminal) -> None:
    evil.press("e")
    evil.shows("[[fallback_providers]]", "Check")
    evil.settled()
    assert crooked(evil.cells) == []
    paste(evil, f"{TEXT[:600]}\n")
    evil.shows("this is not TOML")
    evil.settled()
    assert crooked(evil.cells) == []
    evil.press("\x13")
    evil.settled()
    escape(evil)
    evil.shows("Close without saving?")
    evil.press("y")
    evil.shows("1 Sessions")


def test_c132_the_rows_and_the_form_of_an_entry_hold_names_as_they_stand(evil: Terminal) -> None:
    evil.press("e")
    evil.shows("4 entries")
    evil.press("\t")
    evil.press("\r")
    evil.shows("context_length", "evil [/]")
    evil.settled()
    assert crooked(evil.cells, "Entry") == []
    paste(evil, TEXT)
    evil.settled()
    escape(evil)
    evil.settled()
    escape(evil)
    evil.shows("1 Sessions")


def test_c133_two_edits_that_contradict_are_shown_as_they_stand(evil: Terminal, files: dict[str, str]) -> None:
    path = Path(files["HERMES_TUI_CONFIG"])
    evil.press("e")
    evil.shows("4 entries")
    evil.press("# mine [/] ")
    evil.shows("(changed)")
    path.write_text("# theirs [/] \u202e [@click=app.quit]x\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    evil.press("\x13")
    evil.shows("theirs [/] � [@click=app.quit]x")
    evil.settled()
    escape(evil)
    evil.settled()
    escape(evil)
    evil.shows("Close without saving?")
    evil.press("y")
    evil.shows("1 Sessions")


def test_c133_a_file_that_becomes_wrong_is_told_as_it_stands(evil: Terminal, files: dict[str, str]) -> None:
    path = Path(files["HERMES_TUI_CONFIG"])
    path.write_text('[runtime]\npolicy = "[/] \\u009b31m \\u202e [@click=app.quit]x"\n', encoding="utf-8")
    evil.until(lambda text: "line 2" in text or "x line" in text, "the file is wrong")
    evil.press("6")
    evil.settled()
    assert crooked(evil.cells) == []


COMMANDS = (
    ("run", "--session", hostile.NAMES[0], "--prompt", TEXT),
    ("run", "--session", hostile.NAMES[1], "--prompt", TEXT),
    ("run", "--session", TEXT, "--prompt", "x"),
    *(("status",), ("why",), ("why", TEXT), ("check",), ("auth", "list"), ("fallback", "list")),
    *(("--config", TEXT, "check"), (TEXT,)),
)


def test_c133_lines_of_commands_hold_no_code_of_anybody(
    terminal: Open, provider: Provider, files: dict[str, str]
) -> None:
    provider.held.set()
    for command in COMMANDS:
        screen = terminal(80, 24, *command, environment=files)
        screen.ends()
        assert screen.written
        assert strangers(screen.written) == [], command
        assert KEY.encode() not in screen.written


def test_c133_status_that_is_watched_holds_no_code_of_anybody(
    terminal: Open, provider: Provider, files: dict[str, str]
) -> None:
    watch = terminal(100, 24, "status", "--watch", environment=files)
    played = terminal(80, 24, "run", "--session", hostile.NAMES[0], "--prompt", TEXT, environment=files)
    played.ends()
    watch.shows("0 [/]", "failed")
    watch.kill(signal.SIGTERM)
    assert watch.ends() == 0
    assert strangers(watch.written) == []


def pages(screen: Terminal) -> str:
    """Return what a panel shows from its begin to its end."""
    screen.press("g")
    seen = [screen.settled()]
    for _ in range(3):
        screen.press("\x1b[6~")
        seen.append(screen.settled())
    return "\n".join(seen)
