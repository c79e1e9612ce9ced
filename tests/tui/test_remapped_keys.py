"""Keys of the user's own: they act, the screen shows them, and a changed file changes them at once."""

from dataclasses import replace

import pytest
from textual.keys import Keys, _character_to_key

from hermes_tui.core.acts import ResetChain, UseFallback
from hermes_tui.core.keymap import NAMED, SIGNS, Keymap
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.palette import PaletteScreen
from hermes_tui.tui.screens.reading import ReadingScreen
from tests.tui.driving import dashboard, everything, main, press, settle, showing
from tests.tui.fakes import CONFIGURATION, story_facts, story_snapshot


def with_keys(**changed: str) -> Snapshot:
    """Return the story under a configuration with other keys, each written as key names with commas."""
    keymap = Keymap(tuple((action, tuple(keys.split(","))) for action, keys in changed.items()))
    return replace(story_snapshot(), facts=story_facts().under(replace(CONFIGURATION, keymap=keymap)))


def test_keys_are_named_as_textual_names_them() -> None:
    assert set(NAMED) <= {key.value for key in Keys}
    assert {sign: name for name, sign in SIGNS.items()} == {sign: _character_to_key(sign) for sign in SIGNS.values()}


async def test_a_new_key_acts_and_the_old_one_no_longer_does() -> None:
    app, book = dashboard(with_keys(reset_chain="ctrl+y"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert book.done == []
        await pilot.press("ctrl+y")
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")]


async def test_two_actions_change_places() -> None:
    app, book = dashboard(with_keys(reset_chain="f", use_fallback="r"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        await pilot.press("r", "y")
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs"), UseFallback("nightly-docs")]


async def test_an_action_with_several_keys_acts_once_for_each() -> None:
    app, _ = dashboard(with_keys(sort="h,l", down="n", new_session="j", help="ctrl+h,f5"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("n")
        assert main(app).panel.key == ("own", "triage")
        await pilot.press("f5")
        assert isinstance(app.screen, ReadingScreen)
        await pilot.press("escape")
        await pilot.press("h")
        once = everything(app)
        await pilot.press("l")
        assert "by: diagnosis" in once
        assert "by: next change" in everything(app)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_footer_and_buttons_show_the_keys_in_force(size: tuple[int, int]) -> None:
    app, _ = dashboard(with_keys(reset_chain="ctrl+y", help="f5", quit="Q"))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("3")
        text = await showing(pilot, "ctrl+y Reset chain")
        assert "f5 Help" in text
        assert "Q Quit" in text
        assert "r Reset chain" not in text.replace("ctrl+y Reset", "")
        assert "? Help" not in text


async def test_a_changed_file_changes_keys_and_an_open_help_at_once() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        assert "  r         Reset chain" in await showing(pilot, "Reset chain")
        await book.turn(with_keys(reset_chain="ctrl+y"))
        await showing(pilot, "  ctrl+y    Reset chain")
        await pilot.press("escape", "ctrl+y")
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")]
        await book.turn(with_keys())
        await showing(pilot, "r Reset chain")
        await pilot.press("ctrl+y")
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")]
        await pilot.press("r")
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")] * 2


async def test_what_a_panel_advises_names_the_keys_in_force() -> None:
    snapshot = story_snapshot()
    quiet = tuple(replace(state, messages=(), live=None) for state in snapshot.sessions)
    app, book = dashboard(replace(snapshot, sessions=quiet))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await showing(pilot, "Press i to write a prompt")
        await book.turn(replace(with_keys(prompt="ctrl+y"), sessions=quiet))
        await showing(pilot, "Press ctrl+y to write a prompt")


async def test_the_palette_shows_the_keys_in_force() -> None:
    app, _ = dashboard(with_keys(palette="ctrl+o", reset_chain="ctrl+y"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        assert isinstance(app.screen, PaletteScreen)
        await press(pilot, *"Reset")
        await showing(pilot, "Reset chain     ctrl+y")


async def test_a_key_that_the_palette_gave_up_belongs_to_its_new_action() -> None:
    app, _ = dashboard(with_keys(palette="colon", use_fallback="ctrl+p"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, ConfirmScreen)


async def test_letters_stay_text_in_the_prompt_whatever_they_start_elsewhere() -> None:
    app, book = dashboard(with_keys(reset_chain="a", palette="h,ctrl+p", quit="o"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "i", *"aho")
        await settle(pilot)
        box = main(app).prompting.box
        assert box is not None
        assert box.text == "aho"
        assert book.done == []


async def test_the_answers_of_a_question_stay_where_they_are() -> None:
    app, book = dashboard(with_keys(reset_chain="n", new_session="r", copy="a"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "n")
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)
        await pilot.press("f", "y")
        await settle(pilot)
        assert book.done == [UseFallback("nightly-docs")]
