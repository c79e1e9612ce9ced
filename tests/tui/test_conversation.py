"""The conversation on the screen: read, searched, copied and acted on while it streams."""

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from hermes_tui.core.acts import RetryNow, UseFallback
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import Event
from hermes_tui.core.session import Message, Phase
from hermes_tui.core.snapshot import Live, Snapshot
from hermes_tui.core.text import plain
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.screens.reading import ReadingScreen
from hermes_tui.tui.themes import ANSI, Look
from hermes_tui.tui.widgets.lines import CLASS_OF
from hermes_tui.view.line import Style
from tests.tui.driving import dashboard, everything, main, press, settle, showing, shown, toasts
from tests.tui.fakes import NOW, StoryBook, story_snapshot
from tests.view.talking import BEGUN, prompt, turns, walked

CODE = "Try **this**:\n\n```python\nprint('one')\n```\n\nor\n\n```sh\nls\n```\n"
LONG = "\n\n".join(f"Paragraph {n} of the answer." for n in range(100))


def talking(messages: tuple[Message, ...], **changes: Any) -> Snapshot:
    """Return the story with another conversation of nightly-docs; `changes` are of its state."""
    snapshot = story_snapshot()
    state = replace(snapshot.sessions[0], messages=messages, **{"live": None, **changes})
    return replace(snapshot, sessions=(state, *snapshot.sessions[1:]))


def streaming(end: int) -> Snapshot:
    """Return the story while a long answer streams."""
    return talking((*turns(9), prompt(18, "And?", 5.0)), live=Live(plain(LONG[:end]), NOW - 9))


def panel_lines(app: HermesApp) -> list[str]:
    """Return the lines of the conversation as they are drawn."""
    return ["".join(part.text for part in line) for line in main(app).conversation.lines]


async def turn_to(pilot: Pilot[Any], book: StoryBook, snapshot: Snapshot) -> None:
    """Show another page of the story."""
    await book.turn(snapshot)
    pilot.app.tick()  # type: ignore[attr-defined]
    await pilot.pause()


async def test_c138_scrolled_back_the_sight_stays_while_it_streams_and_a_sign_counts_what_is_new() -> None:
    app, book = dashboard(streaming(900))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("5", "pageup")
        await showing(pilot, "G follows")
        before = panel_lines(app)
        for end in range(1000, 2000, 100):
            await turn_to(pilot, book, streaming(end))
            assert panel_lines(app) == before
        assert "new lines · G follows · message" in everything(app)
        await pilot.press("G")
        assert "▌" in panel_lines(app)[-1]
        await turn_to(pilot, book, streaming(2300))
        assert "▌" in panel_lines(app)[-1]


async def test_a_window_that_grows_and_shrinks_keeps_the_place() -> None:
    app, _ = dashboard(talking(turns(60)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("5", "z", "g")
        await showing(pilot, "Question 0?")
        await pilot.press("pagedown", "pagedown")
        top = next(line for line in panel_lines(app) if "Question" in line)
        for size in ((80, 24), (50, 15), (150, 50), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert any(top.strip() in line for line in panel_lines(app)[:8])


async def test_brackets_go_from_message_to_message_and_enter_opens_the_one_with_its_turn() -> None:
    snapshot = replace(talking(turns(3)), events=tuple(enumerate(walked(3, BEGUN + 120), 1)))
    app, _ = dashboard(snapshot)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("5", "left_square_bracket", "left_square_bracket", "right_square_bracket")
        await showing(pilot, "› you · 13:09:22")
        await pilot.press("enter")
        text = await showing(pilot, "Message 5 of 6 of nightly-docs")
        assert isinstance(app.screen, ReadingScreen)
        assert "fail    openai-codex/gpt-5 (oauth-1): 429 usage limit" in text


async def test_o_unfolds_every_request_also_of_a_turn_that_the_newest_events_no_longer_hold() -> None:
    book = StoryBook(replace(talking(turns(2)), events=()))
    asked: list[tuple[str | None, float]] = []

    async def history(session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        asked.append((session, since))
        return tuple(enumerate(walked(1, BEGUN), 1))

    book.history = history  # type: ignore[method-assign]
    app = HermesApp(book)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("5", "z")
        await showing(pilot, "openai-codex/gpt-5 › zai/glm-5: 429 usage limit · o shows all")
        await pilot.press("g", "o")
        assert "request asks openai-codex/gpt-5 with oauth-1, attempt 1" in await showing(pilot, "o folds")
        await pilot.press("o")
        await settle(pilot)
        assert "o folds" not in everything(app)
    assert asked == [("nightly-docs", BEGUN)]


async def test_a_history_that_cannot_be_read_is_told_and_the_conversation_stays() -> None:
    book = StoryBook(talking(turns(2)))
    locked = True

    async def history(session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        if locked:
            raise StateError("the journal is locked")
        return tuple(enumerate(walked(2, BEGUN + 60), 1))

    book.history = history  # type: ignore[method-assign]
    app = HermesApp(book)
    async with app.run_test(size=(120, 40)) as pilot:
        assert "Question 1?" in await showing(pilot, "Earlier events: the journal is locked")
        locked = False
        await pilot.press("5", "z", "o")
        assert "Earlier events" not in await showing(pilot, "asks zai/glm-5 with key-1")


async def test_y_copies_the_message_as_it_came_then_its_code_and_a_click_marks_code() -> None:
    app, _ = dashboard(talking(turns(1, CODE)))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("5", "z")
        await showing(pilot, "│ python")
        copied = []
        for _ in range(4):
            await pilot.press("y")
            copied.append(app.clipboard)
        assert copied == [CODE, "print('one')", "ls", CODE]
        assert toasts(app)[:2] == [
            "Copied the message. y again copies its 2 blocks of code.",
            "Copied code 1 of 2 of the message.",
        ]
        row = next(index for index, line in enumerate(shown(app)) if "│ ls" in line)
        await pilot.click(offset=(5, row))
        await pilot.press("y")
        assert app.clipboard == "ls"


async def test_search_finds_in_all_messages_goes_on_and_back_and_esc_ends_it() -> None:
    app, _ = dashboard(talking(turns(30)))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "5", "slash", *"QUESTION 2")
        await showing(pilot, "11 of 11 · . , next and previous · esc ends")
        await pilot.press("enter", "comma")
        assert "Question 28?" in await showing(pilot, "10 of 11")
        await pilot.press("full_stop", "full_stop")
        assert "Question 2?" in await showing(pilot, "1 of 11")
        await pilot.press("escape")
        await settle(pilot)
        assert "of 11" not in everything(app)


def waiting() -> Snapshot:
    """Return the story while nightly-docs waits before a retry."""
    row = replace(story_snapshot().sessions[0].row, phase=Phase.WAITING)
    return talking((prompt(0, "?", BEGUN),), row=row, live=Live(waiting_until=NOW + 12))


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (48, 14)])
async def test_a_wait_can_be_ended_by_a_click_or_a_key_at_every_size(size: tuple[int, int]) -> None:
    app, book = dashboard(waiting())
    async with app.run_test(size=size) as pilot:
        await pilot.press("5")
        await showing(pilot, "Waits 0:12")
        book.offset = 2
        app.tick()
        await showing(pilot, "Waits 0:10")
        row, line = next((row, line) for row, line in enumerate(shown(app)) if "w Retry now" in line)
        await pilot.click(offset=(line.index("w Retry now") + 3, row))
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        assert book.done == [RetryNow("nightly-docs"), UseFallback("nightly-docs")]


async def test_each_session_keeps_its_own_place_and_a_search_ends_with_it() -> None:
    snapshot = talking(turns(30))
    other = replace(snapshot.sessions[1], messages=turns(2))
    app, _ = dashboard(replace(snapshot, sessions=(snapshot.sessions[0], other, *snapshot.sessions[2:])))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "5", "g", "slash", *"question 0", "enter")
        await showing(pilot, "1 of 1")
        await pilot.press("1", "j")
        assert "next and previous" not in await showing(pilot, "5 triage")
        await pilot.press("k")
        await showing(pilot, "5 nightly-docs")
        before = panel_lines(app)
        assert "Question 0?" in "".join(before)
        await pilot.press("j")
        await showing(pilot, "5 triage")
        await pilot.press("k")
        await showing(pilot, "5 nightly-docs")
        assert panel_lines(app) == before


async def test_without_colour_each_sign_of_markdown_and_each_match_has_a_style_of_its_own() -> None:
    app, _ = dashboard(look=Look(ANSI, motion=False))
    async with app.run_test(size=(80, 24)):
        looks = {}
        for style in (Style.HEADING, Style.EMPHASIS, Style.STRONG, Style.LINK, Style.MATCH_HERE):
            drawn = app.get_component_styles(CLASS_OF[style]).partial_rich_style
            looks[style] = (drawn.bold, drawn.italic, drawn.underline, drawn.reverse)
        assert len(set(looks.values())) == len(looks)
        assert (None, None, None, None) not in looks.values()


async def test_in_ascii_all_of_markdown_is_ascii() -> None:
    source = (
        "# Head\n\n- [x] done\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n```python\n" + "x" * 200 + "\n```"
    )
    app, _ = dashboard(talking(turns(1, source)), look=Look(ANSI, ascii=True, motion=False))
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.press("5", "z")
        text = await showing(pilot, "| python")
        assert text.isascii()
        assert "| > xxx" in text
