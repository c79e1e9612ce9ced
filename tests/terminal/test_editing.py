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
    screen.shows("New entry", "context_length")
    screen.press("backup\rmedium")
    screen.press(CTRL_S)
    screen.shows("2 entries", "If saved:", "nightly-docs", "with 2 entries")
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
    screen.press("\x1b")
    screen.until(lambda text: "Prompt nightly-docs" not in text, "the prompt box closed")
    screen.press("m")
    screen.shows("Switch nightly-docs to provider/model")
    screen.press("backup/medium\r")
    screen.until(
        lambda text: "backup/medium is the primary now" in " ".join(text.split()) or "backup/medium" in text, "switch"
    )
    assert screen.leave() == 0
