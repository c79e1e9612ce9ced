"""How a timeline is looked at: how much of it, up to when, and where the cursor stands. Times are epoch seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Final, NamedTuple

from hermes_tui.view.words import DAY_SECONDS

HOUR_SECONDS: Final = 3600

SPANS: Final = (
    *(hours * HOUR_SECONDS for hours in (1, 3, 6, 12)),
    *(days * DAY_SECONDS for days in (1, 2, 3, 5, 7, 14, 30)),
)
"""The steps of the zoom, from near to far."""

FIRST_SPAN: Final = 7 * DAY_SECONDS
"""No more than this is shown at first."""

AHEAD_SHARE: Final = 1 / 8
"""The part of the picture that is kept for what comes, while it goes with the clock."""

PAN_SHARE: Final = 1 / 4
"""The part of the picture that one step aside moves it."""


class Window(NamedTuple):
    """The time from `start` to `end` in `cells` columns."""

    start: float
    end: float
    cells: int

    @property
    def cell_seconds(self) -> float:
        """How much time a column stands for."""
        return (self.end - self.start) / self.cells

    def column(self, at: float) -> int:
        """Return the column of a moment, which may lie outside."""
        return floor((at - self.start) / self.cell_seconds)

    def holds(self, at: float) -> bool:
        """Tell whether a moment is in the picture."""
        return 0 <= self.column(at) < self.cells

    def edges(self, column: int) -> tuple[float, float]:
        """Return when a column begins and ends."""
        start = self.start + column * self.cell_seconds
        return start, start + self.cell_seconds


@dataclass(frozen=True, slots=True)
class Looking:
    """`span` seconds, up to `end`; None goes with the clock. `cursor` is the moment it stands on, None the newest."""

    span: float
    end: float | None = None
    cursor: float | None = None

    def window(self, now: float, cells: int) -> Window:
        """Return what is looked at, in `cells` columns. It moves by whole columns, so that a picture rarely changes."""
        cells = max(cells, 1)
        column = self.span / cells
        end = ceil(self._end(now) / column) * column
        return Window(end - self.span, end, cells)

    def _end(self, now: float) -> float:
        return now + self.span * AHEAD_SHARE if self.end is None else self.end

    def zoomed(self, steps: int, now: float) -> "Looking":
        """Return another zoom, `steps` nearer; where it does not go with the clock the cursor, or the middle, stays."""
        at = min(max(SPANS.index(self.span) - steps, 0), len(SPANS) - 1)
        span = SPANS[at]
        if self.end is None and self.cursor is None:
            return replace(self, span=span)
        end = self._end(now)
        start = end - self.span
        seen = self.cursor is not None and start <= self.cursor <= end
        middle = self.cursor if seen and self.cursor is not None else (start + end) / 2
        share = (end - middle) / self.span
        return replace(self, span=span, end=middle + span * share)

    def panned(self, steps: int, now: float) -> "Looking":
        """Return the picture moved aside, later for positive `steps`."""
        return replace(self, end=self._end(now) + steps * PAN_SHARE * self.span)

    def home(self) -> "Looking":
        """Return the picture that goes with the clock."""
        return Looking(self.span)

    def moved(self, by: int, moments: Sequence[float], now: float, cells: int) -> "Looking":
        """Return the cursor on the next of `moments` (sorted) in another column, by -1 or 1; the picture follows it."""
        window = self.window(now, cells)
        standing = self.standing(moments, now)
        if standing is None:
            return self
        here = window.column(standing)
        there = [at for at in moments if (window.column(at) - here) * by > 0]
        if not there:
            return replace(self, cursor=standing)
        cursor = there[0] if by > 0 else there[-1]
        moved = replace(self, cursor=cursor)
        return moved if window.holds(cursor) else replace(moved, end=cursor + self.span / 2)

    def standing(self, moments: Sequence[float], now: float) -> float | None:
        """Return the moment under the cursor: the nearest to where it was put, else the newest that is past."""
        if not moments:
            return None
        if self.cursor is None:
            past = [at for at in moments if at <= now]
            return past[-1] if past else moments[0]
        wanted = self.cursor
        return min(moments, key=lambda at: abs(at - wanted))


def first_look(since: float, now: float) -> Looking:
    """Return the nearest zoom that shows everything since `since`, up to a week."""
    wanted = (now - since) / (1 - AHEAD_SHARE)
    span = next((span for span in SPANS if span >= wanted), FIRST_SPAN)
    return Looking(min(span, FIRST_SPAN))
