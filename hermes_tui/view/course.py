"""The timeline of a session: its course as a picture with the sentence of what the cursor stands on, or as text."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from hermes_tui.core.chronicle import Chronicle
from hermes_tui.core.course import Course
from hermes_tui.core.session import Session
from hermes_tui.view import picture
from hermes_tui.view.cells import cut, width
from hermes_tui.view.course_words import absence_sentence, ahead_sentence, day_and_time, mark_sentence, sentences, sums
from hermes_tui.view.keys_line import keys_line
from hermes_tui.view.line import ARROW, EMPTY, Body, Line, Part, Row, Style, line, line_width, wrapped
from hermes_tui.view.looking import HOUR_SECONDS, Looking, Window
from hermes_tui.view.words import DAY_SECONDS, wall

LABEL_CELLS: Final = (12, 24)
"""The least and the most that the names beside a picture take."""

SENTENCES: Final = (2, 8)
"""Lines for what the cursor stands on: the least, and those that are kept for it where there is room."""

_OVERVIEW_HEADING: Final = f"all sessions: {picture.CALM} on the primary, a digit: the fallback in use"

OVERVIEW_LINES: Final = 6
"""So many lines are kept for the sessions below, where there are several and room."""


def label_cells(cells: int) -> int:
    """Return how wide the names beside a picture are in a panel of `cells` columns."""
    least, most = LABEL_CELLS
    return min(max(cells // 4, least), most)


def picture_cells(cells: int) -> int:
    """Return how many columns the picture itself has in a panel of `cells` columns."""
    return max(cells - label_cells(cells) - 2, 1)


def moments(course: Course) -> tuple[float, ...]:
    """Return every moment that the cursor can stand on, in order."""
    return tuple(sorted({*(mark.time for mark in course.marks), *(one.at for one in course.ahead)}))


def pictured(
    course: Course,
    session: Session,
    others: Mapping[str, Session],
    chronicle: Chronicle,
    looking: Looking,
    size: tuple[int, int],
) -> Body:
    """Return the timeline as a picture for a panel of `size` (columns, lines), with all sessions below it."""
    cells, lines = size
    now, beside = course.until, label_cells(cells)
    window = looking.window(now, picture_cells(cells))
    explained = legend(course, window, cells)
    below = min(len(others) + 1, max(lines // 4, OVERVIEW_LINES)) if len(others) > 1 else 0
    overview = below if lines >= 2 * OVERVIEW_LINES else 0
    head = _picture(course, session, window, beside, lines - SENTENCES[0] - overview - 1)
    spare = lines - len(head) - 1 - below - len(explained)
    standing = looking.standing(moments(course), now)
    kept = min(max(spare, SENTENCES[0]), SENTENCES[1])
    told = _told(course, standing, window, cells, max(kept, spare // 2))
    head += [_cursor(standing, window, beside), *told, *[EMPTY] * (kept - len(told))]
    head += _absences(course, cells, lines - len(head) - below - len(explained))
    rows: tuple[Row, ...] = ()
    if below and len(head) < lines:
        head += [line(f"  {cut(_OVERVIEW_HEADING, cells - 2)}", Style.COLUMN)] if lines - len(head) > below else []
        rows = tuple(
            Row(partial(_row, row, session.name, chronicle, window, now, beside), name) for name, row in others.items()
        )
    subtitle = f"{_span_words(looking)}: {day_and_time(window.start)} to {day_and_time(window.end)}"
    return Body(rows, f"Timeline of {session.name}", subtitle, head=tuple(head), foot=explained)


def _picture(course: Course, session: Session, window: Window, beside: int, lines: int) -> list[Line]:
    """Return ruler, routes, cooldowns and marks; of the cooldowns as many as `lines` have room for."""
    bands = list(_bands(course, session, window, beside))
    marks = [
        picture.lane("  events", beside, picture.marks_lane(course, picture.MARKS, window, coming=True)),
        picture.lane("  verdicts", beside, picture.marks_lane(course, picture.VERDICTS, window, coming=False)),
    ]
    ruler = picture.ruler(window, course.until, beside)
    room = max(lines - len(bands) - len(marks) - len(ruler), 0)
    cooling = [
        picture.lane(f"  {_fitting(f'{name} {word}', name, beside - 2)}", beside, cells)
        for name, word, cells in picture.cooling_lanes(course, window)
    ]
    return [*ruler, *bands, *cooling[:room], *marks]


def _fitting(whole: str, short: str, cells: int) -> str:
    return whole if width(whole) <= cells else cut(short, cells)


def _absences(course: Course, cells: int, lines: int) -> list[Line]:
    """Return the newest absences in sentences, as many as so many lines hold with one above and a heading."""
    told = [line("  away from its primary, newest first", Style.COLUMN)]
    for absence in reversed(course.absences):
        sentence = wrapped(absence_sentence(absence), cells, indent=2)
        if len(told) + len(sentence) + 1 > lines:
            break
        told += sentence
    return [*told, EMPTY] if len(told) > 1 else []


def _bands(course: Course, session: Session, window: Window, beside: int) -> Iterator[Line]:
    """Yield a lane for each route that served, and for the primary, in the order of the chain."""
    found = list(picture.shares(course.spans, window))
    served = {span.route: span.position for span in course.spans if span.route is not None}
    chain = {str(link.route): position for position, link in enumerate(session.chain, 1)}
    chain = {**chain, str(session.requested): 0}
    routes = sorted({str(session.requested), *served}, key=lambda route: (chain.get(route, len(chain)), route))
    for route in routes:
        cells = picture.route_lane(course, route, chain.get(route), found, window)
        place = f"{ARROW if route == str(session.active) else ' '} {chain.get(route, '-')} "
        name = _fitting(route, route.partition("/")[2], beside - width(place))
        yield picture.lane(place + name, beside, cells)


def _cursor(standing: float | None, window: Window, beside: int) -> Line:
    if standing is None or not window.holds(standing):
        return EMPTY
    return (Part(" " * (beside + 1 + window.column(standing))), Part("^", Style.KEY))


def _told(course: Course, standing: float | None, window: Window, cells: int, lines: int) -> list[Line]:
    """Return what happened where the cursor stands, in at most so many lines; the least grave gives way."""
    ranked = list(_texts(course, standing, window)) if standing is not None else []
    told = [(rank, wrapped(text, cells, indent=2)) for rank, text in ranked]
    dropped = 0
    while len(told) > 1 and sum(len(parts) for _, parts in told) + (dropped > 0) > lines:
        told.remove(max(told, key=lambda pair: pair[0]))
        dropped += 1
    shown = [part for _, parts in told for part in parts]
    if not told:
        shown = [line("Nothing has happened that is recorded.", Style.MUTED)]
    if dropped:
        more = line(cut(f"and {dropped} more here: + shows it closer", cells), Style.MUTED)
        shown = [*shown[: lines - 1], more]
    return shown[:lines]


def _texts(course: Course, standing: float, window: Window) -> Iterator[tuple[int, str]]:
    """Yield what happened, or will, in the column of the cursor, each with its rank: the gravest is 0."""
    here, now = window.column(standing), course.until
    ranks = {kind: rank for rank, kind in enumerate((*picture.MARKS, *picture.VERDICTS))}
    for mark in course.marks:
        if window.column(mark.time) == here:
            yield ranks.get(mark.kind, len(ranks)), f"{wall(mark.time, now)} {mark_sentence(mark)}"
    for one in course.ahead:
        if window.column(one.at) == here:
            yield 0, f"{wall(one.at, now, assumed=one.approximate)} {ahead_sentence(one, now)}"


def _row(row: Session, chosen: str, chronicle: Chronicle, window: Window, now: float, beside: int) -> Line:
    cells = picture.overview_cells(chronicle.spans(row, now), window, now)
    return picture.lane(f"{ARROW if row.name == chosen else ' '} {cut(row.name, beside - 2)}", beside, cells)


def _span_words(looking: Looking) -> str:
    hours = looking.span / HOUR_SECONDS
    return f"{hours:g} h" if looking.span < DAY_SECONDS else f"{looking.span / DAY_SECONDS:g} d"


def legend(course: Course, window: Window, cells: int) -> tuple[Line, ...]:
    """Return what the marks in the picture mean, in as few lines as hold them."""
    seen = {mark.kind for mark in course.marks if window.holds(mark.time)}
    marks = {**picture.MARKS, **picture.VERDICTS}
    told = [(*marks[kind], kind.words) for kind in marks if kind in seen]
    untold = any(span.route is None and span.end > window.start for span in course.spans)
    told += [(*picture.UNTOLD, "not recorded")] if untold else []
    told += [(*picture.COMING[one.kind], one.kind.words) for one in course.ahead if window.holds(one.at)]
    lines: list[Line] = [EMPTY]
    for glyph, style, meaning in dict.fromkeys(told):
        piece = (Part(f"{glyph} ", style), Part(f"{meaning}  ", Style.MUTED))
        if line_width((*lines[-1], *piece)) > cells:
            lines.append(EMPTY)
        lines[-1] = (*lines[-1], *piece)
    return tuple(lines)


def worded(course: Course, cells: int) -> Body:
    """Return the timeline as sentences, the newest first, below its sums."""
    head = [part for text in sums(course) for part in wrapped(text, cells, Style.STRONG, 2)]
    told = sorted(sentences(course, course.until), key=lambda pair: -pair[0])
    rows = tuple(Row(part) for _, text in told for part in wrapped(text, cells, indent=2))
    rows = rows or (Row(line("Nothing has happened that is recorded.", Style.MUTED)),)
    return Body(rows, f"Timeline of {course.session}", "as text, newest first", head=(*head, EMPTY))


_KEYS: Final = (
    (("left", "right"), "marks", True),
    (("plus", "minus"), "zoom", True),
    (("left_square_bracket", "right_square_bracket"), "earlier, later", True),
    (("0",), "now", True),
    (("up", "down"), "session", True),
    (("up", "down"), "scroll", False),
    (("t",), "as text", True),
    (("t",), "as picture", False),
    (("enter",), "go to it", True),
)


def timeline_keys(cells: int, *, as_text: bool) -> Line:
    """Return the keys of the timeline that fit, `esc back` always first."""
    return keys_line(((names, meaning) for names, meaning, picture in _KEYS if picture is not as_text), cells)


def waiting(name: str, fault: str | None, cells: int) -> Body:
    """Return what is shown before the journal has been read, or when it cannot be."""
    text = f"The journal cannot be read: {fault}" if fault else "Reading the journal."
    return Body(tuple(Row(part) for part in wrapped(text, cells)), f"Timeline of {name}")
