"""Panel 2: the session's chain, each route with its state and when that ends."""

from typing import NamedTuple

from hermes_tui.core.pool import NobodyCanSay, ReturnsAt, UsableNow, next_available_at
from hermes_tui.core.route import Route
from hermes_tui.core.session import Session
from hermes_tui.view import empty
from hermes_tui.view.cells import cut_name, fit, width
from hermes_tui.view.diagnosing import departure_sentence
from hermes_tui.view.line import ARROW, Body, Line, Part, Row, Style, joined, line, wrapped
from hermes_tui.view.moment import Moment, Standing
from hermes_tui.view.words import State, countdown, countdown_style

STATE_CELLS = 10


class Entry(NamedTuple):
    """One route of the chain: its state, when that ends (epoch seconds), and what to say where it has no end."""

    position: int
    route: Route
    state: State
    until: float | None = None
    why: str = ""


def entries(standing: Standing, moment: Moment) -> tuple[Entry, ...]:
    """Return the primary and every entry of the chain with its state."""
    row = standing.state.row
    routes = [(row.requested, row.requested_fault), *((link.route, link.fault) for link in row.chain)]
    return tuple(_entry(number, route, fault, row, moment) for number, (route, fault) in enumerate(routes))


def _entry(position: int, route: Route, fault: str | None, row: Session, moment: Moment) -> Entry:
    in_use = position == row.position
    if fault:
        return Entry(position, route, State.NOT_SET, None, fault)
    configuration = moment.facts.configuration
    pool = configuration.pool(route.pool) if configuration else None
    if pool is None:
        return Entry(position, route, State.NOT_SET, None, "not configured")
    outlook = next_available_at(moment.facts, pool, route.model, moment.now)
    hold = row.hold_on(route, moment.now)
    if in_use and isinstance(outlook, UsableNow):
        return Entry(position, route, State.IN_USE)
    if hold is not None:
        return Entry(position, route, State.ON_HOLD, hold.until, hold.reason.words)
    match outlook:
        case UsableNow():
            return Entry(position, route, State.OK)
        case ReturnsAt(until=until):
            return Entry(position, route, State.COOLING, until)
        case NobodyCanSay(reason=reason):
            dead = any(not member.fault for member in pool.members)
            return Entry(position, route, State.DEAD if dead else State.NOT_SET, None, "no key" if not dead else reason)


def chain(moment: Moment, cells: int) -> Body:
    """Return the panel of the selected session's chain."""
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Chain")
    found = entries(standing, moment)
    row, name_cells = standing.state.row, cells - 4 - STATE_CELLS - 9
    rows = tuple(Row(_row(entry, row, name_cells, moment.now)) for entry in found)
    rest = list(wrapped(departure_sentence(standing, moment.now), cells, Style.MUTED)) if row.on_fallback else []
    configuration = moment.facts.configuration
    if len(found) == 1:
        origin = configuration.origin if configuration and configuration.origin else "the configuration"
        rest = list(wrapped(empty.one_link(row.requested.provider, origin), cells, Style.MUTED))
    if configuration is not None and row.switched:
        rest += wrapped(f"Configured: {configuration.primary.route}", cells, Style.MUTED)
    return Body((*rows, *(Row(part) for part in rest)), f"Chain of {standing.state.name}")


def _row(entry: Entry, row: Session, name_cells: int, now: float) -> Line:
    in_use = entry.position == row.position
    style = Style.STRONG if in_use else Style.PLAIN
    return (
        Part(f"{ARROW if in_use else ' '} {entry.position} ", style),
        Part(fit(cut_name(str(entry.route), name_cells), name_cells) + " ", style),
        entry.state.part(STATE_CELLS),
        _ending(entry, now),
    )


def _ending(entry: Entry, now: float) -> Part:
    if entry.until is not None:
        return Part(fit(countdown(entry.until, now), 8), countdown_style(entry.until, now))
    short = "never" if entry.state is State.DEAD else "no key" if entry.state is State.NOT_SET else ""
    return Part(fit(short, 8), Style.MUTED)


def chain_line(moment: Moment, cells: int) -> Line:
    """Return the chain in one line: the positions with their routes and states."""
    standing = moment.standing
    if standing is None:
        return line(empty.NO_SELECTION, Style.MUTED)
    found = entries(standing, moment)
    for name_of in (str, lambda route: route.provider, lambda _: ""):
        pieces = [_piece(entry, name_of(entry.route), moment.now) for entry in found]
        parts = joined(pieces, f" {ARROW} ")
        if sum(width(part.text) for part in parts) <= cells:
            break
    return parts


def _piece(entry: Entry, name: str, now: float) -> Line:
    mark = entry.state.value
    left = countdown(entry.until, now) if entry.until is not None else mark.word
    text = f"{mark.glyph} {left}" if entry.state is not State.OK else mark.glyph
    name_style = Style.STRONG if entry.state is State.IN_USE else Style.PLAIN
    return (Part(f"{entry.position} {name} " if name else f"{entry.position} ", name_style), Part(text, mark.style))
