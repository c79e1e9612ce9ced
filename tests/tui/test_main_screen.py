"""The dashboard at its sizes, and the cursor that drives it."""

import random
from dataclasses import replace

import pytest

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.tui.layout import Layout, layout_of, neighbour, visible
from hermes_tui.tui.themes import ANSI, Look
from hermes_tui.view.line import ARROW
from tests.tui.driving import dashboard, everything, main, settle, showing, shown, toasts
from tests.tui.fakes import NOW, story_snapshot


async def test_120x40_shows_six_panels_that_answer_the_six_questions() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        lines = shown(app)
        assert lines[0].startswith(" ! 2 of 4 sessions off their primary (1 lying probe)")
        text = "\n".join(lines)
        for title in (
            "1 Sessions",
            "2 Chain of nightly-docs",
            "3 Way back of nightly-docs",
            "4 Credentials and verdicts",
            "5 nightly-docs",
            "6 Events",
        ):
            assert title in text
        assert "b Force restore (asks first)" in text
        assert "zai/glm-5, live" in text
        assert lines[-1].rstrip().endswith("q Quit")


async def test_80x24_stacks_the_sessions_the_way_back_and_one_of_three_tabs() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = everything(app)
        assert "3 Chain and way back of nightly-docs" in text
        assert "4 Credentials │ 5 Reply │ 6 Events" in text
        assert "✗ cooldown 12:41" in text
        await pilot.press("6")
        await showing(pilot, "reset chain triage")
        await pilot.press("5")
        await showing(pilot, "Three endpoints moved")


@pytest.mark.parametrize("size", [(60, 20), (48, 14), (71, 40)])
async def test_a_small_screen_opens_one_panel_and_shows_the_others_as_lines(size: tuple[int, int]) -> None:
    app, _ = dashboard()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for number, title in enumerate(("Sessions", "Chain", "Way back", "Credentials", "Reply", "Events"), 1):
            await pilot.press(str(number))
            await showing(pilot, f"{number} {title}")
            lines = shown(app)
            assert sum(line[:1] == "┏" for line in lines) == 1
            for other, says in ((1, "nightly-docs"), (2, "12:41"), (3, "✗ cooldown 12:41")):
                assert any(line.startswith(f" {other} ") and says in line for line in lines) is (other != number)
            assert "reset chain triage" in "\n".join(lines)
            assert max(len(line) for line in lines) <= size[0]


async def test_a_line_that_stands_for_a_panel_opens_it_when_it_is_clicked() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(48, 14)) as pilot:
        await settle(pilot)
        for number, title in ((3, "3 Way back of nightly-docs"), (2, "2 Chain of nightly-docs"), (6, "6 Events")):
            row = next(y for y, line in enumerate(shown(app)) if line.startswith(f" {number} "))
            await pilot.click(offset=(6, row))
            await showing(pilot, title)
            assert main(app).focused_panel == number


async def test_a_slim_screen_answers_the_six_questions() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await pilot.press("4")
        lines = [line.rstrip() for line in shown(app)]
        assert lines[0].startswith(" ! 2/4 off (1 lying probe)")
        assert f" 1 {ARROW} nightly-docs  zai/glm-5  2/3  LYING PROBE  try in 3:16" in lines
        assert " 3 ✗ cooldown 12:41  ✗ pool 12:41  ✗ check 3:16  +1" in lines
        assert "quota 3:16 ✗" in "\n".join(lines)
        assert "b Restore" in lines[-1]
        assert any("14:06:30  you     reset chain" in line for line in lines)


@pytest.mark.parametrize("size", [(47, 30), (100, 13), (20, 5), (2, 2), (1, 1)])
async def test_below_the_least_size_a_sentence_and_the_sessions_remain(size: tuple[int, int]) -> None:
    app, _ = dashboard()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        if size[0] >= 20 and size[1] >= 3:
            told = " ".join(" ".join(line.strip() for line in shown(app)).split())
            assert f"Terminal is {size[0]}x{size[1]}; hermes-tui needs 48x14. q quits. ! 2/4 off" in told
        if size[0] >= 40:
            assert "nightly-docs  LYING PROBE  try in 3:16" in everything(app)


async def test_c136_sixty_resizes_at_random_end_in_the_right_layout() -> None:
    app, _ = dashboard()
    dice = random.Random(7)
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(60):
            await pilot.resize_terminal(dice.randint(1, 200), dice.randint(1, 70))
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert main(app).layout_now is Layout.SIX
        assert "6 Events" in everything(app)


def test_the_layout_follows_the_size() -> None:
    assert layout_of(120, 40) is Layout.SIX
    assert layout_of(120, 40, zoomed=True) is Layout.ONE
    assert layout_of(80, 24) is Layout.THREE
    assert layout_of(200, 24) is Layout.THREE
    assert layout_of(80, 50) is Layout.FIVE
    assert layout_of(60, 20) is Layout.SLIM
    assert layout_of(30, 50) is Layout.NONE
    assert visible(Layout.THREE, 1, 5, 24) == {1, 3, 5}
    assert visible(Layout.FIVE, 1, 5, 50) == {1, 3, 4, 5, 6}
    assert visible(Layout.SLIM, 2, 5, 20) == {2, 6}
    assert visible(Layout.SLIM, 2, 5, 14) == {2}
    assert neighbour(1, 1, Layout.THREE) == 3
    assert neighbour(1, -1, Layout.SIX) == 6


async def test_the_session_cursor_drives_chain_way_back_conversation_and_credential() -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j")
        text = await showing(pilot, "2 Chain of triage")
        assert "3 Way back of triage" in text
        assert "5 triage" in text
        assert main(app).selection.credential == CredentialKey("openai-codex", "oauth-2")


def reversed_sessions(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with its sessions in the other order."""
    return replace(snapshot, sessions=tuple(reversed(snapshot.sessions)))


async def test_c138_the_cursor_stays_on_its_session_and_moves_on_when_it_goes() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j")
        await book.turn(reversed_sessions(book.snapshot()))
        app.tick()
        await pilot.pause()
        assert main(app).selection.session == "triage"
        assert main(app).panel.key == ("own", "triage")
        snapshot = book.snapshot()
        await book.turn(replace(snapshot, sessions=tuple(one for one in snapshot.sessions if one.name != "triage")))
        app.tick()
        await pilot.pause()
        assert main(app).selection.session in {one.name for one in book.snapshot().sessions}
        assert main(app).panel.key == ("own", main(app).selection.session)


async def test_countdowns_follow_the_clock_and_only_changed_lines_are_repainted() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = main(app).panels[6].lines
        assert "3:16    14:10:38" in everything(app)
        book.offset = 30
        app.tick()
        await pilot.pause()
        assert "2:46    14:10:38" in everything(app)
        assert all(one is other for one, other in zip(before, main(app).panels[6].lines, strict=True))


async def test_a_change_of_the_source_is_shown_without_a_tick() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await book.turn(replace(book.snapshot(), engine_stopped=True, problem=None))
        await showing(pilot, "The engine stopped")


async def test_ascii_shows_nothing_above_127() -> None:
    app, _ = dashboard(look=Look(ANSI, ascii=True, motion=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert everything(app).isascii()
        await pilot.press("question_mark")
        assert everything(app).isascii()


async def test_an_empty_source_says_the_next_step_in_every_panel() -> None:
    app, _ = dashboard(Snapshot(0, NOW, "own"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = everything(app)
        assert "No sessions. Press n to start one." in text
        assert "No credentials yet." in text
        assert "Nothing has happened since" in text
        for key in ("j", "enter", "b", "p", "c", "x", "z", "s", "slash", "y", "i"):
            await pilot.press(key)
            await pilot.press("escape")
        assert app.is_running


async def test_no_colour_is_needed_to_read_the_screen() -> None:
    app, _ = dashboard()
    plain, _ = dashboard(look=Look(ANSI, motion=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        coloured = shown(app)
    async with plain.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert shown(plain) == coloured
    assert story_snapshot().at == NOW


@pytest.mark.parametrize("opens", ["v", "u", "n", "question_mark"])
async def test_what_was_answered_covers_nothing_that_is_opened_after(opens: str) -> None:
    app, _ = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        assert toasts(app)
        await pilot.press(opens)
        await settle(pilot)
        assert app.screen is not main(app)
        assert not toasts(app)


async def test_a_burst_of_keys_for_two_panels_comes_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = dashboard()
    async with app.run_test(size=(101, 33)) as pilot:
        await settle(pilot)
        main(app).action_panel(4)
        main(app).action_panel(6)
        await settle(pilot)
        divided = []
        monkeypatch.setattr(main(app), "divide", lambda: divided.append(main(app).focused_panel))
        for _ in range(5):
            await pilot.pause()
        assert divided == []
        assert main(app).focused_panel == 6
        assert main(app).focused is main(app).panels[6]


@pytest.mark.parametrize("size", [(120, 40), (60, 18), (48, 14)])
async def test_a_toast_never_covers_the_screen_however_long_its_text_is_nor_leaves_a_rest_beside_it(
    size: tuple[int, int],
) -> None:
    app, _ = dashboard()
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        app.tell(f"It was answered: {'word ' * 400}END")
        assert "It was answered:" in await showing(pilot, "END")
        covered = [line for line in shown(app) if "▌" in line]
        assert len(covered) <= max(size[1] // 3, 6) + 2
        assert all(set(line.rpartition("▌")[2]) <= set("word It was answered: END…") for line in covered)
