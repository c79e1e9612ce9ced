"""Panel 2: the session's chain, each route with its state and when that ends."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.pool import NobodyCanSay, ReturnsAt, UsableNow, next_available_at
from hermes_tui.core.route import Route
from hermes_tui.core.session import Session
from hermes_tui.view import empty
from hermes_tui.view.cells import cut, cut_name, fit
from hermes_tui.view.diagnosing import departure_sentence
from hermes_tui.view.line import ARROW, Body, Dates, Line, Part, Row, Style, joined, line, line_width, wrapped
from hermes_tui.view.moment import Moment, Standing
from hermes_tui.view.words import State, countdown, countdown_style

STATE_CELLS: Final = 10
ENDING_CELLS: Final = 8

NO_KEY: Final = "no key"


class Outlook(NamedTuple):
    """What a route can do: its state, when that ends (epoch seconds), and what to say where it has no end."""

    state: State
    until: float | None = None
    why: str = ""


class Entry(NamedTuple):
    """One route of the chain with its outlook for the session."""

    position: int
    route: Route
    outlook: Outlook


def entries(standing: Standing, moment: Moment) -> tuple[Entry, ...]:
    """Return the primary and every entry of the chain with its state."""
    row = standing.state.row
    routes = [(row.requested, row.requested_fault), *((link.route, link.fault) for link in row.chain)]
    return tuple(_entry(number, route, fault, row, moment) for number, (route, fault) in enumerate(routes))


def _entry(position: int, route: Route, fault: str | None, row: Session, moment: Moment) -> Entry:
    found = outlook(route, fault, moment.facts.configuration, moment)
    hold = row.hold_on(route, moment.now)
    if position == row.position and found.state is State.OK:
        found = Outlook(State.IN_USE)
    elif hold is not None and (found.state is State.OK or (found.until is not None and found.until < hold.until)):
        found = Outlook(State.ON_HOLD, hold.until, hold.reason.words)
    elif route.key in row.skipped and found.state is State.OK:
        found = Outlook(State.SKIPPED, None, "until the chain is reset")
    return Entry(position, route, found)


def outlook(route: Route, fault: str | None, configuration: Configuration | None, moment: Moment) -> Outlook:
    """Return what the credentials of `route` can do under a configuration, whoever asks."""
    if fault:
        return Outlook(State.NOT_SET, None, fault)
    pool = configuration.pool(route.pool) if configuration else None
    if pool is None:
        return Outlook(State.NOT_SET, None, "not configured")
    match next_available_at(moment.facts, pool, route.model, moment.now):
        case UsableNow():
            return Outlook(State.OK)
        case ReturnsAt(until=until):
            return Outlook(State.COOLING, until)
        case NobodyCanSay(reason=reason):
            dead = any(not member.fault for member in pool.members)
            return Outlook(State.DEAD, None, reason) if dead else Outlook(State.NOT_SET, None, NO_KEY)


def chain(moment: Moment, cells: int) -> Body:
    """Return the panel of the selected session's chain."""
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Chain")
    found = entries(standing, moment)
    row, name_cells = standing.state.row, cells - 5 - STATE_CELLS - ENDING_CELLS
    rows = tuple(
        Row(_row(entry, row, name_cells, moment.now), dates=partial(_dates, entry), rough=True) for entry in found
    )
    rest = list(wrapped(departure_sentence(standing, moment.now), cells, Style.MUTED)) if row.on_fallback else []
    configuration = moment.facts.configuration
    if alone := alone_sentence(moment):
        rest = list(wrapped(alone, cells, Style.MUTED))
    if configuration is not None and row.switched:
        rest += wrapped(f"Configured: {configuration.primary.route}", cells, Style.MUTED)
    return Body((*rows, *(Row(part) for part in rest)), f"Chain of {standing.state.name}", dates=())


def alone_sentence(moment: Moment) -> str:
    """Return what there is to say of a chain that is the primary alone; nothing of a longer one."""
    standing, configuration = moment.standing, moment.facts.configuration
    if standing is None or standing.state.row.chain:
        return ""
    origin = configuration.origin if configuration and configuration.origin else "the configuration"
    return empty.one_link(standing.state.row.requested.provider, origin, moment.keymap)


def _dates(entry: Entry) -> Dates:
    return (entry.outlook.until,)


def _row(entry: Entry, row: Session, name_cells: int, now: float) -> Line:
    in_use = entry.position == row.position
    style = Style.STRONG if in_use else Style.PLAIN
    return (
        Part(f"{ARROW if in_use else ' '} {entry.position} ", style),
        Part(fit(cut_name(str(entry.route), name_cells), name_cells) + " ", style),
        entry.outlook.state.part(STATE_CELLS),
        ending(entry.outlook, now),
    )


def ending(found: Outlook, now: float) -> Part:
    """Return roughly when an outlook ends, in `ENDING_CELLS` cells."""
    if found.until is not None:
        return Part(fit(countdown(found.until, now, rough=True), ENDING_CELLS), countdown_style(found.until, now))
    unset = NO_KEY if found.why == NO_KEY else "faulty"
    short = {State.DEAD: "never", State.NOT_SET: unset}.get(found.state, "")
    return Part(fit(short, ENDING_CELLS), Style.MUTED)


def chain_line(moment: Moment, cells: int) -> Line:
    """Return the chain in one line: the positions with their routes and states."""
    standing = moment.standing
    if standing is None:
        return line(empty.NO_SELECTION, Style.MUTED)
    found = entries(standing, moment)
    for name_of, worded in _SHORTER:
        pieces = [_piece(entry, name_of(entry.route), moment.now, worded=worded) for entry in found]
        parts = joined(pieces, f" {ARROW} ")
        if line_width(parts) <= cells:
            break
    return parts


_SHORTER: Final[tuple[tuple[Callable[[Route], str], bool], ...]] = (
    (str, True),
    (lambda route: route.provider, True),
    (lambda route: route.provider, False),
    (lambda route: cut(route.provider, 6), False),
    (lambda _: "", True),
    (lambda _: "", False),
)
"""How a chain becomes shorter to fit its line: what of a route is named, and whether states without an end are."""


def _piece(entry: Entry, name: str, now: float, *, worded: bool) -> Line:
    state, until, _ = entry.outlook
    mark = state.value
    left = countdown(until, now) if until is not None else mark.word
    says = until is not None or state is State.IN_USE or (worded and state is not State.OK)
    text = f"{mark.glyph} {left}" if says else mark.glyph
    name_style = Style.STRONG if state is State.IN_USE else Style.PLAIN
    return (Part(f"{entry.position} {name} " if name else f"{entry.position} ", name_style), Part(text, mark.style))
