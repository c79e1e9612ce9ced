"""Panel 1: every session with its route, position, diagnosis and next change."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from hermes_tui.core.plans import archived
from hermes_tui.core.session import Session
from hermes_tui.view import empty
from hermes_tui.view.columns import Column, cells_of, heading, laid_out
from hermes_tui.view.diagnosing import (
    CODE_WORDS,
    attention_part,
    change_part,
    change_wall,
    next_change,
    phase_part,
    said_by,
    since,
)
from hermes_tui.view.line import Body, Dates, Line, Part, Row, Style, line, wrapped
from hermes_tui.view.moment import Moment, Named, Standing
from hermes_tui.view.words import newest, wall

COLUMNS: Final = (
    Column("session", 12, grow=1, most=26),
    Column("of", 8, from_width=88, most=14),
    Column("turn", 8, from_width=77),
    Column("in use", 12, from_width=57, grow=3, most=30, name_first=True),
    Column("pos", 4, from_width=74),
    Column("diagnosis", 18),
    Column("since", 9, from_width=108),
    Column("next", 9, from_width=44),
    Column("next change", 15, from_width=74),
    Column("at", 10, from_width=104, title=""),
    Column("said by", 9, from_width=100, grow=1, most=18),
)

ARCHIVED: Final = "ARCHIVED"

SORTS: Final = ("file order", "diagnosis", "next change", "session")


def sessions(
    moment: Moment,
    cells: int,
    *,
    sought: str = "",
    sort: str = SORTS[0],
    reverse: bool = False,
    with_archived: bool = False,
) -> Body:
    """Return the panel of the sessions in `cells` columns, filtered by `sought`; the archived ones last, if any."""
    layout = laid_out(_columns(cells, several=bool(moment.beside)), cells)
    standings = [standing for place in moment.everywhere for standing in place.standings]
    chosen = [standing for standing in standings if not sought or matches(standing, sought)]
    marked = Named(moment.source, moment.selection.session or "")
    rows = tuple(
        Row(
            partial(_row, standing, moment, layout, marked=is_marked),
            Named(standing.state.source, standing.state.name),
            partial(_dates, standing),
            (standing, is_marked, bool(moment.beside)),
            rough=True,
        )
        for standing in _sorted(chosen, sort, reverse=reverse)
        for is_marked in ((standing.state.source, standing.state.name) == marked,)
    )
    put_aside = [(place.source, row) for place in moment.everywhere for row in archived(place.facts)]
    if with_archived:
        rows += tuple(
            Row(partial(_archived_row, source, row, moment, layout), Named(source, row.name))
            for source, row in put_aside
            if sought.casefold() in f"{row.name} {ARCHIVED}".casefold()
        )
    if not rows:
        nothing = empty.no_sessions(moment.keymap, len(put_aside))
        text = empty.nothing_matches("session", sought) if standings else nothing
        notes = [] if standings else [note for place in moment.everywhere for note in place.snapshot.notes]
        told = (parts for note in notes for parts in wrapped(note, cells - 2, Style.MUTED))
        said = (line("  " + text, Style.MUTED), *((Part("  "), *parts) for parts in told))
        return Body(tuple(map(Row, said)), "Sessions", _by(sort))
    off = sum(len(place.off) for place in moment.everywhere)
    subtitle = f"{off} off their primary" if off else "all on their primary"
    shown = f"{len(rows)} of {len(standings)} shown, " if sought else ""
    aside = f" · {len(put_aside)} archived ({moment.keymap.word('show_archived')})" if put_aside else ""
    left_out = sum(place.snapshot.left_out for place in moment.everywhere)
    known = sum(len(place.facts.sessions) for place in moment.everywhere if place.snapshot.left_out)
    older = f" · {newest(known, left_out)}" if left_out else ""
    head = heading(layout, _sorting(sort, layout), reverse=reverse)
    return Body(rows, "Sessions", shown + subtitle + aside + older + _by(sort, " · "), head=(head,), dates=())


def _columns(cells: int, *, several: bool) -> tuple[Column, ...]:
    """Return the columns in so many cells; whose a session is stands there where there are several sources."""
    unwanted = ("next" if cells >= 74 else "next change", *(() if several else ("of",)))
    return tuple(column for column in COLUMNS if column.name not in unwanted)


def _sorting(sort: str, layout: Sequence[tuple[Column, int]]) -> str:
    """Return the column that `sort` is told by: a narrow panel has a short one for the next change."""
    short = sort == "next change" and all(column.name != sort for column, _ in layout)
    return "next" if short else sort


def _by(sort: str, before: str = "") -> str:
    return "" if sort == SORTS[0] else f"{before}by: {sort}"


def matches(standing: Standing, sought: str) -> bool:
    """Tell whether a session's name, source, route or diagnosis contains `sought`, whatever the case."""
    state, code = standing.state, CODE_WORDS[standing.diagnosis.code][0]
    words = f"{state.name} {state.source} {state.row.active} {code}"
    return sought.casefold() in words.casefold()


def _sorted(standings: Sequence[Standing], sort: str, *, reverse: bool) -> list[Standing]:
    keys: dict[str, Callable[[Standing], tuple[object, ...]]] = {
        "session": lambda standing: (standing.state.name,),
        "diagnosis": lambda standing: (CODE_WORDS[standing.diagnosis.code][0].casefold(), standing.state.name),
        "next change": lambda standing: (next_change(standing).at or float("inf"), standing.state.name),
    }
    if sort not in keys:
        return list(reversed(standings)) if reverse else list(standings)
    return sorted(standings, key=keys[sort], reverse=reverse)


def _row(standing: Standing, moment: Moment, layout: Sequence[tuple[Column, int]], *, marked: bool) -> Line:
    row, now = standing.state.row, moment.now
    change = next_change(standing)
    until = change_part(change, now, rough=True)
    in_flight = standing.state.live is not None
    values = {
        "session": Part(_name(standing.state.source, standing.state.name, moment, layout), Style.PLAIN),
        "of": Part(standing.state.source, Style.MUTED),
        "turn": _turn(standing),
        "in use": Part(str(row.active), Style.PLAIN if in_flight else Style.MUTED),
        "pos": Part(f"{row.position}/{len(row.chain)}"),
        "diagnosis": attention_part(standing),
        "since": Part(since(standing, now), Style.PLAIN if standing.off_primary else Style.MUTED),
        "next": until._replace(text=until.text.rpartition(" in ")[2]),
        "next change": until,
        "at": Part(change_wall(change, now), Style.MUTED if change.at is None else Style.PLAIN),
        "said by": Part(said_by(standing, now), Style.MUTED),
    }
    return cells_of(layout, values, cursor=marked)


def _name(source: str, name: str, moment: Moment, layout: Sequence[tuple[Column, int]]) -> str:
    """Return a session's name, with its source before it where no column tells that; the first source needs none."""
    is_told = source == moment.everywhere[0].source or any(column.name == "of" for column, _ in layout)
    return name if is_told else f"{source}:{name}"


def _dates(standing: Standing) -> Dates:
    return (next_change(standing).at,)


def _archived_row(source: str, row: Session, moment: Moment, layout: Sequence[tuple[Column, int]]) -> Line:
    values = {column.name: Part("-", Style.MUTED) for column, _ in layout} | {
        "of": Part(source, Style.MUTED),
        "session": Part(_name(source, row.name, moment, layout), Style.MUTED),
        "in use": Part(str(row.active), Style.MUTED),
        "diagnosis": Part(ARCHIVED, Style.MUTED),
        "since": Part(wall(row.archived_at, moment.now), Style.MUTED),
    }
    return cells_of(layout, values, cursor=(source, row.name) == (moment.source, moment.selection.session))


def _turn(standing: Standing) -> Part:
    """Return what a session's turn does, or why it cannot be acted on from here: which process runs it."""
    state = standing.state
    if state.mine or state.takes_acts:
        return phase_part(standing)
    if state.abandoned:
        return Part("NOBODY", Style.COOLING)
    if state.silence is not None:
        return Part("SILENT", Style.COOLING)
    return Part(f"#{state.owner}" if state.owner else "-", Style.MUTED)
