"""The last line: the keys that fit, each one also a place to click."""

from collections.abc import Iterable
from functools import lru_cache

from hermes_tui.core.keymap import Keymap
from hermes_tui.view.actions import BY_ID, FOOTER, Action
from hermes_tui.view.cells import width
from hermes_tui.view.line import Line, Part, Style, line_width


@lru_cache(maxsize=8)
def footer(cells: int, keymap: Keymap) -> Line:
    """Return the keys in `cells` cells, the most needed first, `q Quit` always last."""
    leave = BY_ID["quit"]
    chosen: list[Action] = []
    used = _cells(leave, keymap) + 1
    for action in FOOTER:
        if action is leave:
            continue
        if used + _cells(action, keymap) > cells:
            continue
        used += _cells(action, keymap)
        chosen.append(action)
    parts: list[Part] = [Part(" ")]
    for action in (*chosen, leave):
        parts += [
            Part(keymap.word(action.id), Style.KEY, action.id),
            Part(f" {action.short or action.label}  ", Style.MUTED, action.id),
        ]
    return tuple(parts)


def keys_that_fit(keys: Iterable[tuple[str, str]], cells: int) -> Line:
    """Return keys, each with what it does: the first one always, the others as far as `cells` cells have room."""
    parts: Line = (Part(" "),)
    for number, (key, meaning) in enumerate(keys):
        with_it = (*parts, Part(key, Style.KEY), Part(f" {meaning}  ", Style.MUTED))
        if not number or line_width(with_it) <= cells:
            parts = with_it
    return parts


def _cells(action: Action, keymap: Keymap) -> int:
    return width(keymap.word(action.id)) + width(action.short or action.label) + 3
