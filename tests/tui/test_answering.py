"""What a session asks its user: seen wherever one looks, answered on a page, and by nothing but the user's own hand."""

from dataclasses import replace

import pytest

from hermes_tui.core.acts import AnswerQuestion
from hermes_tui.core.question import Question
from hermes_tui.core.text import PlainText
from hermes_tui.tui.app import HermesApp
from tests.tui import situations
from tests.tui.driving import dashboard, everything, press, settle, showing, shown, toasts
from tests.tui.fakes import StoryBook

LONG = PlainText("\n".join(f"step-{number} --with {'words ' * 9}" for number in range(60)))


def asking() -> tuple[HermesApp, StoryBook]:
    return dashboard(situations.asking())


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])
async def test_a_session_that_asks_is_seen_at_any_size(size: tuple[int, int]) -> None:
    app, _ = asking()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        text = everything(app)
        assert "1 session asks you" in shown(app)[0]
        assert "nightly-docs asks: May it run this" in " ".join(text.split())
        assert "ASKS YOU" in text


@pytest.mark.parametrize(("keys", "sent"), [((), "deny"), (("up", "up"), "once"), ((*"check it",), "deny")])
async def test_an_answer_is_chosen_and_the_careful_one_is_marked_first(keys: tuple[str, ...], sent: str) -> None:
    app, book = asking()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "i")
        await showing(pilot, "Allow this once")
        await press(pilot, *keys)
        await press(pilot, "enter")
        await settle(pilot)
        assert book.done == [AnswerQuestion("nightly-docs", "1/choice", sent)]
        assert toasts(app) == ["nightly-docs goes on with your answer."]


@pytest.mark.parametrize("way", [("escape",), ("ctrl+q",), ("g",), ("up", "up", "up", "up", "enter", "escape")])
async def test_who_leaves_or_stands_on_what_is_to_be_read_has_answered_nothing(way: tuple[str, ...]) -> None:
    app, book = asking()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "i")
        await showing(pilot, "Allow this once")
        await press(pilot, *way)
        await settle(pilot)
        assert book.done == []


async def test_an_answer_may_be_written_and_an_empty_one_is_none() -> None:
    app, book = asking()
    async with app.run_test(size=(120, 40)) as pilot:
        for words in ("", "Ask Ada first."):
            await press(pilot, "i")
            await showing(pilot, "Another answer, in your own words")
            await press(pilot, "up", "enter")
            await showing(pilot, "enter answers, esc leaves")
            await press(pilot, *words, "enter")
            await settle(pilot)
        assert book.done == [AnswerQuestion("nightly-docs", "1/choice", "Ask Ada first.")]


async def test_a_command_longer_than_the_screen_can_be_read_to_its_beginning() -> None:
    page = situations.asking()
    state = page.sessions[0]
    assert state.question is not None
    long = Question(state.question.key, state.question.text, LONG, state.question.answers)
    app, book = dashboard(replace(page, sessions=(replace(state, question=long),)))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "i")
        assert "step-59" in await showing(pilot, "Deny")
        await press(pilot, *(["up"] * 130))
        assert "step-0 --with" in await showing(pilot, "May it run this")
        await press(pilot, "enter")
        assert book.done == []


async def test_a_question_that_is_asked_no_more_takes_no_answer() -> None:
    app, book = asking()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "i")
        await showing(pilot, "Allow this once")
        await book.turn(situations.story())
        await press(pilot, "enter")
        await settle(pilot)
        assert book.done == []
        assert toasts(app) == ["nightly-docs does not ask that any more."]
