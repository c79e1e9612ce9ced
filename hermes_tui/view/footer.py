"""The last line: the keys that fit, each one also a place to click."""

from functools import lru_cache
from typing import Final

from hermes_tui.core.keymap import Keymap
from hermes_tui.view.actions import BY_ID, FOOTER, Action
from hermes_tui.view.cells import width
from hermes_tui.view.line import Line, Part, Style

_GAP: Final = "  "

_NEEDED: Final = ("help", "palette", "force_restore", "probe")
"""What a narrow line keeps before all else: how to learn more, and what brings the primary back."""


@lru_cache(maxsize=8)
def footer(cells: int, keymap: Keymap) -> Line:
    """Return the keys in `cells` cells, the most needed of them where not all fit, `q Quit` always last."""
    leave = BY_ID["quit"]
    chosen: list[Action] = []
    used = len(" ") + _cells(leave, keymap) - len(_GAP)
    for action in sorted(FOOTER, key=lambda action: action.id not in _NEEDED):
        if action is not leave and used + _cells(action, keymap) <= cells:
            used += _cells(action, keymap)
            chosen.append(action)
    parts: list[Part] = [Part(" ")]
    for action in (*(action for action in FOOTER if action in chosen), leave):
        gap = "" if action is leave else _GAP
        parts += [
            Part(keymap.word(action.id), Style.KEY, action.id),
            Part(f" {action.short or action.label}{gap}", Style.MUTED, action.id),
        ]
    return tuple(parts)


def _cells(action: Action, keymap: Keymap) -> int:
    return width(keymap.word(action.id)) + width(action.short or action.label) + len(" " + _GAP)
