"""What is painted piece by piece, on what was painted before, is what is drawn."""

import random
from collections.abc import Iterable
from typing import Any, ClassVar

import pyte
from textual.app import App, ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from hermes_tui.tui.painting import SparingCompositor, pared
from hermes_tui.tui.widgets.lines import COMPONENTS, Lines
from hermes_tui.view.line import Line, Part, Style
from tests.tui.driving import settle, shown


class _Painted(App[None]):
    """One widget of lines, painted into an emulator as it would be into a terminal."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    CSS: ClassVar[str] = "Lines { width: 100%; height: 100%; }"

    def __init__(self) -> None:
        super().__init__()
        self.lines = Lines()
        self.terminal = pyte.Screen(60, 12)
        self.written = 0
        self._stream = pyte.Stream(self.terminal)

    def compose(self) -> ComposeResult:
        yield self.lines

    def _display(self, _screen: Any, renderable: Any) -> None:
        if renderable is not None:
            text = pared(renderable).render_segments(self.console)
            self.written += len(text)
            self._stream.feed(text.replace("\n", "\r\n"))


def _any_line(dice: random.Random) -> Line:
    words = ("ok", "12:41", "é", "日本", "a longer one", "", "▌", " ")
    return tuple(Part(dice.choice(words), dice.choice(list(Style))) for _ in range(dice.randint(0, 7)))


async def test_what_is_painted_piece_by_piece_is_what_is_drawn() -> None:
    dice, app = random.Random(5), _Painted()
    async with app.run_test(size=(60, 12)) as pilot:
        lines = [_any_line(dice) for _ in range(12)]
        for _ in range(150):
            for _ in range(dice.randint(1, 4)):
                at = dice.randrange(12)
                kept = list(lines[at])
                if kept and dice.random() < 0.7:
                    kept[dice.randrange(len(kept))] = dice.choice(_any_line(dice) or (Part("x"),))
                    lines[at] = tuple(kept)
                else:
                    lines[at] = _any_line(dice)
            app.lines.draw(tuple(lines), dice.choice((None, None, dice.randrange(12))))
            await pilot.pause()
            assert _trimmed(app.terminal.display) == _trimmed(shown(app))


async def test_a_part_that_changes_is_painted_and_not_what_stands_beside_it() -> None:
    app = _Painted()
    async with app.run_test(size=(60, 12)) as pilot:
        rest = tuple(Part(f"part {number} ", Style.MUTED) for number in range(8))
        app.lines.draw(((*rest[:4], Part("0:01"), *rest[4:]),))
        await pilot.pause()
        before = app.written
        app.lines.draw(((*rest[:4], Part("0:02"), *rest[4:]),))
        await pilot.pause()
        assert "0:02" in app.terminal.display[0]
        assert 0 < app.written - before < 60
        assert app.terminal.display[0].startswith("part 0 part 1 part 2 part 3 0:02part 4")


async def test_a_column_that_counts_down_tells_its_style_once() -> None:
    app = _Painted()
    async with app.run_test(size=(60, 12)) as pilot:
        beside = Part("a session  ", Style.PLAIN)
        app.lines.draw(tuple((beside, Part("0:01", Style.COOLING)) for _ in range(12)))
        await pilot.pause()
        before = app.written
        app.lines.draw(tuple((beside, Part("0:02", Style.COOLING)) for _ in range(12)))
        await pilot.pause()
        assert all("0:02" in line for line in app.terminal.display)
        assert 0 < app.written - before < 12 * len("\x1b[12;12H0:02") + 60


class _Asked(Lines):
    """Lines that note what was rendered of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.rendered = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.rendered += crop.height
        return super().render_lines(crop)


class _Sparing(Screen[None]):
    """Widgets beside each other, one that scrolls, and one that stands over the others."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = SparingCompositor()
        self.all = [_Asked(id=name) for name in ("left", "right", "long", "over")]

    def compose(self) -> ComposeResult:
        left, right, long, over = self.all
        yield Horizontal(left, right)
        yield VerticalScroll(long)
        yield over


class _PaintedSparingly(_Painted):
    CSS: ClassVar[str] = """
    Screen { layers: default over; }
    Horizontal, VerticalScroll { height: 6; }
    #left, #right { width: 1fr; height: 100%; border: round white; }
    #long { width: 80; height: 14; }
    #over { layer: over; dock: right; width: 20; height: 3; }
    """

    def get_default_screen(self) -> Screen[None]:
        return _Sparing()


def _all_of(app: App[None]) -> list[_Asked]:
    assert isinstance(app.screen, _Sparing)
    return app.screen.all


async def test_what_is_rendered_sparingly_is_what_is_drawn() -> None:
    dice, app = random.Random(9), _PaintedSparingly()
    async with app.run_test(size=(60, 12)) as pilot:
        drawn = {widget: [_any_line(dice) for _ in range(14)] for widget in _all_of(app)}
        for _ in range(150):
            for widget in dice.sample(_all_of(app), dice.randint(1, 3)):
                drawn[widget][dice.randrange(14)] = _any_line(dice)
                widget.draw(tuple(drawn[widget]))
            if dice.random() < 0.3:
                app.screen.query_one(VerticalScroll).scroll_to(y=dice.randrange(8), x=dice.randrange(9), animate=False)
            if dice.random() < 0.2:
                _all_of(app)[3].display = not _all_of(app)[3].display
            await pilot.pause()
            assert _trimmed(app.terminal.display) == _trimmed(shown(app))


async def test_a_widget_in_which_nothing_changed_is_not_rendered() -> None:
    app = _PaintedSparingly()
    async with app.run_test(size=(60, 12)) as pilot:
        left, _, long, _ = _all_of(app)
        for second in ("0:01", "0:02", "0:03"):  # laying out takes a while
            before = [widget.rendered for widget in _all_of(app)]
            left.draw(((Part(second),),))
            long.draw(((), (), (Part(second),)))
            await settle(pilot)
        assert [widget.rendered - was for widget, was in zip(_all_of(app), before, strict=True)] == [1, 0, 1, 0]


def _trimmed(lines: Iterable[str]) -> list[str]:
    return [line.rstrip() for line in lines]
