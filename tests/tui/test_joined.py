"""Several sources on one screen: the program's own sessions, and those of another program beside them."""

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import wiring
from hermes_tui.commands import joining
from hermes_tui.core.acts import ForceRestore, NewSession, ProbeNow
from hermes_tui.core.keymap import NO_CHANGE
from hermes_tui.core.session import Role
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.telling import Telling
from hermes_tui.core.text import PlainText
from hermes_tui.tui.alerting import OFF_PRIMARY_TITLE
from hermes_tui.tui.app import HermesApp
from hermes_tui.view.actions import SWITCH_MODEL
from hermes_tui.view.line import Style
from tests.tui.driving import dashboard, everything, main, press, settle, showing, shown, toasts
from tests.tui.fakes import StoryBook, said, story_snapshot
from tests.tui.situations import OTHER, of_another


async def joined(app: HermesApp, page: Snapshot | None = None) -> StoryBook:
    """Join another source to the app, and return it."""
    other = StoryBook(page or of_another(mine=True))
    app.join(other)
    return other


def rows(app: HermesApp) -> list[str]:
    """Return the lines of the sessions that name their source."""
    return [line for line in shown(app) if line.startswith("┃") and (f" {OTHER} " in line or " own " in line)]


async def test_the_sessions_of_all_sources_are_listed_and_counted_with_whose_they_are() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert " own " not in everything(app)
        await joined(app)
        await settle(pilot)
        assert [row.strip("┃› ").split()[0] for row in rows(app)] == [
            "nightly-docs", "triage", "heartbeat", "refactor-auth",
            "nightly-docs", "triage", "heartbeat", "refactor-auth",
        ]  # fmt: skip
        assert shown(app)[0].startswith(" ! 4 of 8 sessions off their primary (2 lying probe)")
        assert "4 off their primary" in everything(app)


async def test_the_panels_tell_of_the_source_of_the_selected_session() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        other = await joined(app)
        facts = of_another(mine=True).facts
        assert facts.configuration is not None
        facts.configuration = replace(facts.configuration, pools=facts.configuration.pools[-1:])
        await other.turn(replace(of_another(mine=True), facts=facts, events=()))
        await settle(pilot)
        assert "4 Credentials and verdicts of own" in everything(app)
        await press(pilot, "down", "down", "down", "down", "down")
        await settle(pilot)
        assert (app.source, main(app).selection.session) == (other, "triage")
        text = await showing(pilot, "6 Events of hermes")
        assert "4 Credentials and verdicts of hermes" in text
        assert "2 Chain of triage" in text
        assert "oauth-1" not in text
        await press(pilot, "up", "up")
        await showing(pilot, "oauth-1")


async def test_an_act_goes_to_the_source_that_owns_the_session() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        other = await joined(app)
        await settle(pilot)
        await press(pilot, "down", "down", "down", "down")
        await press(pilot, "b")
        await settle(pilot)
        await press(pilot, "up")  # in the question
        await press(pilot, "y")
        await settle(pilot)
        assert [type(command) for command in other.done] == [ForceRestore]
        assert book.done == []
        await press(pilot, "up")
        await press(pilot, "P")
        await settle(pilot)
        assert app.source is book
        assert [type(command) for command in book.done] == [ProbeNow]


async def test_a_new_session_is_the_programs_own_where_no_other_source_can_make_one() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        other = await joined(app, replace(of_another(mine=True), runs_new=None))
        await settle(pilot)
        await press(pilot, "down", "down", "down", "down", "down")
        await press(pilot, "n")
        await settle(pilot)
        await press(pilot, "ctrl+s")
        await settle(pilot)
        assert [type(command) for command in book.done] == [NewSession]
        assert other.done == []


async def test_where_several_sources_can_make_a_session_the_user_says_which_and_the_form_says_it_too() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        other = await joined(app, replace(of_another(mine=True), runs_new=PlainText("Hermes of /home/me/.hermes")))
        await settle(pilot)
        await press(pilot, "down", "down", "down", "down", "down", "n")
        text = await showing(pilot, "New session: who runs it?")
        assert "own     hermes-tui itself" in text
        assert "hermes  Hermes of /home/me/.hermes" in text
        await press(pilot, "enter")  # the source of the selected session is marked
        text = await showing(pilot, "New session in Hermes of /home/me/.hermes")
        assert "every" not in text
        await press(pilot, "enter", *"Summarise it.", "ctrl+s")
        await settle(pilot)
        assert other.done == [NewSession("session-1", prompt="Summarise it.")]
        assert app.source is other
        await press(pilot, "n", "up", "enter")
        await showing(pilot, "┏━ New session ━")
        await press(pilot, "ctrl+s")
        await settle(pilot)
        assert book.done == [NewSession("session-1")]
        assert app.source is book


async def test_what_was_said_in_a_session_of_another_program_is_read_beside_the_screen() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        page = of_another()
        stripped = replace(page, sessions=tuple(replace(state, messages=(), live=None) for state in page.sessions))
        other = await joined(app, stripped)
        other.told["nightly-docs"] = (said("nightly-docs", 1, Role.USER, "asked of the other"),)
        await settle(pilot)
        assert "Three endpoints moved" in everything(app)
        await press(pilot, "down", "down", "down", "down")
        text = await showing(pilot, "asked of the other")
        assert "Three endpoints moved" not in text
        await press(pilot, "up", "up", "up", "up")
        await showing(pilot, "Three endpoints moved")


async def test_the_first_session_is_selected_wherever_it_is_until_the_user_chooses() -> None:
    empty = replace(story_snapshot(), sessions=())
    app, book = dashboard(empty)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        other = await joined(app)
        await settle(pilot)
        assert (app.source, main(app).selection.session) == (other, "nightly-docs")
        await press(pilot, "down")
        await other.turn(replace(of_another(mine=True), sessions=()))
        await book.turn(story_snapshot())
        await settle(pilot)
        assert app.source is other
        assert main(app).selection.session is None


async def test_a_source_that_has_trouble_is_named_in_its_sentence_and_in_the_title() -> None:
    page = story_snapshot()
    fine = replace(page, sessions=(page.sessions[2],))
    app, _ = dashboard(fine)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await joined(app, replace(of_another(mine=True), problem=PlainText("auth.json cannot be read")))
        await settle(pilot)
        assert any(line.startswith(" hermes: auth.json cannot be read") for line in shown(app))
        assert OFF_PRIMARY_TITLE in app._titled


async def test_a_frozen_screen_holds_all_sources_still() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        other = await joined(app)
        await settle(pilot)
        before = len(rows(app))
        app.freeze()
        await other.turn(replace(of_another(mine=True), sessions=()))
        await settle(pilot)
        assert len(rows(app)) == before
        app.freeze()
        await settle(pilot)
        assert len(rows(app)) == before - 4


async def test_leaving_asks_about_turns_of_any_source_that_run_here() -> None:
    quiet = replace(story_snapshot(), sessions=story_snapshot().sessions[1:3])
    app, _ = dashboard(quiet)
    async with app.run_test(size=(120, 40)) as pilot:
        await joined(app)
        await settle(pilot)
        await press(pilot, "q")
        await showing(pilot, "refactor-auth")
        assert toasts(app) == []


@pytest.mark.parametrize(("mine", "style"), [(True, Style.STRONG), (False, Style.MUTED)])
async def test_another_model_is_offered_only_where_a_session_can_have_one(mine: bool, style: Style) -> None:
    page = story_snapshot()
    app, _ = dashboard(replace(page, sessions=(replace(page.sessions[0], mine=mine, owner=77),)))
    async with app.run_test(size=(120, 40)) as pilot:
        await showing(pilot, "m Model")
        parts = [part for line in main(app).way_back.lines for part in line if part.act == SWITCH_MODEL]
        assert parts[-1].style is style


async def test_a_home_that_is_being_read_is_told_until_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("model: {}\n", encoding="utf-8")
    read, read_homes = threading.Event(), wiring.open_homes

    def slowly(*given: Any) -> Any:
        assert read.wait(60)
        return read_homes(*given)

    monkeypatch.setattr(joining, "open_homes", slowly)
    calling = joining.Calling(Telling, tmp_path)
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        joins = asyncio.ensure_future(joining.join_homes(app, (str(tmp_path),), NO_CHANGE, calling))
        text = await showing(pilot, "reading Hermes ...")
        assert text.startswith(" reading Hermes ... │ ! 2/4 off")
        read.set()
        await joins
        await settle(pilot)
        assert len(app.sources) == 2
        assert "reading" not in shown(app)[0]
