"""The chain editor on the screen: text, rows and check over a real file."""

import itertools
from pathlib import Path

import pytest
from textual import _time
from textual.widgets import Input

from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.conflict import ConflictScreen
from hermes_tui.tui.themes import ANSI, LIGHT, Look
from hermes_tui.tui.widgets.code_area import CodeArea
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.line import text_of
from tests.tui.driving import everything, main, toasts
from tests.tui.editing import FILE, Editor, editing


def marked(text: str, editor: Editor) -> int:
    """Return which row of the check holds `text`, from 0."""
    lines = editor.app.screen.query_one("#check", Panel).lines
    return next(number for number, line in enumerate(lines) if text in text_of(line))


SIZES = pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])


@SIZES
async def test_it_opens_on_the_chain_with_rows_and_check_beside_the_text(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.shows("[[fallback_providers]]", "1 groq", "2 zai", "Check", "ctrl+s Save")
        assert editor.text == FILE


async def test_a_session_with_a_chain_of_its_own_edits_that_one(path: Path) -> None:
    async with editing(path, session=1) as editor:
        await editor.shows("Chain of triage, its own", "1 entry", "[triage]")
        await editor.press("tab", "d")
        assert editor.text.endswith('name = "triage"\nfallback_providers = []\n')
    async with editing(path) as editor:
        await editor.shows("Chain of the file", "2 entries")


@SIZES
async def test_a_mistake_is_named_with_its_line_and_keeps_the_text_from_being_saved(
    path: Path, size: tuple[int, int]
) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("x")
        await editor.shows("line 6", "1 error", "fix line 6 first")
        await editor.press("ctrl+s")
        assert "not TOML" in toasts(editor.app)[-1]
        assert path.read_text(encoding="utf-8") == FILE
        await editor.press("backspace")
        await editor.shows("can be saved")


async def test_what_was_typed_last_is_checked_on_a_machine_that_is_slow(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with editing(path) as editor:
        seconds = itertools.count()  # whoever looks at the clock is interrupted for a second
        monkeypatch.setattr(_time, "get_time", lambda: float(next(seconds)))
        await editor.press("x")
        await editor.shows("fix line 6 first")


async def test_the_nearest_known_name_is_proposed_and_enter_goes_to_the_line(path: Path) -> None:
    async with editing(path) as editor:
        area = editor.app.screen.query_one(CodeArea)
        area.adopt(FILE.replace('model = "llama"', 'modle = "llama"'))
        await editor.shows('did you mean "model"?')
        area.move_cursor((0, 0))
        await editor.press("tab", "tab", *["j"] * marked("did you mean", editor), "enter")
        assert area.has_focus
        assert area.cursor_location == (7, 0)


async def test_rows_move_and_the_text_and_its_comments_follow(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "J")
        assert editor.text.index('"zai"') < editor.text.index('"groq"')
        assert editor.text.index("# the good one") < editor.text.index('"zai"') < editor.text.index("# the cheap one")
        assert "a key that nobody knows" in editor.text
        await editor.shows("(changed)", "If saved:")
        await editor.press("K")
        assert editor.text == FILE
        assert "(changed)" not in everything(editor.app)


async def test_a_row_is_removed_and_comes_back_with_undo(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "d")
        assert "groq" not in editor.text
        await editor.shows("1 entry")
        await editor.press("u")
        assert editor.text == FILE
        await editor.shows("2 entries")


@SIZES
async def test_a_row_is_added_by_a_form_that_says_what_is_missing(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("tab", "j", "a")
        await editor.press(*"zai", "enter", *"glm-4", "enter", "enter", "enter", *"many", "ctrl+s")
        await editor.shows("whole number of tokens")
        await editor.press("backspace", "backspace", "backspace", "backspace", *"32000", "ctrl+s")
        assert 'model = "glm-4"\ncontext_length = 32000\n' in editor.text
        await editor.shows("3 entries")


async def test_the_form_says_what_an_empty_field_means_and_asks_for_an_address_that_nobody_else_knows(
    path: Path,
) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "a")
        await editor.press(*"anthropic")
        await editor.shows("https://api.anthropic.com/v1", "anthropic_messages")
        await editor.press(*["backspace"] * len("anthropic"), *"azure")
        await editor.shows("needed: every customer has another", "chat_completions")
        await editor.press("enter", *"mine", "enter", *"https://my", "down", "ctrl+s")
        assert 'base_url = "https://my-resource.openai.azure.com/openai/v1"\n' in editor.text
        await editor.press("a", *"azure", "enter", *"mine", "ctrl+s")
        await editor.shows("no base_url: write base_url", "· NOT SET faulty")


async def test_a_row_is_edited_and_keys_that_are_no_field_stay(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "enter")
        model = editor.app.screen.query_one("#model", Input)
        assert model.value == "llama"
        model.value = "llama-4"
        await editor.press("ctrl+s")
        assert 'model = "llama-4"\nown = "a key that nobody knows"\n' in editor.text
        assert "# the cheap one" in editor.text


async def test_saving_writes_the_file_with_its_backup_and_goes_back(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "J")
        wanted = editor.text
        await editor.press("ctrl+s")
        assert path.read_text(encoding="utf-8") == wanted
        assert path.with_name("hermes-tui.toml.bak").read_text(encoding="utf-8") == FILE
        assert editor.app.screen is main(editor.app)


@pytest.mark.parametrize("key", ["escape", "ctrl+q"])
async def test_what_is_not_saved_is_not_dropped_without_asking(path: Path, key: str) -> None:
    async with editing(path) as editor:
        await editor.press("#", key)
        assert isinstance(editor.app.screen, ConfirmScreen)
        await editor.press("n")
        assert editor.text.startswith("# Mine")
        assert "#[[fallback" in editor.text
        await editor.press(key, "y")
        assert len(editor.app.screen_stack) == 1
        assert path.read_text(encoding="utf-8") == FILE


THEIRS = FILE.replace("# Mine, and commented.", "# Theirs.")


async def test_a_change_made_elsewhere_is_never_overwritten_and_both_can_be_put_together(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("end", *" # here")
        path.write_text(THEIRS, encoding="utf-8")
        await editor.press("ctrl+s")
        assert isinstance(editor.app.screen, ConflictScreen)
        await editor.shows("-# Theirs.", "+# Mine", "b puts both together")
        assert path.read_text(encoding="utf-8") == THEIRS
        await editor.press("b")
        await editor.press("ctrl+s")
        saved = path.read_text(encoding="utf-8")
        assert saved == THEIRS.replace("# the cheap one", "# the cheap one # here")


@pytest.mark.parametrize(("key", "saved"), [("t", THEIRS), ("m", FILE.replace("# the cheap one", "# mine"))])
async def test_a_conflict_can_be_decided_either_way(path: Path, key: str, saved: str) -> None:
    async with editing(path) as editor:
        editor.app.screen.query_one(CodeArea).adopt(FILE.replace("# the cheap one", "# mine"))
        path.write_text(THEIRS, encoding="utf-8")
        await editor.press("ctrl+s", key)
        assert path.read_text(encoding="utf-8") == saved


async def test_edits_of_the_same_line_are_left_to_the_user(path: Path) -> None:
    async with editing(path) as editor:
        editor.app.screen.query_one(CodeArea).adopt(FILE.replace("# Mine, and commented.", "# Mine."))
        path.write_text(THEIRS, encoding="utf-8")
        await editor.press("ctrl+s")
        await editor.shows("both changed the same lines")
        await editor.press("b")
        assert isinstance(editor.app.screen, ConflictScreen)
        await editor.press("escape")
        assert editor.text.startswith("# Mine.\n")


async def test_a_file_that_cannot_be_written_keeps_the_edit_on_the_screen(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("end", *" # here")
        target = path.rename(path.with_name("real.toml"))
        path.symlink_to(target)
        await editor.press("ctrl+s")
        assert "link" in toasts(editor.app)[-1]
        assert "# here" in editor.text
        assert target.read_text(encoding="utf-8") == FILE


async def test_ctrl_r_reads_the_file_again(path: Path) -> None:
    async with editing(path) as editor:
        path.write_text(THEIRS, encoding="utf-8")
        await editor.press("ctrl+r")
        assert editor.text == THEIRS
        await editor.press("x", "ctrl+r", "n")
        assert editor.text != THEIRS


async def test_hidden_codes_are_drawn_and_kept(path: Path) -> None:
    path.write_text(FILE.replace("# Mine, and", "# \u202eMine\u200b, [red]and"), encoding="utf-8")
    async with editing(path) as editor:
        await editor.shows("# \ufffdMine\ufffd, [red]and")
        await editor.press("end", *" # here", "ctrl+s")
        assert "# \u202eMine\u200b, [red]and" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("look", [Look(LIGHT, motion=False), Look(ANSI, motion=False), Look(ANSI, ascii=True)])
async def test_every_look_can_draw_it(path: Path, look: Look) -> None:
    async with editing(path, look=look) as editor:
        await editor.shows("[[fallback_providers]]")
        assert not look.ascii or everything(editor.app).isascii()


async def test_a_window_may_shrink_to_nothing_and_grow_again(path: Path) -> None:
    async with editing(path) as editor:
        for size in ((1, 1), (20, 5), (48, 14), (200, 60), (80, 24)):
            await editor.pilot.resize_terminal(*size)
        await editor.shows("[[fallback_providers]]", "Check")
