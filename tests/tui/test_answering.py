"""What a session asks its user: seen wherever one looks, answered on a page, and by nothing but the user's own hand."""

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from hermes_tui.core.acts import AnswerQuestion
from hermes_tui.core.question import Answer
from hermes_tui.core.text import PlainText
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.asking import OWN_WORDS, Offered
from tests.tui import situations
from tests.tui.driving import dashboard, everything, press, settle, showing, shown, toasts
from tests.tui.fakes import StoryBook

LONG = PlainText("\n".join(f"step-{number} --with {'words ' * 9}" for number in range(40)))


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


def asking_at_length() -> tuple[HermesApp, StoryBook]:
    page = situations.asking()
    state = page.sessions[0]
    assert state.question is not None
    long = replace(state.question, about=LONG)
    return dashboard(replace(page, sessions=(replace(state, question=long),)))


async def read_to_the_end(pilot: Pilot[Any]) -> None:
    """Turn pages until the last answer is in sight."""
    while "Deny" not in everything(pilot.app):
        await pilot.press("pagedown")


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (48, 14)])
async def test_a_command_longer_than_the_screen_is_read_before_it_is_allowed(size: tuple[int, int]) -> None:
    app, book = asking_at_length()
    async with app.run_test(size=size) as pilot:
        await press(pilot, "i")
        text = await showing(pilot, "step-0 --with")
        assert "Deny" not in text
        assert "enter reads on" in text
        await read_to_the_end(pilot)
        await press(pilot, "up", "up")
        assert "enter answers" in await showing(pilot, "Allow this once")
        await press(pilot, "enter")
        await settle(pilot)
        assert book.done == [AnswerQuestion("nightly-docs", "1/choice", "once")]


@pytest.mark.parametrize("answer", ["once", OWN_WORDS])
async def test_who_goes_past_what_is_to_be_read_is_led_back_to_it_and_has_answered_nothing(answer: str) -> None:
    app, book = asking_at_length()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "i")
        await showing(pilot, "step-0 --with")
        app.screen.query_one(Panel).mark(Offered(answer))
        assert "enter reads on" in await showing(pilot, "Allow this once")
        await press(pilot, "enter")
        assert "Allow this once" not in await showing(pilot, "step-18 --with")
        await press(pilot, *(["enter"] * 5))
        assert "enter answers" in await showing(pilot, "Deny")
        assert book.done == []


async def test_a_command_that_is_folded_otherwise_is_read_from_its_beginning() -> None:
    app, book = asking_at_length()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "i")
        await showing(pilot, "step-0 --with")
        await press(pilot, "pagedown", "pagedown")
        await pilot.resize_terminal(60, 24)
        await read_to_the_end(pilot)
        await press(pilot, "up", "up", "enter")
        assert "May it run this" in "".join(shown(app)[2:5])
        await read_to_the_end(pilot)
        await pilot.resize_terminal(80, 24)
        await press(pilot, "up", "up", "enter")
        await settle(pilot)
        assert book.done == [AnswerQuestion("nightly-docs", "1/choice", "once")]


async def test_the_careful_answer_is_given_unread() -> None:
    app, book = asking_at_length()
    async with app.run_test(size=(60, 18)) as pilot:
        await press(pilot, "i")
        await showing(pilot, "step-0 --with")
        app.screen.query_one(Panel).go_last()
        await press(pilot, "enter")
        await settle(pilot)
        assert book.done == [AnswerQuestion("nightly-docs", "1/choice", "deny")]


async def test_a_choice_is_shown_whole_and_chosen_on_any_of_its_lines() -> None:
    page = situations.asking()
    state = page.sessions[0]
    assert state.question is not None
    words = PlainText(f"blue, and a very long choice that goes {'on and ' * 12}on to its end")
    chosen = replace(state.question, answers=(Answer("blue", words), *state.question.answers))
    app, book = dashboard(replace(page, sessions=(replace(state, question=chosen),)))
    async with app.run_test(size=(60, 20)) as pilot:
        await press(pilot, "i")
        assert "on to its end" in await showing(pilot, "blue, and a very long choice")
        await press(pilot, *(["up"] * 3), "enter")
        await settle(pilot)
        assert book.done == [AnswerQuestion("nightly-docs", "1/choice", "blue")]


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
