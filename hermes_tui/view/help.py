"""The help: every action of the focused panel by group, from the table of actions."""

from hermes_tui.core.keymap import Keymap
from hermes_tui.view.actions import Group, in_panel
from hermes_tui.view.line import Body, Line, Part, Row, Style, line, line_width, wrapped

KEY_CELLS = 12

MARKS = (
    ("✓ OK", Style.OK, "can be used"),
    ("◐ COOLING", Style.COOLING, "benched until a time; ~ before it means that the time is assumed here"),
    ("✗ DEAD", Style.DEAD, "never comes back by itself: sign in again"),
    ("↻ ON TRIAL", Style.TRIAL, "lifted early; serves one session until a reply proves it"),
    ("· NOT SET", Style.UNSET, "configured nowhere, or its variable is not set"),
    ("quota 3:16", Style.PLAIN, "what the usage endpoint said, and how long that still counts"),
    ("quota 3:16 ✗", Style.DEAD, "a request has contradicted it: a lying probe"),
    ("quota 5:12!", Style.MUTED, "stale: asked longer ago than it counts"),
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


def _entry(keys: str, label: str, meaning: str, cells: int) -> list[Line]:
    first, *rest = wrapped(meaning, max(cells - KEY_CELLS - 16, 12))
    shown = Part(f"  {keys}".ljust(KEY_CELLS), Style.KEY)
    apart = line_width((shown,)) > KEY_CELLS
    head = (Part(" " * KEY_CELLS) if apart else shown, Part(label.ljust(15) + " "), *first)
    indent = " " * (KEY_CELLS + 16)
    return [*([(shown,)] if apart else []), head, *((Part(indent), *more) for more in rest)]


def _marked(text: str, style: Style, meaning: str, cells: int) -> list[Line]:
    first, *rest = wrapped(meaning, max(cells - 17, 12))
    return [(Part("  "), Part(text.ljust(14), style), Part(" "), *first), *((Part(" " * 17), *more) for more in rest)]
