"""The chain editor by the mouse alone: rows are dragged, clicked and opened, and every action is a button."""

from pathlib import Path

import pytest
from textual.geometry import Offset

from hermes_tui.tui.editor.panels import EntriesPanel
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.entry_form import EntryForm
from hermes_tui.view.edits import EDITS
from tests.tui.driving import everything, main, settle, shown
from tests.tui.editing import FILE, Editor, editing

MANY = FILE.replace(
    "# the good one\n",
    "".join(f'[[fallback_providers]]\nprovider = "groq"\nmodel = "m{number:02}"\n\n' for number in range(12)),
)
SIZES = pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])


def place(editor: Editor, text: str, widget: str = "#entries") -> Offset:
    """Return where the first line with `text` stands in a widget, borders included."""
    found, lines = editor.app.screen.query_one(widget), shown(editor.app)
    region = found.region
    for y in range(region.y, region.bottom):
        at = lines[y][region.x : region.right].find(text)
        if at >= 0:
            return Offset(at, y - region.y)
    raise AssertionError(f"{text} is not there:\n{everything(editor.app)}")


async def click(editor: Editor, text: str, widget: str = "#entries", times: int = 1) -> None:
    """Click on a text of a widget."""
    await editor.pilot.click(widget, offset=place(editor, text, widget), times=times)
    await settle(editor.pilot)


async def press_button(editor: Editor, label: str) -> None:
    await click(editor, label, "#editor-keys")


async def drag(editor: Editor, text: str, *way: Offset, let_go: bool = True) -> None:
    """Take the row with `text` along a way of places in the rows' widget, and let it go at the last."""
    pilot = editor.pilot
    await pilot.mouse_down("#entries", offset=place(editor, text))
    for offset in way:
        await pilot.hover("#entries", offset=offset)
    if let_go:
        await pilot.mouse_up("#entries", offset=way[-1])
        await settle(pilot)


def order(editor: Editor) -> list[str]:
    return [entry.model for entry in editor.screen.editing.checked.entries]


@SIZES
async def test_a_row_is_dragged_to_another_place_and_the_text_follows(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await drag(editor, "1 groq", place(editor, "2 zai"))
        assert order(editor) == ["glm-5", "llama"]
        assert editor.text.index('"glm-5"') < editor.text.index('"llama"')
        assert "# the cheap one" in editor.text
        assert editor.rows.key == 2
        assert editor.screen.editing.checked.entry_at(editor.area.line) == 2
        await press_button(editor, "Undo")
        assert editor.text == FILE


async def test_the_row_follows_the_mouse_with_a_mark_where_it_will_land(path: Path) -> None:
    async with editing(path) as editor:
        await drag(editor, "1 groq", place(editor, "2 zai"), let_go=False)
        await editor.shows("1 zai/glm-5", "› groq/llama", "to place 2")
        assert editor.text == FILE
        await editor.pilot.hover("#entries", offset=place(editor, "0 openai"))
        await editor.shows("› groq/llama", "2 zai/glm-5", "nothing moves")


@pytest.mark.parametrize("outside", [Offset(-20, 3), Offset(5, 30), Offset(5, 0)])
async def test_a_row_that_is_let_go_outside_stays_where_it_was(path: Path, outside: Offset) -> None:
    async with editing(path) as editor:
        await drag(editor, "1 groq", place(editor, "2 zai"), outside, let_go=False)
        await editor.shows("nothing moves", "2 zai/glm-5")
        await editor.pilot.mouse_up("#entries", offset=outside)
        await settle(editor.pilot)
        assert editor.text == FILE
        await editor.shows("1 groq/llama", "2 entries")
        await editor.press("a")
        assert isinstance(editor.app.screen, EntryForm)


async def test_escape_lets_a_row_go_and_closes_nothing(path: Path) -> None:
    async with editing(path) as editor:
        await drag(editor, "1 groq", place(editor, "2 zai"), let_go=False)
        await editor.press("escape")
        await editor.shows("1 groq/llama", "2 entries")
        await editor.pilot.mouse_up("#entries", offset=place(editor, "2 zai"))
        assert editor.text == FILE
        assert editor.app.screen is editor.screen


async def test_a_row_is_dragged_to_a_place_that_is_out_of_sight(path: Path) -> None:
    path.write_text(MANY, encoding="utf-8")
    async with editing(path, size=(80, 24)) as editor:
        height = editor.rows.size.height
        bottom = Offset(4, height)  # below the border above
        await drag(editor, "1 groq/llama", *[bottom + Offset(step % 2, 0) for step in range(20)])
        assert order(editor)[-1] == "llama"
        assert len(order(editor)) == 14


async def test_a_click_selects_and_the_text_goes_along(path: Path) -> None:
    async with editing(path) as editor:
        await click(editor, "2 zai")
        assert editor.rows.key == 2
        assert editor.area.line == 12
        assert editor.text == FILE
        assert editor.app.screen is editor.screen


async def test_a_double_click_opens(path: Path) -> None:
    async with editing(path) as editor:
        await click(editor, "2 zai", times=2)
        assert isinstance(editor.app.screen, EntryForm)
        assert editor.app.screen.field("model").value == "glm-5"


async def test_every_action_is_a_button(path: Path) -> None:
    async with editing(path) as editor:
        acts = {part.act for line in editor.screen._keys.lines for part in line}
        assert {edit.id for edit in EDITS if edit.button} <= acts


@SIZES
async def test_an_entry_is_added_changed_moved_and_removed_by_the_mouse_alone(
    path: Path, size: tuple[int, int]
) -> None:
    async with editing(path, size=size) as editor:
        await press_button(editor, "Add")
        await click(editor, "groq", "#provider-offers")
        await click(editor, "llama", "#model-offers")
        await click(editor, "put it into", "#form-keys")
        assert order(editor) == ["llama", "llama", "glm-5"]
        await press_button(editor, "Down")
        assert order(editor) == ["llama", "glm-5", "llama"]
        await press_button(editor, "Remove")
        await press_button(editor, "Undo")
        await press_button(editor, "Undo")
        await press_button(editor, "Undo")
        assert editor.text == FILE
        await click(editor, "2 zai")
        await press_button(editor, "Edit")
        await editor.shows("Entry 2")
        await click(editor, "leave it", "#form-keys")
        await press_button(editor, "Up")
        await press_button(editor, "Save")
        assert editor.app.screen is main(editor.app)
        assert path.read_text(encoding="utf-8").index('"zai"') < path.read_text(encoding="utf-8").index('"groq"')


async def test_the_buttons_for_closing_testing_and_help_work(path: Path) -> None:
    async with editing(path) as editor:
        await press_button(editor, "Test")
        await editor.shows("ASKING")
        await press_button(editor, "Help")
        await editor.shows("With the mouse", "double click")
        await editor.press("escape")
        await press_button(editor, "Remove")
        await press_button(editor, "Close")
        assert isinstance(editor.app.screen, ConfirmScreen)


async def test_a_click_on_a_finding_goes_to_its_line(path: Path) -> None:
    async with editing(path) as editor:
        await click(editor, "line 9", "#check")
        assert editor.area.has_focus
        assert editor.area.line == 9


async def test_the_parts_are_tabs_where_there_is_room_for_one(path: Path) -> None:
    async with editing(path, size=(48, 14)) as editor:
        assert not editor.rows.display
        await click(editor, "Rows", "#editor-keys")
        assert (editor.rows.has_focus, editor.area.display) == (True, False)
        await drag(editor, "1 groq", place(editor, "2 zai"))
        assert order(editor) == ["glm-5", "llama"]
        await click(editor, "Check", "#editor-keys")
        await editor.shows("If saved:")
        assert not editor.app.screen.query_one(EntriesPanel).display


async def test_a_page_is_left_by_a_click_outside(path: Path) -> None:
    async with editing(path) as editor:
        await press_button(editor, "Help")
        await editor.pilot.click(offset=(1, 1))
        await settle(editor.pilot)
        assert editor.app.screen is editor.screen
        await press_button(editor, "Whose")
        await click(editor, "triage", "#page", times=2)
        await editor.shows("Chain of triage, its own")


async def test_a_conflict_is_decided_by_a_click(path: Path) -> None:
    async with editing(path) as editor:
        theirs = FILE.replace("# Mine, and commented.", "# Theirs.")
        await press_button(editor, "Remove")
        path.write_text(theirs, encoding="utf-8")
        await press_button(editor, "Save")
        await editor.shows("Changed elsewhere")
        await click(editor, "takes theirs", "#choices")
        assert editor.text == theirs
