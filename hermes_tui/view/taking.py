"""What an edited configuration would do to each session: its old chain and its new one as one, and when."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from hermes_tui.core.taking import Taking, When
from hermes_tui.view.cells import cut_name
from hermes_tui.view.line import ARROW, EMPTY, Line, Part, Row, Style, behind, line_width

_WHEN = {
    When.NOW: Style.OK,
    When.NEXT_RUN: Style.PLAIN,
    When.TURN_ENDED: Style.COOLING,
    When.COOLED_DOWN: Style.COOLING,
    When.STARTED_AGAIN: Style.COOLING,
    When.NEVER: Style.MUTED,
}


def taking_rows(takings: Iterable[Taking], cells: int) -> Iterator[Row]:
    """Yield who takes what and when: `-` marks a route that goes, `+` one that comes."""
    for taking in takings:
        if taking.session is None:
            yield from _sentence("  ", f"{taking.what} ({taking.when})", Style.PLAIN, cells)
            continue
        yield from _head(taking, cells)
        yield from _sentence("  ! " if taking.loses else "    ", str(taking.what), _style(taking), cells)
        if taking.before and taking.after:
            yield from (Row((Part("    "), *parts)) for parts in _in_lines(_routes(taking), cells - 4))


def _head(taking: Taking, cells: int) -> Iterator[Row]:
    name, when = f"  {taking.session}", f" {taking.when}"
    parts: Line = (Part(name, Style.STRONG), Part(when, _WHEN[taking.when]))
    if line_width(parts) <= cells:
        yield Row(parts)
    else:
        yield from _sentence("  ", f"{taking.session}{when}", Style.STRONG, cells)


def _style(taking: Taking) -> Style:
    return Style.DEAD if taking.loses else Style.MUTED if taking.when is When.NEVER else Style.PLAIN


def _sentence(mark: str, text: str, style: Style, cells: int) -> Iterator[Row]:
    return map(Row, behind(Part(mark, style), text, cells, style))


def _routes(taking: Taking) -> Iterator[Part]:
    """Yield the routes of both chains in their order, those that only one of them has marked."""
    matcher = SequenceMatcher(None, taking.before, taking.after, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            yield from (Part(name) for name in taking.after[k:m])
            continue
        yield from (Part(f"-{name}", Style.DEAD) for name in taking.before[i:j])
        yield from (Part(f"+{name}", Style.OK) for name in taking.after[k:m])


def _in_lines(routes: Iterable[Part], cells: int) -> Iterator[Line]:
    """Yield the routes with arrows between them, as many in a line as fit; one that does not fit is cut."""
    row: Line = EMPTY
    for number, part in enumerate(routes):
        arrow = (Part(f"{ARROW} ", Style.MUTED),) if number else ()
        piece = (*arrow, part._replace(text=cut_name(part.text, max(cells - 2, 4))), Part(" "))
        if row and line_width(row) + line_width(piece) > cells:
            yield row
            row = EMPTY
        row = (*row, *piece)
    yield row
