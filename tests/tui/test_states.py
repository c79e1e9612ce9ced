"""Every state and every trouble has its word, its sentence and its next step on the screen."""

from dataclasses import replace

import pytest

from hermes_tui.core.credential import CredentialKey
from hermes_tui.tui.themes import ANSI, Look
from tests.tui import situations
from tests.tui.driving import dashboard, everything, main, press, settle, showing, shown
from tests.tui.fakes import NOW, story_facts, story_sessions, story_snapshot
from tests.tui.situations import Situation


@pytest.mark.parametrize(
    ("situation", "sentences"),
    [
        (
            situations.nothing,
            ["There is no configuration yet. Press e to write one.", "No sessions. Press n to start one."],
        ),
        (situations.no_sessions, ["No sessions. Press n to start one."]),
        (
            situations.no_credentials,
            [
                "hermes-tui reads them from [providers.*] in hermes-tui.toml.",
                "Nothing is sent anywhere until you start a session or press p.",
            ],
        ),
        (
            situations.one_link,
            [
                "Only openai is configured: nothing to fall back to.",
                "Nothing to restore: heartbeat is on its first provider.",
            ],
        ),
        (situations.all_well, ["✓ all on their primary", "all ok"]),
        (
            situations.all_cooling,
            ["All 3 credentials are cooling. First back: openai-codex/oauth-2 in 12:41 (14:20:03)."],
        ),
        (situations.all_dead, ["No credential can be used.", "Sign in again with codex login."]),
        (
            situations.broken_file,
            ["hermes-tui.toml ✗", "hermes-tui.toml, line 14: probe_intervall_seconds is unknown"],
        ),
        (
            situations.engine_stopped,
            ["The engine stopped: nightly-docs: disk full. Numbers below are from 14:07:22."],
        ),
        (situations.read_only, ["Read only: a newer hermes-tui wrote the state."]),
        (situations.locked, ["The state is locked by another process"]),
        (
            situations.probing,
            ["◌ PROBING", "asking", "The usage endpoint is being asked; the countdown stays"],
        ),
        (situations.stale, ["quota 12m STALE", "stale: will ask before use"]),
        (situations.due, ["◐ DUE"]),
        (situations.on_trial, ["↻ ON TRIAL"]),
        (situations.cleared, ["cleared"]),
        (situations.assumed, ["~15:00:00"]),
    ],
)
async def test_a_situation_is_told_in_its_words(situation: Situation, sentences: list[str]) -> None:
    app, _ = dashboard(situation())
    async with app.run_test(size=(80, 50)) as pilot:
        await settle(pilot)
        await pilot.press("4")
        for words in sentences:
            text = await showing(pilot, words.split(maxsplit=1)[0])
            assert " ".join(words.split()) in " ".join(text.replace("│", " ").replace("┃", " ").split())


async def test_what_the_user_cleared_is_told_with_its_time() -> None:
    app, _ = dashboard(situations.cleared())
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("4", "j")
        text = await showing(pilot, "Cleared by you 14:06:00.")
        assert any("77c2" in line and "✓ OK" in line and "cleared" in line for line in text.split("\n"))


async def test_a_filter_that_hides_all_is_told_on_the_screen() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"foo", "enter")
        await showing(pilot, 'No session matches "foo". esc clears the filter.')


def bold(lines: list[str], word: str, app: object) -> bool:
    """Tell whether `word` is drawn bold."""
    strips = app.screen._compositor.render_strips(app.size)  # type: ignore[attr-defined]
    row = next(y for y, line in enumerate(lines) if word in line)
    return any(word in segment.text and segment.style and segment.style.bold for segment in strips[row])


async def test_what_changed_is_bold_for_one_tick_and_countdowns_are_no_news() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        facts = story_facts()
        facts.put(replace(facts.sessions["triage"], position=3, index=3))
        await book.turn(replace(story_snapshot(), facts=facts, sessions=story_sessions(facts)))
        book.offset = 0.3
        app.tick()
        await settle(pilot)
        assert bold(shown(app), "openrouter/auto    3/3", app) or bold(shown(app), "3/3", app)
        assert not bold(shown(app), "WAITING FOR RESET", app)
        book.offset = 0.6
        app.tick()
        await settle(pilot)
        assert bold(shown(app), "3/3", app)
        book.offset = 1.4
        app.tick()
        await settle(pilot)
        assert not bold(shown(app), "3/3", app)
        assert not bold(shown(app), "back in 12m", app)


async def test_a_countdown_is_bold_in_its_last_ten_seconds() -> None:
    app, book = dashboard(situations.last_seconds())
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        assert bold(shown(app), "0:04", app)
        assert not bold(shown(app), "1d 19h", app)
        book.offset = 5
        app.tick()
        await showing(pilot, "◐ DUE")


async def test_what_arrives_while_the_display_is_frozen_is_shown_after() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("space")
        await book.turn(situations.all_dead())
        book.offset = 32
        app.tick()
        await settle(pilot)
        assert "FROZEN 0:32" in everything(app)
        assert "No credential can be used." not in everything(app)
        await pilot.press("space")
        text = await showing(pilot, "No credential can be used.")
        assert "FROZEN" not in text


async def test_the_whole_row_is_copied_however_narrow_the_screen() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(48, 14)) as pilot:
        await settle(pilot)
        await pilot.press("6", "G", "k", "y")
        assert app.clipboard == (
            "14:04:55  pool  openai-codex/key-ci is dead: 401 sign-in revoked. Sign in again with codex login."
        )
        await pilot.press("1", "y")
        assert app.clipboard == ("nightly-docs  RUN  zai/glm-5  2/3  LYING PROBE  14:05:40  try in 3m  14:10:38  we")
        await pilot.press("4", "y")
        assert app.clipboard == ("openai-codex/oauth-1 a91f  ◐ COOLING  1d 19h  Wed 09:12  provider  quota 3:16 ✗")


async def test_sorting_is_shown_over_its_column_with_its_direction() -> None:
    app, _ = dashboard(look=Look(ANSI, motion=False))
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await pilot.press("s", "s")
        assert "next ↓" in await showing(pilot, "by: next change")
        await pilot.press("S")
        await showing(pilot, "next ↑")
        await pilot.press("4", "s")
        await showing(pilot, "back in↓")
        assert main(app).selection.credential == CredentialKey("openai-codex", "oauth-1")


def test_the_time_of_these_tests_is_the_storys() -> None:
    assert situations.story().at == NOW
