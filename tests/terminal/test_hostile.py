"""Text from outside reaches the terminal as text, in whatever place it stands (C132, C133, C142)."""

import base64
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.core.text import plain
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


def straight(screen: Terminal, title: str = "") -> None:
    """Wait until the sides of all boxes are straight, or those of the box with `title`."""
    screen.until(lambda _: count(screen.cells) > 0 and crooked(screen.cells, title) == [], "straight sides")


def paste(screen: Terminal, text: str) -> None:
    screen.press(f"\x1b[200~{text}\x1b[201~")


def escape(screen: Terminal, gone: str) -> None:
    """Press esc and wait until `gone` is: with what follows at once it would be another key."""
    screen.press("\x1b")
    screen.until(lambda text: gone not in text, f"no {gone}")


def select(screen: Terminal, session: int) -> None:
    screen.press("1g" + "j" * session)
    screen.shows(f"› {plain(hostile.NAMES[session])[:4]}")


def turn(screen: Terminal, session: int) -> None:
    """Give a session, by its number, a prompt."""
    select(screen, session)
    screen.press("i")
    screen.shows("Prompt")
    screen.press("Go [/] on.\r")
    screen.shows("Sent to")
    screen.leave_prompt()
    screen.until(lambda text: "┏━ Prompt" not in text, "the box is left")
    screen.settled()


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
            straight(screen)
    unharmed(screen)


def test_c142_columns_stand_under_their_heads_whatever_the_name_before_them(evil: Terminal) -> None:
    for moves, marked in (("g", "› 0 [/]"), ("G", "› 25 xx")):
        evil.press(f"1{moves}")
        evil.shows(marked)
        evil.until(lambda _: set(turns(evil.cells)) == {"IDLE"} and len(turns(evil.cells)) > 3, "a straight column")


def turns(cells: list[list[str]]) -> list[str]:
    """Return what stands below the head `turn` in the rows of sessions."""
    head = next((row for row in cells if "session  " in "".join(row)), [])
    at = next((at for at in range(len(head)) if "".join(head[at : at + 4]) == "turn"), 0)
    return ["".join(row[at : at + 4]) for row in cells if "on primary" in "".join(row)]


def test_c132_c133_a_reply_is_shown_as_it_stands_while_it_streams_and_when_it_is_kept(
    evil: Terminal, provider: Provider
) -> None:
    turn(evil, 1)
    evil.press("5z")
    evil.until(lambda text: "語語語" in text, "the reply streams")
    straight(evil)
    provider.held.set()
    evil.shows("lines")
    kept = pages(evil)
    for shown in ("[@click=app.quit]x", "␛[2Jwiped", "be␇ll", "10%␍20%␍30%", "�olleh", "日", "DE flag", "two"):
        assert shown in kept


def test_c133_what_a_provider_refuses_with_is_shown_in_events_and_details(evil: Terminal) -> None:
    turn(evil, 0)
    evil.shows("CHAIN EXHAUSTED")
    evil.press("6g\r")
    evil.shows("┏━ Event")
    straight(evil, "┏━ Event")
    escape(evil, "┏━ Event")
    evil.press("4g\r")
    evil.shows("┏━ openai-codex/codex [/]", "␛]0;owned␇")
    straight(evil, "┏━ openai-codex/codex")


def test_c133_the_names_of_a_usage_endpoint_are_shown_as_they_stand(evil: Terminal) -> None:
    evil.press("4gp")
    evil.shows("quota 4:5")
    evil.press("\r")
    evil.shows("┏━ openai-codex/codex [/]")
    straight(evil, "┏━ openai-codex/codex")


def test_c133_a_paste_presses_no_key_and_is_kept_as_it_stands(evil: Terminal, provider: Provider) -> None:
    select(evil, 1)
    evil.press("i")
    evil.shows("Prompt 1 [")
    paste(evil, "[/] \x1b[2Jwiped \x1b:\x9b31m \u202eolleh \x1b[<0;3;3M [@click=app.quit]x")
    evil.shows("[/] ␛[2Jwiped ␛:�31m �olleh ␛[<0;3;3M [@click=app.quit]x")
    straight(evil)
    evil.press("\r")
    evil.shows("turn 1: [/] ␛[2Jwiped ␛:�31m")
    provider.held.set()


def test_c132_a_new_session_may_be_called_anything(evil: Terminal) -> None:
    evil.press("n")
    evil.shows("┏━ New session")
    paste(evil, "new [/][@click=app.quit]x\x1b[2J")
    evil.shows("x␛[2J")
    evil.press("\x13")
    evil.shows("session new [/][@click=app.quit]x␛[2J was made")


def test_c132_what_is_typed_into_the_palette_and_a_filter_is_text(evil: Terminal) -> None:
    evil.press(":")
    evil.shows("━ Commands")
    evil.press("[/] [@click=app.quit]x [link=x \\[")
    evil.shows("[@click=app.quit]x [link=x \\[")
    evil.press("\x1b")
    evil.until(lambda text: "━ Commands" not in text, "no palette")
    evil.press("1/")
    evil.shows("Filter")
    evil.press("[/]zzz")
    evil.shows('No session matches "[/]zzz"')
    escape(evil, "Filter sessions")


def test_c132_a_question_names_its_object_as_it_stands(evil: Terminal) -> None:
    select(evil, 0)
    evil.press("f")
    evil.shows("┏━ Confirm", "0 [/]")
    straight(evil, "┏━ Confirm")


def test_c133_a_row_is_copied_without_codes(evil: Terminal) -> None:
    select(evil, 8)
    evil.press("y")
    evil.shows("Copied")
    (copied,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", evil.written)
    text = base64.b64decode(copied).decode()
    assert text.startswith("8 ␛]0;owned␇")
    assert text.isprintable()


def test_c133_the_editor_draws_codes_as_pictures_and_quotes_them_so(evil: Terminal) -> None:
    evil.press("e")
    evil.shows("[[fallback_providers]]", "Check")
    straight(evil)
    paste(evil, f"{TEXT[:600]}\n")
    evil.shows("this is not TOML", "(changed)")
    straight(evil)
    evil.press("\x13")
    evil.press("\x1b")
    evil.shows("Close without saving?")


def test_c133_two_edits_that_contradict_are_shown_as_they_stand(evil: Terminal, files: dict[str, str]) -> None:
    path = Path(files["HERMES_TUI_CONFIG"])
    evil.press("e")
    evil.shows("4 entries")
    evil.press("# mine [/]\r")
    evil.shows("(changed)", "can be saved")
    path.write_text("# theirs [/] \u202e [@click=app.quit]x\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    evil.press("\x13")
    evil.shows("theirs [/] � [@click=app.quit]x")


def test_c133_a_file_that_becomes_wrong_is_told_as_it_stands(evil: Terminal, files: dict[str, str]) -> None:
    path = Path(files["HERMES_TUI_CONFIG"])
    path.write_text(
        f'{path.read_text(encoding="utf-8")}[keys]\n"[/]\\u202e\\u009b[@click=app.quit]" = 3\n', encoding="utf-8"
    )
    evil.shows("[/]��[@click=app.quit]")
    straight(evil)


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
        assert set(strangers(screen.written)) <= {"\t"}, command
        assert KEY.encode() not in screen.written


def test_c133_status_that_is_watched_holds_no_code_of_anybody(
    terminal: Open, provider: Provider, files: dict[str, str]
) -> None:
    watch = terminal(100, 300, "status", "--watch", environment=files)
    watch.shows("waiting for one")
    played = terminal(80, 24, "run", "--session", hostile.NAMES[0], "--prompt", TEXT, environment=files)
    played.ends()
    watch.until(lambda text: "0 [/]" in text and "chain exhausted" in text.casefold(), "the end of the turn")
    watch.kill(signal.SIGTERM)
    assert watch.ends() == 0
    assert strangers(watch.written) == []


def pages(screen: Terminal) -> str:
    """Return what a panel shows from its begin to its end."""
    screen.press("g")
    seen = [screen.settled()]
    for _ in range(8):
        screen.press("\x1b[6~")
        seen.append(screen.settled())
    return "\n".join(seen)
