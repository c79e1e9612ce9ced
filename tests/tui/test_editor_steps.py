"""Text and rows in step: undo and redo, the marks that follow each other, whose chain it is, and what a line means."""

from pathlib import Path

import pytest

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.line import text_of
from tests.tui.driving import everything, settle, toasts
from tests.tui.editing import FILE, editing

SIZES = pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])


@pytest.mark.parametrize(("undo", "redo"), [("u", "U"), ("ctrl+z", "ctrl+y")])
async def test_changes_of_rows_and_text_are_taken_back_and_made_again_one_by_one(
    path: Path, undo: str, redo: str
) -> None:
    async with editing(path) as editor:
        texts = [editor.text]
        for keys in (["tab", "J"], ["K"], ["d"], ["shift+tab", "#"], ["tab", "a", *"zai", "enter", *"m", "ctrl+s"]):
            await editor.press(*keys)
            texts.append(editor.text)
        assert len(set(texts)) == 5  # moved there and back
        for text in reversed(texts[:-1]):
            await editor.press(undo)
            assert editor.text == text
        for text in texts[1:]:
            await editor.press(redo)
            assert editor.text == text
        await editor.press(redo)
        assert editor.text == texts[-1]


async def test_within_the_text_the_same_keys_work(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("alt+down")
        assert editor.text.index('"zai"') < editor.text.index('"groq"')
        assert editor.area.has_focus
        assert editor.screen.editing.checked.entry_at(editor.area.line) == editor.rows.key == 2
        await editor.press("ctrl+z")
        assert editor.text == FILE
        await editor.press("ctrl+y", "alt+up")
        assert editor.text == FILE


async def test_the_mark_of_the_rows_goes_with_the_texts_cursor_and_the_other_way_round(path: Path) -> None:
    async with editing(path) as editor:
        assert (editor.rows.key, editor.area.line) == (1, 6)
        await editor.press(*["down"] * 7)
        assert editor.rows.key == 2
        await editor.press("tab", "k")
        assert (editor.rows.key, editor.area.line) == (1, 6)
        await editor.press("j")
        assert (editor.rows.key, editor.area.line) == (2, 12)


async def test_typing_above_a_row_keeps_both_marks_on_its_entry(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "j", "shift+tab")
        editor.area.insert("# one more line\n", (0, 0))
        await settle(editor.pilot)
        await editor.shows("(changed)")
        await editor.press("tab", "k", "j")
        assert (editor.rows.key, editor.area.line) == (2, 13)


INLINE = """\
fallback_providers = [
  { provider = "groq", model = "a" },  # first
  { provider = "groq", model = "b" },
]
[primary]
provider = "ollama"
model = "m"
[fallback_model]
provider = "zai"
model = "old"
"""


async def test_inline_lists_and_the_legacy_entry_are_rows_like_others(path: Path) -> None:
    path.write_text(INLINE, encoding="utf-8")
    async with editing(path) as editor:
        await editor.shows("1 groq/a", "2 groq/b", "3 zai/old", "3 entries")
        await editor.press("tab", "j", "j")
        assert editor.area.line == 8
        await editor.press("K")
        await editor.shows("2 zai/old", "3 groq/b")
        assert editor.rows.key == 2
        assert "fallback_model" not in editor.text
        assert "# first" in editor.text
        await editor.press("u")
        assert editor.text == INLINE


@SIZES
async def test_whose_chain_is_edited_is_chosen_in_sight(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("tab")
        await editor.shows("Chain of the file", "[the file]", "triage")
        await editor.press("o")
        await editor.shows("Whose chain", "nightly-docs", "triage")
        await editor.press("j", "j", "enter")
        await editor.shows("Chain of triage, its own", "[triage]", "1 entry")
        assert editor.area.line == 23
        await editor.press("a", *"groq", "enter", *"own", "ctrl+s")
        assert editor.text.startswith(FILE)
        await editor.press("o", "k", "k", "enter")
        await editor.shows("Chain of the file", "2 entries")


async def test_a_session_gets_a_chain_of_its_own_and_undo_takes_it_back(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "o", "j", "enter")
        await editor.shows("Chain of nightly-docs, its own", "2 entries")
        assert "nightly-docs has a chain of its own now" in toasts(editor.app)[-1]
        assert editor.text.count("[[sessions.fallback_providers]]") == 3
        await editor.press("d")
        await editor.shows("1 entry")
        assert editor.text.count("[[fallback_providers]]") == 2
        await editor.press("u", "u")
        assert editor.text == FILE
        await editor.shows("Chain of the file", "2 entries")


async def test_the_owner_is_chosen_with_the_mouse(path: Path) -> None:
    async with editing(path) as editor:
        at = next(line for line in editor.rows.lines if any(part.act == "owner:triage" for part in line))
        before = 0
        for part in at:
            if part.act == "owner:triage":
                break
            before += len(part.text)
        await editor.pilot.click("#entries", offset=(before + 2, 1))
        await editor.shows("Chain of triage, its own")


@pytest.mark.parametrize("size", [(120, 40), (48, 14)])
async def test_c114_a_chain_that_is_text_is_mended_by_one_key(path: Path, size: tuple[int, int]) -> None:
    wrong = FILE.split("[[fallback_providers]]")[0] + "\n" + FILE[FILE.index("[[sessions]]") :]
    wrong = 'fallback_providers = \'[{"provider": "groq", "model": "llama"}]\'\n' + wrong
    path.write_text(wrong, encoding="utf-8")
    async with editing(path, size=size) as editor:
        if size[1] > 20:
            await editor.shows("is text, so the", "f3 mends it", "fix line 1 first")
        await editor.press("f3")
        assert editor.text.startswith('fallback_providers = [\n  { provider = "groq", model = "llama" },\n]\n')
        await editor.press("tab")
        await editor.shows("1 groq/llama", "1 entry")
        await editor.press("u")
        assert editor.text == wrong
        await editor.press("f3", "f3")
        assert "Nothing here can be corrected without you" in toasts(editor.app)[-1]


async def test_c110_what_saving_would_write_is_shown_before_and_touches_the_chain_alone(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("f4")
        await editor.shows("Nothing has changed.")
        await editor.press("f4", "tab", "J", "f4")
        shown = everything(editor.app)
        assert "- the file, + this text" in shown
        page = editor.app.screen.query_one("#page", Panel)
        lines = [text_of(row.line) for row in page._body.rows]
        gone = {line[1:] for line in lines if line.startswith("-")}
        come = {line[1:] for line in lines if line.startswith("+")}
        chain = FILE[FILE.index("[[fallback") : FILE.index("[[sessions]]")].splitlines()
        assert gone | come <= {*chain, ""}
        assert gone


@SIZES
async def test_the_line_under_the_cursor_is_explained(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("down", "f2")
        await editor.shows("fallback_providers[1].provider", "Who serves the model.", "Default: none", "Takes: a known")
        await editor.press("f2")
        assert editor.app.screen is editor.screen
        editor.area.move_cursor((8, 0))
        await editor.press("f2")
        await editor.shows("fallback_providers")


async def test_nothing_is_explained_in_a_text_that_is_not_toml(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("x", "f2")
        assert "not TOML" in toasts(editor.app)[-1]


@SIZES
@pytest.mark.parametrize("key", ["f1", "question_mark"])
async def test_the_help_lists_the_editors_own_keys(path: Path, size: tuple[int, int], key: str) -> None:
    async with editing(path, size=size) as editor:
        await editor.press(*(["tab"] if key == "question_mark" else []), key)
        await editor.shows("Help", "a insert", "Asks for a new entry")
        await editor.press("escape")
        assert editor.app.screen is editor.screen
        assert editor.text == FILE


async def test_a_question_mark_within_the_text_is_text(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("end", "question_mark")
        assert "# the cheap one?" in editor.text


async def test_what_each_session_would_take_is_shown_with_its_difference(path: Path) -> None:
    path.write_text(FILE.replace('name = "triage"', 'name = "refactor-auth"'), encoding="utf-8")
    async with editing(path, size=(120, 60)) as editor:
        await editor.press("tab", "d")
        shown = " ".join(everything(editor.app).split())
        assert "If saved:" in shown
        await editor.shows("nightly-docs after the turn that runs", "-groq/llama", "zai/glm-5")
