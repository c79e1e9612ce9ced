"""The chain edited by hand in a real terminal: a mistake, its correction, a new entry, and what becomes of it."""

import pytest

from tests.terminal.conftest import Open

CTRL_S = "\x13"
SIZES = pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])


@SIZES
def test_a_mistake_is_shown_while_it_is_typed_and_nothing_is_saved_before_it_is_corrected(
    terminal: Open, columns: int, rows: int
) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "30")
    screen.shows("nightly-docs")
    screen.press("e")
    screen.shows("[[fallback_providers]]", "The file is in force as it is")
    screen.press("x")
    screen.shows("(changed)", "this is not TOML", "1 error", "first)")
    screen.press(CTRL_S)
    screen.shows("This is not TOML")
    screen.press("\x7f")
    screen.shows("The file is in force as it is", "can be saved")
    screen.press("\x1b")
    screen.shows("Help", "Commands")
    assert screen.leave() == 0


@SIZES
def test_an_entry_is_added_saved_and_taken(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "30")
    screen.shows("nightly-docs")
    screen.press("e")
    screen.shows("The file is in force as it is")
    screen.press("\t")
    screen.press("a")
    screen.shows("New entry", "base_url")
    screen.press("backup\rmedium")
    screen.press(CTRL_S)
    screen.shows("2 entries", "If saved:", "nightly-docs", "stays on its primary", "+backup/medium")
    screen.press("J")
    screen.press(CTRL_S)
    screen.shows("Saved and in force", "Help")
    screen.press("3" if rows < 34 else "2")
    screen.shows("2 backup")
    assert screen.leave() == 0


@SIZES
def test_the_chain_is_reset_by_a_key_once_the_session_has_left_its_primary(
    terminal: Open, columns: int, rows: int
) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "90")
    screen.shows("WAITING FOR RESET")
    screen.press("r")
    screen.shows("next failure starts at")
    assert screen.leave() == 0


@SIZES
def test_the_model_is_switched_in_the_prompt(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "30")
    screen.shows("nightly-docs")
    screen.press("i")
    screen.shows("Prompt nightly-docs")
    screen.press("/model nowhere/gpt\r")
    screen.shows("Provider nowhere is not configured")
    screen.leave_prompt()
    screen.press("m")
    screen.shows("Switch nightly-docs to provider/model")
    screen.press("backup/medium\r")
    screen.until(
        lambda text: "backup/medium is the primary now" in " ".join(text.split()) or "backup/medium" in text, "switch"
    )
    assert screen.leave() == 0


def mouse(button: int, x: int, y: int, end: str = "M") -> str:
    """Return what a terminal sends for a mouse at a cell, counted from 0; `m` ends a press."""
    return f"\x1b[<{button};{x + 1};{y + 1}{end}"


def click(x: int, y: int) -> str:
    """Return a click of the left button."""
    return mouse(0, x, y) + mouse(0, x, y, "m")


@SIZES
def test_an_entry_is_added_dragged_and_saved_with_the_mouse_alone(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "30")
    screen.shows("nightly-docs")
    screen.press("e")
    screen.shows("The file is in force as it is", "1 entry")
    screen.press(click(*screen.place("Add")))
    screen.shows("New entry", "in the file")
    screen.press(click(*screen.place("backup  ")))
    screen.shows("small  in the file")
    screen.press(click(*screen.place("leave it")))
    screen.until(lambda text: "New entry" not in text, "the form closes")
    screen.press(click(*screen.place("Whose")))
    screen.shows("Whose chain")
    screen.press("\x1b")
    screen.press(click(*screen.place("Add")))
    screen.shows("New entry")
    screen.press("backup\rmedium")
    screen.press(click(*screen.place("put it into")))
    screen.shows("2 entries", "2 backup/medium")
    x, y = screen.place("1 backup/")
    below = screen.place("2 backup/")[1]
    screen.press(mouse(0, x, y) + mouse(32, x, below))
    screen.shows("to place 2")
    screen.press(mouse(0, x, below, "m"))
    screen.shows("1 backup/medium")
    screen.press(click(*screen.place("Test")))
    screen.shows("CAN SERVE")
    screen.press(click(*screen.place("Save")))
    screen.shows("Help", "Commands")
    screen.press("3" if rows < 34 else "2")
    screen.shows("1 backup/medium")
    assert screen.leave() == 0


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24), (48, 14)])
def test_the_chain_is_tested_turned_and_explained_with_the_keys_alone(terminal: Open, columns: int, rows: int) -> None:
    screen = terminal(columns, rows, "demo", "--speed", "30")
    screen.shows("nightly-docs")
    screen.press("e")
    screen.shows("[[fallback_providers]]")
    screen.press("\x1bOQ")
    screen.shows("What it means", "Where a session goes")
    screen.press("\x1b")
    screen.until(lambda text: "What it means" not in text, "the explanation closes")
    screen.press("\t")
    screen.shows("Chain of the file")
    screen.press("t")
    screen.shows("CAN SERVE")
    screen.press("d")
    screen.shows("0 entries")
    screen.press("u")
    screen.shows("1 entry")
    screen.press("?")
    screen.shows("Asks for a new entry")
    screen.press("\x1b")
    screen.until(lambda text: "Asks for a new" not in text, "the help closes")
    screen.press("o")
    screen.shows("Whose chain")
    screen.press("j\r")
    screen.shows("Chain of nightly-docs, its own")
    screen.press("\x1b")
    screen.shows("Close without saving")
    screen.press("y")
    screen.until(lambda text: "its own" not in text, "the editor closes")
    assert screen.leave() == 0
