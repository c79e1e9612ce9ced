"""Panels as lines of their own, for a screen that has no room for more than one of them."""

from collections.abc import Callable, Iterator
from typing import Final

from hermes_tui.core.keymap import PANEL_KEYS
from hermes_tui.view import empty
from hermes_tui.view.chain import chain_line
from hermes_tui.view.diagnosing import attention_part, change_part, next_change, phase_part
from hermes_tui.view.events import newest_line
from hermes_tui.view.line import ARROW, Line, Part, Style, cut_line, line, line_width
from hermes_tui.view.moment import Moment
from hermes_tui.view.wayback import blocked_line
from hermes_tui.view.words import count

PANEL_ACT: Final = "panel_"
"""What pressing a line does: the panel's number follows."""

NUMBER_CELLS: Final = 3


def folded(number: int, moment: Moment, cells: int) -> Line:
    """Return panel `number` in one line of at most `cells` cells; pressing it opens the panel."""
    parts = cut_line(_SAYS[number](moment, cells - NUMBER_CELLS), cells - NUMBER_CELLS)
    act = f"{PANEL_ACT}{PANEL_KEYS[number - 1]}"
    return tuple(part._replace(act=act) for part in (Part(f" {number} ", Style.KEY), *parts))


def selected_line(moment: Moment, cells: int) -> Line:
    """Return the selected session with why and until when: the longest line that fits `cells` cells."""
    lines = tuple(_selected(moment))
    return next((one for one in lines if line_width(one) <= cells), cut_line(lines[-1], cells))


def _selected(moment: Moment) -> Iterator[Line]:
    standing = moment.standing
    if standing is None:
        none = empty.no_sessions(moment.keymap)
        number = sum(len(place.standings) for place in moment.everywhere)
        yield line(count(number, "session") if number else none, Style.MUTED)
        return
    row, change, why = standing.state.row, next_change(standing), attention_part(standing)
    name = (Part(f"{ARROW} ", Style.STRONG), Part(standing.state.name, Style.STRONG), Part("  "))
    position = f"{row.position}/{len(row.chain)}  "
    route, until = f"{row.active}  ", change_part(change, moment.now)
    short = until._replace(text=until.text.rpartition(" in ")[2])
    ends, ends_shortly = ((Part("  "), until), (Part("  "), short)) if until.text != "-" else ((), ())
    yield (*name, phase_part(standing), Part(f"  {route}{position}"), why, *ends)
    yield (*name, Part(f"{route}{position}"), why, *ends)
    yield (*name, Part(route), why, *ends_shortly)
    yield (*name, Part(position), why, *ends_shortly)
    yield (*name, why, *ends_shortly)


_SAYS: Final[dict[int, Callable[[Moment, int], Line]]] = {
    1: selected_line,
    2: chain_line,
    3: blocked_line,
    6: newest_line,
}


def status_lines(moment: Moment, cells: int) -> tuple[Line, ...]:
    """Return every session in a line: what a screen without room for a panel still says."""
    lines = []
    for standing in (standing for place in moment.everywhere for standing in place.standings):
        name = Part(f" {standing.state.name}  ", Style.STRONG)
        until = change_part(next_change(standing), moment.now)
        lines.append(cut_line((name, attention_part(standing), Part("  "), until), cells))
    return tuple(lines)
