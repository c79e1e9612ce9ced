"""The prompt box: it grows, keeps what is pasted and what is not sent, and knows what was asked before."""

import asyncio
from dataclasses import replace

import pytest
from textual.events import Key, Paste

from hermes_tui.core.acts import Command, SendPrompt, SwitchModel
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.session import Phase, Role
from hermes_tui.core.snapshot import Live, Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.widgets.prompt_box import PromptBox
from tests.tui import situations
from tests.tui.driving import dashboard, everything, main, press, settle, showing, toasts
from tests.tui.fakes import said, story_snapshot

SIZE = (120, 40)


def box(app: HermesApp) -> PromptBox:
    """Return the prompt box, which is made when it is first wanted."""
    found = main(app).prompting.box
    assert found is not None
    return found


def _asked_before() -> Snapshot:
    """Return the story where the first session was asked three things, one of them twice."""
    snapshot = story_snapshot()
    asked = ("First?", "Second\nin two lines?", "First?", "Third?")
    messages = tuple(said("nightly-docs", at, Role.USER, text) for at, text in enumerate(asked))
    first = replace(snapshot.sessions[0], messages=messages)
    return replace(snapshot, sessions=(first, *snapshot.sessions[1:]))


async def test_a_prompt_is_sent_by_enter_and_the_box_stays_open_for_the_next() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"hi p1", "enter", *"and", "enter")
        await settle(pilot)
        assert book.done == [SendPrompt("nightly-docs", "hi p1"), SendPrompt("nightly-docs", "and")]
        assert (box(app).display, box(app).text) == (True, "")
        await pilot.press("escape", "2")
        assert not box(app).display
        assert main(app).focused_panel == 2


async def test_letters_typed_into_a_prompt_start_no_action() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("i", "q", "b", "question_mark", "space", "1", "N", "A", "a", "T")
        assert box(app).text == "qb? 1NAaT"
        assert book.done == []


async def test_keys_that_arrive_together_are_text_in_their_order() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for key in ("i", *"quit now", "enter", *"two", "ctrl+j", *"lines", "enter", *"qb"):
            app.post_message(Key(key if key != " " else "space", key if len(key) == 1 else None))
        await settle(pilot)
        await pilot.pause()
        assert book.done == [SendPrompt("nightly-docs", "quit now"), SendPrompt("nightly-docs", "two\nlines")]
        assert box(app).text == "qb"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
async def test_what_is_pasted_keeps_all_its_lines_and_nothing_that_steers_the_terminal(ends: str) -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("i")
        box(app).post_message(Paste(ends.join(("def f():", "\treturn 1\x1b[2J", "", "end"))))
        await pilot.pause()
        assert "return 1␛[2J" in everything(app)
        await pilot.press("enter")
        await settle(pilot)
        assert book.done == [SendPrompt("nightly-docs", "def f():\n\treturn 1␛[2J\n\nend")]


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_the_box_grows_by_a_line_and_is_bounded_by_the_window(key: str) -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("i", "a")
        await pilot.pause()
        assert box(app).size.height == 1
        await pilot.press(key, "b")
        await pilot.pause()
        assert box(app).size.height == 2
        for _ in range(30):
            await pilot.press(key)
        await pilot.pause()
        assert 5 <= box(app).outer_size.height <= 24 * 0.4
        assert "1 Sessions" in everything(app)


async def test_up_and_down_walk_through_the_sessions_earlier_prompts_also_those_of_before_a_restart() -> None:
    app, _ = dashboard(_asked_before())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"new", "up")
        assert box(app).text == "Third?"
        await pilot.press("up", "up")
        assert box(app).text == "Second\nin two lines?"
        await pilot.press("up", "up", "up")
        assert box(app).text == "Second\nin two lines?"
        await pilot.press("down")
        assert box(app).text == "Second\nin two lines?"
        for _ in range(3):
            await pilot.press("down")
        assert box(app).text == "new"


async def test_up_moves_within_a_prompt_before_it_leaves_it() -> None:
    app, _ = dashboard(_asked_before())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"ab", "ctrl+j", *"cd", "up")
        assert box(app).text == "ab\ncd"
        await pilot.press("up")
        assert box(app).text == "Third?"


async def test_a_draft_outlives_leaving_and_another_session() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"half a thought", "escape", "1", "j", "i")
        assert (box(app).session, box(app).text) == ("triage", "")
        await press(pilot, *"other", "escape", "1", "k", "i")
        assert (box(app).session, box(app).text) == ("nightly-docs", "half a thought")
        assert book.done == []


async def test_a_click_elsewhere_closes_the_box_and_keeps_the_draft() -> None:
    app, _ = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"half")
        await pilot.click(offset=(5, 4))
        await pilot.pause()
        assert not box(app).display
        await pilot.press("k", "i")
        assert box(app).text == "half"


async def test_the_border_says_that_a_prompt_waits_while_a_turn_runs() -> None:
    snapshot = story_snapshot()
    queued = replace(snapshot.sessions[0], live=Live(queued=2))
    app, book = dashboard(replace(snapshot, sessions=(queued, *snapshot.sessions[1:])))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("i")
        await showing(pilot, "Prompt nightly-docs · queued until its turn ends, behind 2 others")
        assert "enter sends · esc leaves · ctrl+j new line · ↑↓ earlier" in everything(app)
        idle = replace(queued, row=replace(queued.row, phase=Phase.IDLE), live=None)
        await book.turn(replace(snapshot, sessions=(idle, *snapshot.sessions[1:])))
        app.tick()
        await pilot.pause()
        assert "queued until" not in everything(app)


async def test_model_in_a_prompt_is_completed_and_switches() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"/model z", "right", "enter")
        await settle(pilot)
        assert book.done == [SwitchModel("nightly-docs", "zai", "glm-5")]
        await pilot.press("up")
        assert box(app).text == "/model zai/glm-5"


async def test_a_mistyped_model_is_refused_and_stays_to_be_mended() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"/model gpt", "enter")
        await settle(pilot)
        assert book.done == []
        assert box(app).text == "/model gpt"


async def test_what_cannot_be_sent_comes_back_into_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    app, book = dashboard()
    tried = asyncio.Event()

    async def refuse(command: Command) -> PlainText:
        tried.set()
        raise RefusedError(f"{command} cannot be done")

    monkeypatch.setattr(book, "execute", refuse)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"dear", "enter")
        await tried.wait()
        await settle(pilot)
        assert box(app).text == "dear"


async def test_an_empty_prompt_is_refused_with_its_reason() -> None:
    app, book = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("i", "enter")
        await settle(pilot)
        assert book.done == []
        assert toasts(app) == ["The prompt is empty."]


async def test_words_for_a_session_of_another_process_stand_in_a_box_that_says_why_it_sends_nothing() -> None:
    snapshot = story_snapshot()
    app, book = dashboard(replace(snapshot, sessions=(replace(snapshot.sessions[0], mine=False, owner=77),)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"green hello", "enter")
        await settle(pilot)
        assert set(toasts(app)) == {"Process 77 runs nightly-docs; act there."}
        assert "Prompt nightly-docs · sends nothing: process 77 runs nightly-docs; act there" in everything(app)
        assert (box(app).text, book.done) == ("green hello", [])
        await book.turn(snapshot)
        await press(pilot, "enter")
        await settle(pilot)
        assert book.done == [SendPrompt("nightly-docs", "green hello")]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (("2", "slash"), "This panel has nothing to filter; 1, 4, 5 and 6 have."),
        (("N",), "Process 77 runs nightly-docs; act there."),
        (("m",), "Process 77 runs nightly-docs; act there."),
        (("T",), "Process 77 runs nightly-docs; act there."),
        (("e",), "There is no file to edit here."),
    ],
)
async def test_words_behind_a_key_that_opens_nothing_start_no_action(keys: tuple[str, ...], why: str) -> None:
    snapshot = story_snapshot()
    app, book = dashboard(replace(snapshot, sessions=(replace(snapshot.sessions[0], mine=False, owner=77),)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *keys, *"green hello")
        assert (toasts(app), book.done) == ([why], [])
        assert f"{why} · esc leaves" in everything(app)
        assert main(app).entry.value == "green hello"
        await press(pilot, "enter", "2")
        assert (len(app.screen_stack), main(app).entry.display, main(app).focused_panel) == (1, False, 2)


@pytest.mark.parametrize("key", ["i", "m", "N"])
async def test_words_for_no_session_start_no_action(key: str) -> None:
    app, book = dashboard(situations.no_sessions())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, key, *"green", "escape")
        assert toasts(app)[0].startswith("No session is selected.")
        assert (len(toasts(app)), book.done, main(app).entry.display) == (1, [], False)


async def test_ctrl_q_quits_while_something_is_typed_too() -> None:
    app, _ = dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"half a pro", "ctrl+q")
        await pilot.pause()
        assert isinstance(app.screen, ConfirmScreen)


async def test_what_is_sent_and_its_reply_are_in_sight_wherever_the_conversation_stood() -> None:
    app, book = dashboard(_long_ago())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("5", "home")
        assert "Answer 39." not in await showing(pilot, "Answer 0.")
        await press(pilot, "i", *"hi", "enter")
        await settle(pilot)
        assert book.done == [SendPrompt("nightly-docs", "hi")]
        assert "Answer 0." not in await showing(pilot, "Answer 39.")


@pytest.mark.parametrize("size", [(120, 40), (60, 20), (48, 14)])
async def test_what_the_keys_do_is_said_whole_or_not_at_all(size: tuple[int, int]) -> None:
    app, _ = dashboard()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("i")
        text = await showing(pilot, "enter sends · esc leaves")
        assert ("↑↓ earlier" in text) == (size[0] > 60)
        assert "…" not in next(line for line in text.splitlines() if "enter sends" in line)


def _long_ago() -> Snapshot:
    """Return the story where the first session has said more than the panel holds."""
    snapshot = story_snapshot()
    messages = tuple(said("nightly-docs", at, Role.ASSISTANT, f"Answer {at}.") for at in range(40))
    first = replace(snapshot.sessions[0], messages=messages)
    return replace(snapshot, sessions=(first, *snapshot.sessions[1:]))
