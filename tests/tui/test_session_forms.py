"""The forms about sessions: what they say while they are filled in, and that nothing typed is lost."""

import asyncio
from dataclasses import replace

import pytest
from textual.app import App
from textual.events import Key, Paste
from textual.widgets import Input

from hermes_tui.core.acts import ArchiveSession, BringBack, ChangeSchedule, Command, NewSession, RenameSession
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.session import Arrangement, Phase, Role, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.session_form import SessionForm
from tests.tui.driving import dashboard, everything, main, press, settle, showing, toasts
from tests.tui.fakes import CODEX, said, story_facts, story_sessions

SIZE = (120, 40)
OWN = Session("scratch", CODEX, created_by_user=True, arrangement=Arrangement(prompt="Look.", every_seconds=7200.0))
OLD = Session("old-news", CODEX, created_by_user=True, archived_at=1.0, messages=1)


def _with(*rows: Session) -> Snapshot:
    """Return the story with sessions that the user made; the archived ones are in the facts alone."""
    facts = story_facts()
    for row in rows:
        facts.put(row)
    there = {row.name: SessionState(row, "own") for row in rows}
    states = tuple(there.get(state.name, state) for state in story_sessions(facts) if not state.row.archived)
    return Snapshot(1, 0.0, "own", facts, states)


def _form(app: App[None]) -> SessionForm:
    assert isinstance(app.screen, SessionForm)
    return app.screen


async def test_a_new_session_takes_the_proposed_name_a_prompt_of_several_lines_and_more() -> None:
    app, book = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("n")
        await showing(pilot, "session-1 starts on openai-codex/gpt-5 with your first prompt.")
        await press(pilot, *"docs", "enter", *"one", "ctrl+j", *"two", "enter", "enter", *"2h")
        await showing(pilot, "docs sends its prompt to openai-codex/gpt-5 now, and then every 2h.")
        await pilot.press("enter")
        await settle(pilot)
        assert book.done == [NewSession("docs", None, "one\ntwo", 7200.0)]
        assert not isinstance(app.screen, SessionForm)
        assert len(toasts(app)) == 1


async def test_what_is_pasted_as_first_prompt_keeps_its_lines() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("n", "enter")
        app.screen.focused.post_message(Paste("a\rb\rc"))  # type: ignore[union-attr]
        await pilot.pause()
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert book.done == [NewSession("session-1", None, "a\nb\nc")]


async def test_a_session_to_be_like_is_completed_and_proposes_its_name_prompt_and_schedule() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "n", "enter", "enter", *"heartb", "right")
        shown = await showing(pilot, "heartbeat-2 sends its prompt to")
        assert "Say hello." in shown
        assert "15m" in shown
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert book.done == [NewSession("heartbeat-2", "heartbeat", "Say hello.", 900.0)]


async def test_what_the_user_has_typed_is_not_overwritten_by_what_is_proposed() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "n", *"mine", "enter", *"Go.", "enter", *"heartbeat", "enter", "backspace", "ctrl+s")
        await settle(pilot)
        assert book.done == [NewSession("mine", "heartbeat", "Go.")]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (["backspace"], "A session needs a name: type one."),
        ([*"scratch"], "There is a session scratch already: choose another name."),
        ([*"old-news"], "old-news is archived: bring it back (A), or choose another name."),
        (["x"] * 81, "The name has 81 characters: take out 1."),
        ([*"-x"], "A command line takes a name that begins with - for an option"),
        (["tab", "tab", *"hartbeat"], 'There is no session "hartbeat" to be like; did you mean "heartbeat"?'),
        (["tab", "tab", "tab", *"soon"], "every is a number with its unit: write 30s, 15m, 1h30m or 1d"),
        (["tab", "tab", "tab", *"1h"], "A session that runs by itself needs something to say: write a prompt."),
    ],
)
async def test_what_is_wrong_is_said_while_it_is_typed_and_keeps_the_form_open(keys: list[str], why: str) -> None:
    app, book = dashboard(_with(OWN, OLD))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "n", *keys)
        await showing(pilot, why)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert isinstance(app.screen, SessionForm)
        assert book.done == []


async def test_a_refusal_by_the_engine_keeps_the_form_with_everything_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    app, book = dashboard()

    async def refuse(command: Command) -> PlainText:
        raise RefusedError("the disk is full")

    monkeypatch.setattr(book, "execute", refuse)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "n", *"docs", "enter", *"precious", "ctrl+s")
        await settle(pilot)
        shown = await showing(pilot, "The disk is full.")
        assert "precious" in shown
        assert _form(app).query_one(Input).value == "docs"


async def test_what_takes_a_while_says_so_at_once_and_that_leaving_does_not_call_it_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, book = dashboard()
    starts = asyncio.Event()
    do = book.execute

    async def start(command: Command) -> PlainText:
        await starts.wait()
        return await do(command)

    monkeypatch.setattr(book, "execute", start)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "n", *"docs", "ctrl+s")
        await showing(pilot, "It cannot be called back any more; esc leaves, and it goes on.")
        await press(pilot, *"x", "ctrl+s")
        assert "It cannot be called back any more" in everything(app)
        await press(pilot, "escape")
        assert len(app.screen_stack) == 1
        assert toasts(app) == ["New session: it goes on, and could not be called back any more."]
        starts.set()
        await settle(pilot)
        assert [type(command) for command in book.done] == [NewSession]
        assert toasts(app)[-1].startswith("docs starts on")


@pytest.mark.parametrize("on", ["enter", "tab"])
async def test_keys_that_arrive_with_the_one_that_opens_the_form_are_its_name(on: str) -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for key in ("n", *"docs", on, *"go", "ctrl+s"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await settle(pilot)
        await pilot.pause()
        await settle(pilot)
        assert book.done == [NewSession("docs", None, "go")]


async def test_a_session_is_renamed_in_a_form_that_says_what_would_be() -> None:
    app, book = dashboard(_with(OWN))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        main(app).choose("scratch")
        await pilot.press("N")
        await showing(pilot, "It is called scratch already: type another name.")
        await press(pilot, *"notes", "enter")
        await settle(pilot)
        assert book.done == [RenameSession("scratch", "notes")]
        assert toasts(app) == ["scratch is called notes from now on."]


@pytest.mark.parametrize("key", ["N", "T"])
async def test_a_session_of_the_file_is_refused_at_once_with_what_to_do(key: str) -> None:
    app, _ = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        main(app).choose("heartbeat")
        await pilot.press(key)
        (told,) = toasts(app)
        assert "from the file" in told
        assert "(E)" in told


async def test_a_schedule_is_changed_and_ended() -> None:
    app, book = dashboard(_with(OWN))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        main(app).choose("scratch")
        await press(pilot, "T", *"1d", "ctrl+s")
        await settle(pilot)
        await pilot.press("T", "backspace")
        await showing(pilot, "scratch runs by itself no more.")
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert book.done == [ChangeSchedule("scratch", 86400.0, "Look."), ChangeSchedule("scratch", None, "Look.")]


async def test_a_session_is_archived_and_asks_while_its_turn_runs() -> None:
    app, book = dashboard(_with(OWN, replace(OWN, name="busy", phase=Phase.RUNNING)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        main(app).choose("scratch")
        await pilot.press("A")
        await settle(pilot)
        main(app).choose("busy")
        await pilot.press("A")
        assert isinstance(app.screen, ConfirmScreen)
        await showing(pilot, "Archive busy while its turn runs?")
        await pilot.press("y")
        await settle(pilot)
        assert book.done == [ArchiveSession("scratch"), ArchiveSession("busy")]


async def test_archived_sessions_are_hidden_shown_dimmed_read_and_brought_back() -> None:
    app, book = dashboard(_with(OLD))
    book.told["old-news"] = (said("old-news", 0, Role.USER, "What was new?"),)
    async with app.run_test(size=SIZE) as pilot:
        shown = await showing(pilot, "1 archived (a)")
        assert "old-news" not in shown
        await pilot.press("a", "G")
        shown = await showing(pilot, "ARCHIVED")
        assert "of 4 sessions off their primary" in shown
        await showing(pilot, "What was new?")
        await pilot.press("i")
        assert toasts(app) == ["old-news is archived: bring it back first (A)."]
        await pilot.press("escape", "1", "A")
        await settle(pilot)
        assert book.done == [BringBack("old-news")]
        await pilot.press("a")
        await pilot.pause()
        assert "ARCHIVED" not in everything(app)


async def test_on_the_smallest_screen_a_form_says_how_it_is_done() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(48, 14)) as pilot:
        await settle(pilot)
        await pilot.press("n")
        text = await showing(pilot, "ctrl+s")
        assert "every" in text
