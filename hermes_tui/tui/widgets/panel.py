"""A panel: a body of fixed and scrolling lines with a cursor that is kept by what it stands on (C138)."""

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size

from hermes_tui.tui.content import say
from hermes_tui.tui.widgets.changes import Changes
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.columns import UNCUT
from hermes_tui.view.line import ARROW, EMPTY, Body, Line, Row, text_of
from hermes_tui.view.moment import Moment, Selection
from hermes_tui.view.rows import kept, row_reads_until
from hermes_tui.view.words import reads_until

Make = Callable[[Moment, int], Body]
"""Makes a body of a moment, in so many cells."""

_GAPS: Final = re.compile(r" {2,}")

MOVES: Final = (
    Binding("j,down", "move(1)", "Down", show=False),
    Binding("k,up", "move(-1)", "Up", show=False),
    Binding("g,home", "move(-100000)", "First", show=False),
    Binding("G,end", "move(100000)", "Last", show=False),
    Binding("pagedown", "page(1)", "Page down", show=False),
    Binding("pageup", "page(-1)", "Page up", show=False),
)
"""The keys of whoever moves a panel's cursor by rows and pages."""

ROWS_FIRST: Final = 5
"""So many rows are shown before the lines below them."""


class Panel(Lines, can_focus=True):
    """One numbered panel. Subclasses say what their body is at a moment, in so many cells."""

    NUMBER: ClassVar[int] = 0
    SORTS: ClassVar[tuple[str, ...]] = ("",)
    ALWAYS_MARKED: ClassVar[bool] = False
    """Whether the cursor shows without the focus, too."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._body = Body((), "")
        self._key: Hashable = None
        self._index = 0
        self._top = 0
        self._stamp: tuple[object, ...] | None = None
        self._stands_at = self._stands_until = 0.0
        self._drawn = False
        self._given_height = 0
        self._changes = Changes()
        self._moment: Moment | None = None
        self._titles: tuple[str, str] | None = None
        self._tabs: Content | None = None
        self.on_marked: Callable[[Panel], None] = lambda _: None
        """Called at once when the user moves the cursor, so that the next key already acts on that row."""
        self.sought = ""
        self.sort = self.SORTS[0]
        self.reverse = False

    def body(self, moment: Moment, cells: int) -> Body:
        """Return what the panel shows at `moment` in `cells` columns."""
        raise NotImplementedError

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the body depends on besides the time: while it is the same, only the time brings another."""
        return (moment,)

    def show(self, moment: Moment) -> None:
        """Show `moment`; nothing is built while the panel is hidden or has no room."""
        self._moment = moment
        cells = self.size.width
        if not self.display or cells < 1:
            return
        self._build(moment, cells)
        if not self._drawn:
            self._drawn = True
            self._place()
        if self.wanted_height != self._given_height and self.styles.is_auto_height:
            self.refresh(layout=True)

    def _build(self, moment: Moment, cells: int) -> None:
        """Make the body anew where anything that it depends on is another, or a text in sight reads differently."""
        stamp = (cells, self.sought, self.sort, self.reverse, *self.stamp(moment))
        stands = self._stands_at <= moment.now < self._stands_until
        if self._stamp is None or not stands or not _same(stamp, self._stamp):
            self._changes.next_build()
            key, index, body = self._key, self._index, self.body(moment, cells)
            if self._stamp is None or self._stamp[0] != cells:
                self._changes.forget()
                self._body = body
            else:
                self._body = replace(body, rows=kept(body.rows, self._body.rows, self._stands_at, moment.now))
            self._stamp, self._stands_at, self._drawn = stamp, moment.now, False
            self._keep_cursor()
            if self._key == key:  # what comes and goes above the cursor does not move the rows that are read
                self._top += self._index - index

    def _reads_until(self, rows: Iterable[Row], lines: Iterable[Line]) -> float:
        """Return until when what is in sight reads as it did when it was built; no second brings two of them."""
        second = self._stands_at // 1 + 1
        if self._body.dates is None or any(part.fresh for line in lines for part in line):
            return second
        at = self._stands_at
        return max(second, min((reads_until(self._body.dates, at), *(row_reads_until(row, at) for row in rows))))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's
        """Return the height at which nothing has to scroll, laid out for `width`."""
        if self._moment is not None and width > 0:
            self._build(self._moment, width)
        self._given_height = self.wanted_height
        return self._given_height

    def on_resize(self) -> None:
        """Lay the body out for the new size."""
        self.show_again()

    def show_again(self) -> None:
        """Show the same moment after something else has changed."""
        self._drawn = False
        if self._moment is not None:
            self.show(self._moment)

    def on_show(self) -> None:
        """Catch up on what happened while the panel was hidden."""
        self.show_again()

    def on_focus(self) -> None:
        """Show the cursor."""
        self._place()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._place()

    @property
    def wanted_height(self) -> int:
        """The height at which nothing has to scroll."""
        return len(self._body.head) + len(self._body.rows) + len(self._body.foot)

    @property
    def key(self) -> Hashable:
        """What the cursor stands on, None where there is nothing."""
        return self._key

    @property
    def marked_text(self) -> str:
        """The whole text of the row under the cursor, cut nowhere, or of everything where there is no cursor."""
        if self._key is None or self._moment is None:
            return "\n".join(text_of(row.line) for row in self._body.rows)
        rows = self.body(self._moment, UNCUT).rows
        whole = next((text_of(row.line) for row in rows if row.key == self._key), "")
        return _GAPS.sub("  ", whole)

    def mark(self, key: Hashable) -> None:
        """Put the cursor on the row of `key` without telling anybody."""
        if key != self._key:
            self._key = key
            self._keep_cursor()
            self._place()

    def move(self, by: int) -> None:
        """Move the cursor by so many rows, or scroll where there is no cursor."""
        keys = [index for index, row in enumerate(self._body.rows) if row.key is not None]
        if not keys:
            self._scroll(by)
            return
        at = keys.index(self._index) if self._index in keys else 0
        self._go(keys[min(max(at + by, 0), len(keys) - 1)])

    def go_first(self) -> None:
        """Go to the first row."""
        self.move(-len(self._body.rows))

    def go_last(self) -> None:
        """Go to the last row."""
        self.move(len(self._body.rows))

    def copied(self) -> tuple[str, str]:
        """Return what is copied here, and what to say of it."""
        return self.marked_text.removeprefix(ARROW).strip(), "Copied the row."

    def next_sort(self) -> None:
        """Sort by the next column."""
        self.sort = self.SORTS[(self.SORTS.index(self.sort) + 1) % len(self.SORTS)]
        self.show_again()

    def turn_around(self) -> None:
        """Reverse the order."""
        self.reverse = not self.reverse
        self.show_again()

    def seek(self, text: str) -> None:
        """Show only what contains `text`."""
        self.sought = text
        self.show_again()

    def page(self) -> int:
        """Return how many rows a page has."""
        return max(self._room() - 1, 1)

    def _go(self, index: int) -> None:
        row = self._body.rows[index]
        self._index, self._key, self._drawn = index, row.key, False
        self.on_marked(self)
        if not self._drawn:
            self._drawn = True
            self._place()

    def _scroll(self, by: int) -> None:
        last = max(len(self._body.rows) - self._room(), 0)
        self._top = min(max(self._top + by, 0), last)
        self._place()

    def _keep_cursor(self) -> None:
        """Find the cursor's row again; where it is gone its neighbour takes over."""
        rows = self._body.rows
        keyed = [index for index, row in enumerate(rows) if row.key is not None]
        if not keyed:
            self._key = None
            return
        found = next((index for index in keyed if rows[index].key == self._key), None)
        self._index = found if found is not None else min(keyed, key=lambda index: abs(index - self._index))
        self._key = rows[self._index].key

    def _foot(self, height: int) -> tuple[Line, ...]:
        """Return the fixed lines below that leave room for a few rows."""
        body = self._body
        spare = height - len(body.head) - min(len(body.rows), ROWS_FIRST)
        return body.foot[: max(spare, 0)]

    def _room(self) -> int:
        height = self.size.height
        return max(height - len(self._body.head) - len(self._foot(height)), 0)

    def _place(self) -> None:
        """Bring the cursor into sight, and draw what there is room for."""
        body, rows, height = self._body, self._body.rows, self.size.height
        foot = self._foot(height)
        room = max(height - len(body.head) - len(foot), 0)
        last = max(len(rows) - room, 0)
        if self._key is not None:
            self._top = min(max(self._top, self._index - room + 1), self._index)
        self._top = min(max(self._top, 0), last)
        in_sight = rows[self._top : self._top + room]
        visible = [self._told(row) for row in in_sight]
        self._stands_until = self._reads_until(in_sight, visible)
        blank = [EMPTY] * (room - len(visible))
        shows = (self.has_focus or self.ALWAYS_MARKED) and self._key is not None
        marked = len(body.head) + self._index - self._top if shows else None
        self.draw((*body.head, *visible, *blank, *foot), marked)
        self._entitle(f"{self._top + 1}-{self._top + room} of {len(rows)}" if last else "")

    def _told(self, row: Row) -> Line:
        """Return a row with what is news in it; without a key there is nothing to compare it by."""
        if row.key is None or self._moment is None:
            return row.line
        return self._changes.told(row.key, row.line, self._moment.now)

    def _entitle(self, where: str) -> None:
        title = f"{self.NUMBER} {self._body.title}" if self.NUMBER else self._body.title
        subtitle = " · ".join(filter(None, (self._body.subtitle, where)))
        if self._titles != (title, subtitle):
            self._titles = (title, subtitle)
            self.border_title = self._tabs or say(title)
            self.border_subtitle = say(subtitle)

    def retitle(self, title: Content | None) -> None:
        """Show `title` instead of the panel's own, None for its own."""
        if self._tabs != title:
            self._tabs, self._titles = title, None
            self._place()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row under the mouse; buttons are pressed by the class above."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self._top + offset.y - len(self._body.head)
        in_rows = 0 <= offset.y - len(self._body.head) < self._room()
        if in_rows and index < len(self._body.rows) and self._body.rows[index].key is not None:
            self._go(index)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move down."""
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move up."""
        event.stop()
        self.move(-1)


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Tell whether two stamps are the same: large values by identity, small ones by value."""
    pairs = zip(one, other, strict=True) if len(one) == len(other) else [(None, True)]
    return all(mine is its or (isinstance(mine, str | int | Selection) and mine == its) for mine, its in pairs)
