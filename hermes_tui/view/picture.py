"""A course as a picture of columns: a ruler of local times, a lane for each route, the marks, and the cooldowns."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Final

from hermes_tui.core.course import AheadKind, Cooling, Course, Mark, MarkKind, Span
from hermes_tui.view.cells import width
from hermes_tui.view.line import Line, Part, Style
from hermes_tui.view.looking import HOUR_SECONDS, Window
from hermes_tui.view.words import DAY_SECONDS, local, wall

Cell = tuple[str, Style]

BLANK: Final[Cell] = (" ", Style.PLAIN)
NOW: Final[Cell] = ("│", Style.MUTED)
UNTOLD: Final[Cell] = ("?", Style.MUTED)
"""The journal does not tell."""

FULL, BRIEF = "█", "▌"
COOLED, COOLS = "▒", "░"
CALM: Final = "─"
TICK_CELLS: Final = 9
"""Ticks stand at least this far from each other."""

_STEPS: Final = (
    *(minutes * 60.0 for minutes in (5, 10, 15, 30)),
    *(hours * HOUR_SECONDS for hours in (1, 2, 3, 6, 12)),
    *(days * DAY_SECONDS for days in (1, 2, 7, 14)),
)

MARKS: Final[dict[MarkKind, Cell]] = {
    MarkKind.EXHAUSTED: ("!", Style.ALERT),
    MarkKind.FAILED_AGAIN: ("✗", Style.DEAD),
    MarkKind.FAILED: ("!", Style.DEAD),
    MarkKind.ACT: ("@", Style.YOU),
    MarkKind.VERIFIED: ("✓", Style.OK),
    MarkKind.LEFT: ("↓", Style.COOLING),
    MarkKind.RESTORED: ("↑", Style.TRIAL),
    MarkKind.MOVED: ("↓", Style.COOLING),
    MarkKind.CHAIN: ("%", Style.PLAIN),
    MarkKind.CLOCK: ("~", Style.MUTED),
    MarkKind.CREATED: ("*", Style.MUTED),
}
"""What moved the session, the gravest first: where several share a column, the first shows."""

VERDICTS: Final[dict[MarkKind, Cell]] = {
    MarkKind.CONTRADICTED: ("✗", Style.DEAD),
    MarkKind.QUOTA: ("q", Style.OK),
    MarkKind.NO_QUOTA: ("n", Style.COOLING),
    MarkKind.UNKNOWN: ("?", Style.MUTED),
}
"""What was said of the primary's quota, the gravest first."""

COMING: Final[dict[AheadKind, Cell]] = {
    AheadKind.RESET: ("R", Style.OK),
    AheadKind.RUN: ("N", Style.PLAIN),
    AheadKind.CHECK: ("C", Style.PROBING),
}
"""What is known to come."""


def lane(label: str, label_cells: int, cells: Iterable[Cell], style: Style = Style.PLAIN) -> Line:
    """Return a row of cells as a line, after a label that fits; neighbours of one style are one part."""
    parts = [Part(label + " " * (label_cells + 1 - width(label)), style)]
    for of, run in groupby(cells, key=lambda cell: cell[1]):
        parts.append(Part("".join(glyph for glyph, _ in run), of))
    return tuple(parts)


# The ruler


def ticks(window: Window) -> tuple[float, tuple[float, ...]]:
    """Return the step between ticks, and the round local times in the window at which they stand."""
    step = next((step for step in _STEPS if step / window.cell_seconds >= TICK_CELLS), _STEPS[-1])
    found = []
    for day in _days(window):
        if step <= DAY_SECONDS:
            found += [_at(day, seconds) for seconds in range(0, DAY_SECONDS, int(step))]
        elif day.toordinal() % int(step // DAY_SECONDS) == 0:
            found.append(_at(day, 0))
    return step, tuple(at for at in found if window.holds(at))


def _days(window: Window) -> Iterator[date]:
    day = local(window.start).date()
    while day <= local(window.end).date():
        yield day
        day += timedelta(days=1)


def _at(day: date, seconds: int) -> float:
    """Return a time of a local day: the same on the clock, whatever happens to the zone that night."""
    return (datetime.combine(day, time()) + timedelta(seconds=seconds)).astimezone().timestamp()


def ruler(window: Window, now: float, label_cells: int) -> tuple[Line, Line]:
    """Return two lines: the ticks' names, midnight by its day, and the ticks themselves, with now among them."""
    step, at = ticks(window)
    here = window.column(now)
    names, marks = [BLANK] * window.cells, [(CALM, Style.MUTED)] * window.cells
    if 0 <= here < window.cells:
        _write(names, min(max(here - 1, 0), max(window.cells - 3, 0)), "now", Style.KEY)
    for tick in at:
        marks[window.column(tick)] = ("┼", Style.MUTED)
        _write(names, window.column(tick), _name(tick, step), Style.STRONG if _is_midnight(tick) else Style.MUTED)
    if 0 <= here < window.cells:
        marks[here] = ("┼", Style.STRONG)
    return lane(f"  {local(window.start):%a %H:%M}", label_cells, names, Style.MUTED), lane("", label_cells, marks)


def _write(cells: list[Cell], column: int, text: str, style: Style) -> None:
    """Write `text` into cells where all of it has room among blanks, and a blank on either side."""
    until = column + len(text)
    if until <= len(cells) and all(cell == BLANK for cell in cells[max(column - 1, 0) : until + 1]):
        cells[column:until] = [(letter, style) for letter in text]


def _is_midnight(at: float) -> bool:
    return local(at).time() == time()


def _name(at: float, step: float) -> str:
    moment = local(at)
    if step >= DAY_SECONDS:
        return f"{moment:%a} {moment.day}"
    return f"{moment:%a}" if _is_midnight(at) else f"{moment:%H:%M}"


# The lanes


def shares(spans: Sequence[Span], window: Window) -> Iterator[list[tuple[float, Span]]]:
    """Yield for each column the spans that fall into it with their seconds, the longest first."""
    at = 0
    for column in range(window.cells):
        start, end = window.edges(column)
        while at < len(spans) and spans[at].end <= start:
            at += 1
        found = []
        for span in spans[at:]:
            if span.start >= end:
                break
            found.append((min(span.end, end) - max(span.start, start), span))
        yield sorted(found, key=lambda pair: -pair[0])


def route_lane(
    course: Course, route: str, position: int | None, found: Sequence[Sequence[tuple[float, Span]]], window: Window
) -> list[Cell]:
    """Return the lane of a route: full where it served most of a column, half where it came and went within one."""
    style = Style.OK if position == 0 else Style.COOLING
    cells = []
    for within in found:
        most = within[0][1].route if within else ""
        brief = any(span.route == route and span.seconds <= seconds for seconds, span in within)
        if most == route or brief:
            cells.append((FULL if most == route else BRIEF, style))
        else:
            cells.append(UNTOLD if position == 0 and most is None else BLANK)
    _mark_now(cells, window, course.until)
    return cells


def _mark_now(cells: list[Cell], window: Window, now: float) -> None:
    here = window.column(now)
    if 0 <= here < window.cells and cells[here] == BLANK:
        cells[here] = NOW


def marks_lane(course: Course, kinds: dict[MarkKind, Cell], window: Window, *, coming: bool) -> list[Cell]:
    """Return the lane of the marks of `kinds`, with what is known to come where that is wanted."""
    cells = [BLANK] * window.cells
    ranks = {kind: rank for rank, kind in enumerate(kinds)}
    best: dict[int, Mark] = {}
    for mark in course.marks:
        column = window.column(mark.time)
        if mark.kind in ranks and (column not in best or ranks[mark.kind] < ranks[best[column].kind]):
            best[column] = mark
    shown = {column: kinds[mark.kind] for column, mark in best.items()}
    for one in course.ahead if coming else ():
        shown.setdefault(window.column(one.at), COMING[one.kind])
    for column, cell in shown.items():
        if 0 <= column < window.cells:
            cells[column] = cell
    _mark_now(cells, window, course.until)
    return cells


def cooling_lanes(course: Course, window: Window) -> Iterator[tuple[str, str, list[Cell]]]:
    """Yield a lane for each credential that cooled down or is dead within the window: its name, its state, its cells.

    The end of a cooldown that lies ahead is written into it.
    """
    for credential, of in groupby(course.coolings, key=lambda one: one.credential):
        seen = [one for one in of if one.covers(window.start, window.end)]
        if seen:
            cells = [BLANK] * window.cells
            for one in seen:
                _cool(cells, one, window, course.until)
            _mark_now(cells, window, course.until)
            yield credential, "is dead" if seen[-1].end is None else "cools", cells


def _cool(cells: list[Cell], one: Cooling, window: Window, now: float) -> None:
    here, end = window.column(now), window.end if one.end is None else one.end
    first, last = max(window.column(one.start), 0), min(window.column(end), window.cells - 1)
    for column in range(first, last + 1):
        past = column <= here
        glyph = "✗" if one.end is None else COOLED if past else COOLS
        cells[column] = (glyph, Style.DEAD if one.end is None else Style.COOLING)
    if one.end is not None and one.end > now:
        until = f" {wall(one.end, now, assumed=one.approximate)} "
        start = window.cells - width(until) if one.end >= window.end else last - width(until)
        if start > max(here, first):
            cells[start : start + width(until)] = [(letter, Style.COOLING) for letter in until]


def overview_cells(spans: Sequence[Span], window: Window, now: float) -> list[Cell]:
    """Return a session as one row: a calm line on its primary, the position's digit on a fallback."""
    cells = [_place(within[0][1]) if within else BLANK for within in shares(spans, window)]
    _mark_now(cells, window, now)
    return cells


def _place(span: Span) -> Cell:
    if span.route is None:
        return UNTOLD
    if span.position == 0:
        return CALM, Style.OK
    return ("+" if span.position is None or span.position > 9 else str(span.position)), Style.COOLING
