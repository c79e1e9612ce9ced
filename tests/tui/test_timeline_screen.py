"""The timeline on the screen: opened, read, walked through, followed, and left."""

import asyncio
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from hermes_tui.core.errors import StateError
from hermes_tui.core.event import Event, PrimaryVerified, SessionRenamed, TurnStarted
from hermes_tui.core.text import plain
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.tui.screens.timeline import TimelineScreen
from hermes_tui.tui.themes import ANSI, Look
from hermes_tui.view.line import text_of
from tests.tui.driving import STILL, dashboard, everything, main, settle, showing, shown
from tests.tui.fakes import NOW, StoryBook, story_snapshot

SIZES = [(120, 40), (100, 30), (80, 24), (60, 20), (48, 14), (40, 12)]


async def opened(pilot: Pilot[None]) -> str:
    """Open the timeline, and return what it shows once the journal has been read."""
    await settle(pilot)
    await pilot.press("v")
    return await showing(pilot, "zai/glm-5" if pilot.app.size.width > 50 else "glm-5")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("plainly", [False, True])
async def test_it_opens_at_every_size_with_routes_marks_and_now(size: tuple[int, int], plainly: bool) -> None:
    app, _ = dashboard(look=replace(STILL, ascii=plainly))
    async with app.run_test(size=size) as pilot:
        text = await opened(pilot)
        assert "Timeline of nightly-docs" in text
        assert "now" in text
        assert "events" in text
        assert "esc back" in text
        assert ("#" if plainly else "█") in text
        assert text.isascii() or not plainly


async def test_without_colour_it_says_the_same() -> None:
    seen = []
    for look in (STILL, Look(ANSI, motion=False)):
        app, _ = dashboard(look=look)
        async with app.run_test(size=(120, 40)) as pilot:
            seen.append(await opened(pilot))
    assert seen[0] == seen[1]


async def test_the_cursor_walks_and_the_sentence_goes_with_it() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        assert "left openai-codex/gpt-5 (oauth-1) for zai/glm-5: 429 usage limit" in await opened(pilot)
        await pilot.press("right")
        assert "the probe says no quota" in await showing(pilot, "this ends")
        await pilot.press("left", "left")
        assert "key-ci is dead: 401" in await showing(pilot, "sign-in revoked")


async def test_zoom_pan_and_home_change_the_time_that_is_shown() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await pilot.press("minus", "minus")
        await showing(pilot, "6 h: Mon 08:")
        await pilot.press("left_square_bracket", "left_square_bracket", "left_square_bracket", "left_square_bracket")
        await showing(pilot, "6 h: Mon 02:")
        assert "now" not in shown(app)[1]
        await pilot.press("0")
        await showing(pilot, "6 h: Mon 08:")
        assert "now" in shown(app)[1]
        await pilot.press("plus", "plus")
        await showing(pilot, "1 h: Mon 13:")


async def test_the_same_is_told_as_text_with_its_sums() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(pilot)
        await pilot.press("t")
        text = await showing(pilot, "Recorded since")
        assert "2 switches" in text
        assert "Verdicts about its primary: 1 quota, 1 contradicted by a request." in text
        assert "█" not in text
        await pilot.press("t")
        assert "Recorded since" not in await showing(pilot, "█")


async def test_every_session_is_below_and_the_cursor_opens_its_own() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        text = await opened(pilot)
        for name in ("nightly-docs", "triage", "heartbeat", "refactor-auth"):
            assert name in text
        await pilot.press("down")
        assert "gpt-5-mini" in await showing(pilot, "Timeline of triage")
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, MainScreen)
        assert main(app).selection.session == "triage"


async def test_the_cursor_of_the_sessions_begins_on_the_one_that_is_shown() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "v")
        await showing(pilot, "gpt-5-mini")
        await pilot.press("down")
        await showing(pilot, "Timeline of heartbeat")


async def test_sessions_that_vanish_leave_the_last_picture() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await book.turn(replace(story_snapshot(), sessions=()))
        await pilot.press("left", "plus", "right")
        await showing(pilot, "Timeline of nightly-docs")


async def test_escape_goes_back_and_keeps_the_selection() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await pilot.press("down", "escape")
        await settle(pilot)
        assert isinstance(app.screen, MainScreen)
        assert main(app).selection.session == "nightly-docs"


async def test_it_goes_with_the_clock_and_draws_what_happens_meanwhile() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        book.offset = 20.0
        snapshot = story_snapshot()
        last = snapshot.events[-1][0]
        verified = PrimaryVerified(time=NOW + 19, session="nightly-docs", provider="openai-codex", model="gpt-5")
        told = (*snapshot.events, (last + 1, verified))
        home = replace(snapshot.sessions[0].row, position=0, index=0, departure=None, cooldown=None)
        here = replace(snapshot.sessions[0], row=home)
        await book.turn(replace(snapshot, events=told, sessions=(here, *snapshot.sessions[1:])))
        text = await showing(pilot, "verified by a reply")
        assert "✓" in text


async def test_a_tick_in_which_nothing_moves_repaints_countdowns_alone() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await pilot.press("minus", "minus", "minus", "minus", "minus", "minus")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, TimelineScreen)
        before = screen._panel.lines
        book.offset = 1.0
        app.tick()
        changed = [text_of(line) for line, old in zip(screen._panel.lines, before, strict=True) if line != old]
        assert all("this ends" in text or "can be used again" in text for text in changed), changed


@pytest.mark.parametrize(
    "events",
    [
        ((900, TurnStarted(time=NOW, session="triage", turn=4, prompt=plain("go"))),),
        (
            *story_snapshot().events,
            (story_snapshot().events[-1][0] + 1, SessionRenamed(time=NOW, session="triage", before="sorting")),
        ),
    ],
    ids=["missing events", "another name"],
)
async def test_what_it_cannot_add_makes_it_read_the_journal_again(events: tuple[tuple[int, Event], ...]) -> None:
    app, book = dashboard()
    asked = []
    reading = book.history

    async def history(session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        asked.append(session)
        return await reading(session, since)

    book.history = history  # type: ignore[method-assign]
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await book.turn(replace(story_snapshot(), events=events))
        await pilot.pause()
        await settle(pilot)
        assert [session for session in asked if session is None] == [None, None]


class Unreadable(StoryBook):
    """A source whose journal cannot be read."""

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:  # noqa: ARG002
        raise StateError("state.db: is locked by another process")


class Slow(StoryBook):
    """A source whose journal takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        await self.go_on.wait()
        return await super().history(session, since)


async def test_a_journal_that_cannot_be_read_is_said_plainly() -> None:
    app = HermesApp(Unreadable(), look=STILL)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await showing(pilot, "The journal cannot be read: state.db: is locked by another process")


async def test_while_the_journal_is_read_the_screen_says_so_and_takes_keys() -> None:
    book = Slow()
    app = HermesApp(book, look=STILL)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await showing(pilot, "Reading the journal.")
        await pilot.press("plus", "left", "t", "t", "left_square_bracket", "0", "down")
        await pilot.press("up")
        book.go_on.set()
        await showing(pilot, "zai/glm-5")
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, MainScreen)


async def test_a_window_that_shrinks_and_grows_keeps_the_timeline() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        for size in ((30, 8), (1, 1), (48, 14), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert all(len(line) <= 80 for line in shown(app))
        assert "Timeline of nightly-docs" in everything(app)


async def test_its_keys_are_clicked_too_so_that_a_mouse_alone_goes_nearer_and_leaves() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        text = await opened(pilot)
        assert "6 h:" not in text
        for words in ("-", "-"):
            await pilot.click("#timeline-keys", offset=(shown(app)[-1].index(f"{words} zoom"), 0))
        await showing(pilot, "6 h: Mon 08:")
        await pilot.click("#timeline-keys", offset=(shown(app)[-1].index("back"), 0))
        await showing(pilot, "1 Sessions")
