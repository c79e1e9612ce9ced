"""Keys and clicks: commands, confirmations, refusals, and what the screen does by itself."""

from dataclasses import replace

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Static

from hermes_tui.core.acts import (
    Command,
    ForceRestore,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    StopTurn,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.palette import PaletteScreen
from hermes_tui.tui.screens.reading import ReadingScreen
from hermes_tui.tui.themes import LIGHT, SAFE
from hermes_tui.view.line import ARROW
from tests.tui.driving import dashboard, everything, main, press, settle, showing, shown, toasts
from tests.tui.fakes import story_snapshot

FIRST = CredentialKey("openai-codex", "oauth-1")


@pytest.mark.parametrize(
    ("keys", "command"),
    [
        (["r"], ResetChain("nightly-docs")),
        (["P"], ProbeNow(FIRST, "gpt-5", anyway=True)),
        (["R"], ReloadConfiguration()),
        (["b", "y"], ForceRestore("nightly-docs")),
        (["f", "y"], UseFallback("nightly-docs")),
        (["x", "y"], StopTurn("nightly-docs")),
        (["c", "y"], ResetCooldown(FIRST)),
        (["b", "tab", "enter"], ForceRestore("nightly-docs")),
        (["4", "j", "c", "y"], ResetCooldown(CredentialKey("openai-codex", "oauth-2"))),
    ],
)
async def test_a_key_becomes_a_command(keys: list[str], command: Command) -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
        await settle(pilot)
        assert book.done == [command]
        assert len(toasts(app)) == 1


@pytest.mark.parametrize("answer", ["n", "escape", "enter"])
async def test_m39_a_confirm_names_its_object_and_no_is_the_safe_answer(answer: str) -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("b")
        assert isinstance(app.screen, ConfirmScreen)
        assert "reset lies ahead" in await showing(pilot, "Put nightly-docs back on openai-codex/gpt-5")
        await pilot.press(answer)
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)
        assert book.done == []


async def test_a_refused_act_says_why_and_when_that_changes() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert book.done == []
        (told,) = toasts(app)
        assert told == (
            "Not yet: openai-codex/oauth-1 was asked a moment ago and its verdict still counts; P asks anyway. "
            "That changes in 3:16 (14:10:38)."
        )


async def test_a_button_can_be_clicked() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        row = next(index for index, line in enumerate(shown(app)) if line.startswith("│r Reset chain"))
        await pilot.click(offset=(4, row))
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")]


async def test_the_footer_can_be_clicked() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.click(offset=(2, 39))
        assert isinstance(app.screen, ReadingScreen)


async def test_a_row_can_be_clicked() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.click(offset=(5, 4))
        assert main(app).selection.session == "triage"


async def test_a_key_right_after_the_cursor_acts_on_the_new_row() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)):
        main(app).action_do("down")
        assert main(app).selection.session == "triage"


async def test_a_filter_hides_what_does_not_match_and_esc_clears_it() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"tri")
        await settle(pilot)
        assert "heartbeat" not in everything(app)
        assert "1 of 4 shown" in everything(app)
        await pilot.press("enter", "escape")
        await showing(pilot, "heartbeat")


async def test_sorting_turns_by_key_and_keeps_the_cursor() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("s", "s", "s", "S")
        assert [line[1:17].strip(f"{ARROW} ") for line in shown(app)[3:7]] == [
            "triage",
            "refactor-auth",
            "nightly-docs",
            "heartbeat",
        ]
        assert main(app).panel.key == ("own", "nightly-docs")


async def test_zoom_gives_the_panel_the_screen_and_back() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("6", "z")
        await settle(pilot)
        assert "6 Events" in everything(app)
        assert "1 Sessions" not in everything(app)
        await pilot.press("escape")
        await settle(pilot)
        assert "1 Sessions" in everything(app)


async def test_a_frozen_display_stands_still_and_says_so() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("space")
        book.offset = 32
        app.tick()
        await pilot.pause()
        assert "FROZEN 0:32" in everything(app)
        assert "3:16    14:10:38" in everything(app)
        await pilot.press("space")
        await showing(pilot, "2:44    14:10:38")


@pytest.mark.parametrize("panel", "134")
async def test_enter_opens_everything_about_the_row_and_esc_leaves(panel: str) -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await showing(pilot, "nightly-docs")
        await pilot.press(panel)
        await settle(pilot)
        await pilot.press("enter")
        before = await showing(pilot, "esc closes")
        app.tick()
        await pilot.pause()
        assert everything(app).count("\n") == before.count("\n")
        assert "esc closes" in everything(app)
        assert isinstance(app.screen, ReadingScreen)
        await pilot.press("G", "g", "j", "k", "pagedown", "pageup", "escape")
        assert not isinstance(app.screen, ReadingScreen)


async def test_the_events_open_in_full() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("6", "j", "j", "enter")
        await showing(pilot, "fallback_activated")


async def _paged_through(pilot: Pilot[None]) -> str:
    """Return everything that a page holds, however long it is."""
    shown = await showing(pilot, "esc closes")
    while True:
        await pilot.press("pagedown")
        await pilot.pause()
        if everything(pilot.app) in shown:
            return shown
        shown += everything(pilot.app)


async def test_help_comes_from_the_table_and_knows_the_panel() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        assert "Shows only what contains a text" in await _paged_through(pilot)
        await pilot.press("escape", "2", "f1")
        assert "Shows only what contains a text" not in await _paged_through(pilot)


async def test_the_palette_starts_an_action_by_name() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "colon", *"chain res")
        assert isinstance(app.screen, PaletteScreen)
        await pilot.press("enter")
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")]
        assert len(app.screen_stack) == 1


async def test_the_palette_starts_what_is_clicked() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("colon")
        lines = (await showing(pilot, "Reset chain     r")).split("\n")
        await pilot.click(offset=(60, next(y for y, line in enumerate(lines) if "Reset chain     r" in line)))
        await settle(pilot)
        assert book.done == [ResetChain("nightly-docs")]


async def test_the_palette_is_left_without_starting_anything() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "colon", *"zzz")
        assert 'No command matches "zzz".' in everything(app)
        await pilot.press("enter", "escape")
        await settle(pilot)
        assert app.screen is main(app)
        assert book.done == []


async def test_tab_walks_through_the_panels() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        seen = []
        for _ in range(5):
            await pilot.press("tab")
            seen.append(main(app).focused_panel)
        assert seen == [3, 4, 5, 6, 1]
        await pilot.press("shift+tab")
        assert main(app).focused_panel == 6


async def test_the_theme_changes_by_key() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        assert app.theme == LIGHT
        await pilot.press("t")
        assert app.theme == SAFE


async def test_copying_a_row_holds_no_more_than_the_row() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("4", "y")
        assert app.clipboard.startswith("openai-codex/oauth-1 a91f")


async def test_quit_asks_while_turns_run_and_leaves_at_once_otherwise() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        assert isinstance(app.screen, ConfirmScreen)
        await showing(pilot, "Quit while 3 turns run?")
        await pilot.press("n")
        assert app.is_running
    snapshot = story_snapshot()
    quiet, _ = dashboard(replace(snapshot, sessions=snapshot.sessions[2:3]))
    async with quiet.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await pilot.pause()
    assert quiet.return_code == 0


async def test_quit_says_that_what_other_processes_run_goes_on_and_does_not_ask_for_it() -> None:
    snapshot = story_snapshot()
    foreign = [replace(state, owner=77, mine=False, takes_acts=True) for state in snapshot.sessions]
    app, _ = dashboard(replace(snapshot, sessions=(snapshot.sessions[0], *foreign[1:])))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        await showing(pilot, "Quit while 1 turn runs?")
        assert str(app.screen.query_one("#effect", Static).content).endswith("What other processes run goes on.")
    none_of_ours, _ = dashboard(replace(snapshot, sessions=tuple(foreign)))
    async with none_of_ours.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await pilot.pause()
    assert none_of_ours.return_code == 0


async def test_editing_without_a_terminal_to_hand_over_says_so() -> None:
    app, book = dashboard(editor=lambda: None)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("E")
        await settle(pilot)
        assert toasts(app) == ["This terminal cannot be handed to an editor."]
        assert book.done == []


@pytest.mark.parametrize("opens", ["slash", "colon"])
async def test_what_is_pasted_into_a_line_is_plain_and_without_tabs(opens: str) -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(opens)
        await settle(pilot)
        app.post_message(Paste("a\tb\x1b[2J"))
        await settle(pilot)
        assert 'matches "a b␛[2J".' in everything(app)
