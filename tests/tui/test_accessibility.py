"""What everybody needs to use the screen, whatever their eyes, their terminal and their pointing device."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.app import App
from textual.color import Color
from textual.pilot import Pilot

from hermes_tui.config.desk import FileDesk
from hermes_tui.core.keymap import DEFAULT
from hermes_tui.tui.app import TICK_SECONDS, HermesApp
from hermes_tui.tui.themes import ANSI, DARK, LIGHT, SAFE, Look
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.actions import ACTIONS, BY_ID
from hermes_tui.view.folded import PANEL_ACT
from hermes_tui.view.words import State
from tests.tui import situations
from tests.tui.driving import dashboard, everything, main, settle, shown
from tests.tui.editing import FILE
from tests.tui.fakes import NOW, StoryBook
from tests.tui.test_themes import contrast

KEPT = Path(__file__).parent.parent / "snapshots" / "text"
DRAWN = re.compile("[─-╿▀-▟\\s]+")
"""Lines, blocks and blanks: no text."""

WAYS = ("", "4", "z", "question_mark", "b", "n", "i", "slash x", "colon", "v", "u", "e", "e f1", "e tab a", "6 enter")


def drawn(app: App[Any]) -> Iterator[Segment]:
    """Yield every piece of text that is drawn, as the terminal gets it; below an open box nothing is to be read."""
    area = app.screen.children[0].region if app.screen.is_modal else app.screen.region
    filters = app.get_line_filters()
    for y, strip in enumerate(app.screen._compositor.render_strips(app.size)):
        if area.y <= y < area.bottom:
            shown_of_it = strip.crop(area.x, area.right)
            for line_filter in filters:
                shown_of_it = shown_of_it.apply_filter(line_filter, Color.parse("black"))
            yield from (segment for segment in shown_of_it if not DRAWN.fullmatch(segment.text))


def editable(folder: Path, look: Look) -> HermesApp:
    """Return a dashboard over a file that can be edited."""
    path = folder / "hermes-tui.toml"
    path.write_text(FILE, encoding="utf-8")
    return HermesApp(StoryBook(None, FileDesk(path, environ={}, now=lambda: NOW)), look=look)


async def go(pilot: Pilot[Any], way: str) -> None:
    """Press the keys of a way, one after the other."""
    await settle(pilot)
    for key in way.split():
        await pilot.press(key)
        await settle(pilot)


def told_apart(style: RichStyle) -> float:
    """Return the contrast of a style's colours."""
    assert style.color is not None
    assert style.bgcolor is not None
    return contrast(*(Color.from_rich_color(colour) for colour in (style.color, style.bgcolor)))


@pytest.mark.parametrize("way", WAYS)
async def test_every_text_that_is_drawn_has_a_contrast_of_four_and_a_half(way: str, tmp_path: Path) -> None:
    app = editable(tmp_path, Look(DARK, motion=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await go(pilot, way)
        backgrounds = set()
        for theme in (DARK, LIGHT, SAFE):
            app.theme = theme
            await settle(pilot)
            styles = {(segment.text.strip(), segment.style) for segment in drawn(app) if segment.style}
            coloured = {(text, style) for text, style in styles if style.color and style.bgcolor}
            backgrounds.add(frozenset(style.bgcolor for _, style in coloured))
            weak = {(text, style.color, style.bgcolor) for text, style in coloured if told_apart(style) < 4.5}
            assert weak == set(), theme
        assert len(backgrounds) == 3


async def test_every_state_is_a_word_that_needs_no_colour() -> None:
    for situation, state in (
        (situations.story, State.COOLING),
        (situations.story, State.DEAD),
        (situations.story, State.OK),
        (situations.story, State.NOT_SET),
        (situations.story, State.IN_USE),
        (situations.probing, State.PROBING),
        (situations.on_trial, State.ON_TRIAL),
        (situations.due, State.DUE),
    ):
        app, _ = dashboard(situation(), look=Look(ANSI, ascii=True, motion=False))
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            assert state.value.word in everything(app)


def test_a_state_with_a_glyph_that_may_be_two_cells_wide_has_a_blank_behind_it() -> None:
    kept = [file for file in KEPT.glob("*.txt") if not file.name.endswith(".ascii.txt")]
    assert len(kept) > 30
    for file in kept:
        assert not re.search("◐(?![ \n])", file.read_text("utf-8")), file.name


async def test_a_toast_in_ascii_is_ascii() -> None:
    app, _ = dashboard(look=Look(ANSI, ascii=True, motion=False))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        app.tell("Wer hätte das gedacht: 日本 …", grave=True)
        await pilot.pause()
        assert "Wer h?tte das gedacht: ???? ." in everything(app)
        assert everything(app).isascii()


async def test_at_80_columns_no_sentence_is_cut() -> None:
    for situation in (situations.story, situations.all_dead, situations.all_cooling, situations.engine_stopped):
        app, _ = dashboard(situation())
        async with app.run_test(size=(80, 24)) as pilot:
            await go(pilot, "3")
            sentences = [line for line in shown(app)[:14] if "…" in line and "/" not in line]
            assert sentences == []


def test_no_mouse_is_needed() -> None:
    assert {action.id for action in ACTIONS} == set(DEFAULT)
    assert all(DEFAULT[action.id] for action in ACTIONS)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])
async def test_everything_that_looks_like_a_button_is_one(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, _ = dashboard()
    async with app.run_test(size=size) as pilot:
        await go(pilot, "3")
        started: list[str] = []
        monkeypatch.setattr(main(app).deeds, "start", started.append)
        monkeypatch.setattr(main(app), "action_panel", lambda number: started.append(f"{PANEL_ACT}{number}"))
        for lines in app.screen.query(Lines):
            if not lines.display or not lines.region:
                continue
            for y, parts in enumerate(lines.lines[: lines.size.height]):
                x = 0
                for part in parts:
                    if part.act:
                        assert part.act in BY_ID or part.act.startswith(PANEL_ACT)
                        started.clear()
                        inside = lines.content_region
                        await pilot.click(offset=(inside.x + x, inside.y + y))
                        assert started == [part.act]
                    x += len(part.text)


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_blinks(way: str, tmp_path: Path) -> None:
    app = editable(tmp_path, Look(DARK))
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, way)
        assert not any(segment.style and (segment.style.blink or segment.style.blink2) for segment in drawn(app))
        assert not getattr(app.focused, "cursor_blink", False)
        assert not [widget for widget in app.screen.walk_children() if widget.auto_refresh and widget.visible]


def test_the_screen_is_drawn_once_a_second() -> None:
    assert TICK_SECONDS == 1.0
