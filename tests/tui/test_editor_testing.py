"""C116 on the screen: the chain is tested as it stands in the text, and each row gets its answer as it comes."""

from pathlib import Path

import pytest
from textual.worker import WorkerState

from tests.tui.driving import main, settle, toasts
from tests.tui.editing import FILE, Editor, editing

SIZES = pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])


async def answer(editor: Editor, number: int) -> None:
    """Let so many servers answer."""
    for _ in range(number):
        editor.asked.may_answer.release()
    await settle(editor.pilot)


def asking(editor: Editor) -> bool:
    return any(worker.group == "test" and worker.state is WorkerState.RUNNING for worker in editor.app.workers)


@SIZES
async def test_each_row_shows_its_answer_as_it_comes(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("tab", "t")
        await editor.shows("◌ ASKING")
        await answer(editor, 1)
        await editor.shows("! IN DOUBT", "◌ ASKING")
        await answer(editor, 1)
        await editor.shows("✗ CANNOT SERVE")
        await answer(editor, 1)
        await editor.shows("✓ CAN SERVE")
        assert "ASKING" not in str(editor.rows.lines)
        assert editor.text == FILE


async def test_the_reasons_stand_in_the_check(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("ctrl+t")
        await answer(editor, 3)
        await editor.shows(
            "Test: no prompt was sent", "1 groq/llama", "the server does not accept the key", "not listed"
        )


async def test_what_is_tested_is_the_text_and_not_the_file(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "d", "t")
        await answer(editor, 2)
        await editor.shows("1 zai/glm-5", "! IN DOUBT")
        assert editor.asked.texts == [editor.text]
        assert "groq" not in editor.asked.texts[0]
        assert path.read_text(encoding="utf-8") == FILE


async def test_a_result_goes_with_its_row_and_grows_old_with_an_edit_of_its_entry(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "t")
        await answer(editor, 3)
        await editor.press("J")
        await editor.shows("2 groq/llama", "✗ CANNOT SERVE")
        await editor.press("enter", "enter", "end", *"-4", "ctrl+s")
        await editor.shows("2 groq/llama-4", "✗ CANNOT SERVE 0:00")
        await editor.shows("CANNOT SERVE, 0:00 ago")
        await editor.press("u")
        await editor.shows("2 groq/llama ", "✗ CANNOT SERVE")
        assert "CANNOT SERVE 0:00" not in str(editor.rows.lines)


@pytest.mark.parametrize("keys", [["J"], ["d"], ["shift+tab", "#"]])
async def test_what_is_open_is_given_up_once_the_text_is_another(path: Path, keys: list[str]) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "t")
        await answer(editor, 1)
        assert asking(editor)
        await editor.press(*keys)
        await editor.shows("no prompt was sent")
        assert not asking(editor)
        assert "ASKING" not in str(editor.rows.lines)


async def test_what_is_open_is_given_up_when_the_editor_closes(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "t")
        await answer(editor, 1)
        app = editor.app
        await editor.press("escape")
        assert app.screen is main(app)
        assert not asking(editor)


async def test_a_new_test_takes_the_place_of_one_that_runs(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "t", "t")
        await answer(editor, 3)
        await editor.shows("✓ CAN SERVE", "no prompt was sent")
        assert len(editor.asked.texts) == 2


async def test_a_text_that_is_wrong_is_not_tested(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("x", "ctrl+t")
        assert "correct it first" in toasts(editor.app)[-1]
        assert editor.asked.texts == []


async def test_a_sessions_own_chain_is_tested_for_itself(path: Path) -> None:
    async with editing(path, session=1) as editor:
        await editor.press("ctrl+t")
        await answer(editor, 2)
        await editor.shows("1 zai/glm-5", "! IN DOUBT", "no prompt was sent")
        assert editor.app.is_running
