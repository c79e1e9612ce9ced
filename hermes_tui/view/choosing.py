"""A page of the guided start: a question, what may be chosen, and what there is to know about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from hermes_tui.view.cells import fit, width
from hermes_tui.view.line import EMPTY, Body, Line, Part, Row, Style, filled, wrapped

_KEY_CELLS: Final = 3
_GAP: Final = 2
_WIDEST_WORDS: Final = 36
"""Cells beyond which words push the notes of other choices no further away."""


class Choice(NamedTuple):
    """Something to choose: its identity, words, what a person should know about it, and the letter that takes it."""

    id: str
    words: str
    note: str = ""
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows. `field` is the placeholder of its text field, empty where nothing is typed.

    `lines` are to be read before choosing, `notes` after; `said` answers what the user just did. `text` is the file,
    where it is shown. `secret` hides what is typed.
    """

    title: str
    ask: str
    choices: tuple[Choice, ...]
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    said: str = ""
    field: str = ""
    text: str = ""
    secret: bool = False


def question_lines(page: Page, cells: int) -> tuple[Line, ...]:
    """Return the question, and the answer to what the user just did."""
    said = wrapped(page.said, cells, Style.COOLING) if page.said else ()
    return (*wrapped(page.ask, cells, Style.STRONG), *said)


def page_body(page: Page, cells: int) -> Body:
    """Return what may be chosen, in so many cells; what there is to know stands below where there is room."""
    rows = [Row(line) for text in page.lines for line in wrapped(text, cells)]
    if rows:
        rows.append(Row(EMPTY))
    rows += [row for choice in page.choices for row in _rows(choice, page.choices, cells)]
    foot = [line for note in page.notes for line in wrapped(note, cells, Style.MUTED)]
    return Body(tuple(rows), page.title, foot=(EMPTY, *foot))


def _rows(choice: Choice, among: tuple[Choice, ...], cells: int) -> Iterator[Row]:
    """Yield the lines of a choice: its note beside it where there is room, else below."""
    indent = _KEY_CELLS if any(other.letter for other in among) else 1
    widths = [width(other.words) for other in among if width(other.words) <= _WIDEST_WORDS]
    column = max(widths, default=0) + _GAP
    first = Part(fit(f" {choice.letter}", indent), Style.KEY, choice.id)
    room = cells - indent - max(column, width(choice.words) + _GAP)
    if not choice.note or width(choice.note) <= room:
        words = fit(choice.words, max(column, width(choice.words) + _GAP)) if choice.note else choice.words
        yield Row(
            filled((first, Part(words, act=choice.id), Part(choice.note, Style.MUTED, choice.id)), cells), choice.id
        )
        return
    pieces = [*wrapped(choice.words, cells - indent), *wrapped(choice.note, cells - indent - 1, Style.MUTED)]
    for number, piece in enumerate(pieces):
        start = first if number == 0 else Part(" " * (indent + (piece[0].style is Style.MUTED)), act=choice.id)
        line = (start, *(part._replace(act=choice.id) for part in piece))
        yield Row(filled(line, cells), choice.id if number == 0 else None)


def keys_line(page: Page, *, can_go_back: bool) -> Line:
    """Return what the keys do here, each to be pressed with the mouse too."""
    keys = [("enter", "choose"), *([("esc", "back")] if can_go_back else []), ("ctrl+q", "leave")]
    if page.text:
        keys.insert(1, ("pgdn pgup", "read"))
    parts: list[Part] = []
    for key, words in keys:
        parts += [Part(f"{'  ' if parts else ''}{key}", Style.KEY, key), Part(f" {words}", Style.MUTED, key)]
    return tuple(parts)
