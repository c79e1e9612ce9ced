"""The help: every action of the focused panel by group, from the table of actions."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from hermes_tui.core.keymap import Keymap
from hermes_tui.view.actions import Group, in_panel
from hermes_tui.view.cells import fit
from hermes_tui.view.line import Body, Line, Part, Row, Style, line, line_width, wrapped

KEY_CELLS: Final = 12
KEYS_CELLS: Final = 24
TEXT_CELLS: Final = 30
"""A narrower text stands below what it is about."""

MARKS = (
    ("✓ OK", Style.OK, "can be used"),
    ("◐ COOLING", Style.COOLING, "benched until a time; ~ before it means that the time is assumed here"),
    ("◐ DUE", Style.COOLING, "its time has passed; the next question or request decides"),
    ("✗ DEAD", Style.DEAD, "never comes back by itself: sign in again"),
    ("◌ PROBING", Style.PROBING, "its usage endpoint is being asked"),
    ("↻ ON TRIAL", Style.TRIAL, "lifted early; serves one session until a reply proves it"),
    ("· NOT SET", Style.UNSET, "configured nowhere, or its variable is not set"),
    ("quota 3:16", Style.PLAIN, "what the usage endpoint said, and how long that still counts"),
    ("quota 3:16 ✗", Style.DEAD, "a request has contradicted it: a lying probe"),
    ("quota 5:12!", Style.STRONG, "STALE: asked longer ago than it counts"),
    ("cleared", Style.MUTED, "you ended its cooldown; it stays so until the next answer"),
)


def help_body(panel: int, cells: int, keymap: Keymap) -> Body:
    """Return the help while panel `panel` has the focus."""
    rows: list[Line] = []
    for group in Group:
        rows.append(line(group.value, Style.STRONG))
        if group is Group.MOVE:
            rows += _entry("1 … 6", "Panel", "Moves the focus to that panel.", cells)
        for action in in_panel(panel):
            if action.group is group:
                rows += _entry(" ".join(keymap.words(action.id)), action.label, action.help, cells)
        rows.append(line(""))
    rows.append(line("Marks", Style.STRONG))
    for text, style, meaning in MARKS:
        rows += _marked(text, style, meaning, cells)
    return Body(tuple(Row(part) for part in rows), "Help", "esc closes")


class Keys(NamedTuple):
    """The keys that do one thing; `of_part` tells that they belong to the part of a screen that has the focus."""

    keys: str
    what: str
    of_part: bool = False


def keys_body(known: Sequence[Keys], cells: int) -> Body:
    """Return the keys of a screen, its own first."""
    rows: list[Line] = []
    for of_part, title in ((False, "Here"), (True, "Where the cursor is")):
        lines = [
            part
            for one in known
            if one.of_part is of_part
            for part in _beside(Part(f"  {one.keys}", Style.KEY), one.what, KEYS_CELLS, cells)
        ]
        rows += [line(title, Style.STRONG), *lines, line("")] if lines else []
    return Body(tuple(Row(part) for part in rows), "Keys", "esc closes")


def _beside(head: Part, text: str, indent: int, cells: int) -> list[Line]:
    """Return a text beside its head, or below it where the head is too long or the screen too narrow."""
    room = head._replace(text=fit(head.text, indent))
    if line_width((head,)) >= indent or cells - indent < TEXT_CELLS:
        return [(head,), *((Part("      "), *more) for more in wrapped(text, max(cells - 6, 8)))]
    first, *rest = wrapped(text, cells - indent)
    return [(room, *first), *((Part(" " * indent), *more) for more in rest)]


def _entry(keys: str, label: str, meaning: str, cells: int) -> list[Line]:
    if cells - KEY_CELLS - 16 < TEXT_CELLS:
        named = (Part(f"  {keys} ", Style.KEY), Part(label))
        return [named, *((Part("      "), *more) for more in wrapped(meaning, max(cells - 6, 8), Style.MUTED))]
    first, *rest = wrapped(meaning, max(cells - KEY_CELLS - 16, 12))
    shown = Part(f"  {keys}".ljust(KEY_CELLS), Style.KEY)
    apart = line_width((shown,)) > KEY_CELLS
    head = (Part(" " * KEY_CELLS) if apart else shown, Part(label.ljust(15) + " "), *first)
    indent = " " * (KEY_CELLS + 16)
    return [*([(shown,)] if apart else []), head, *((Part(indent), *more) for more in rest)]


def _marked(text: str, style: Style, meaning: str, cells: int) -> list[Line]:
    return _beside(Part(f"  {text}", style), meaning, 17, cells)
