"""The last line of a screen over the dashboard: its keys, each also a place to click."""

from collections.abc import Iterable
from typing import Final

from hermes_tui.core.keymap import word_of
from hermes_tui.view.line import Line, Part, Style, line_width

CLOSE: Final = (("escape",), "back")
"""How every such screen is left."""

Keys = tuple[tuple[str, ...], str]
"""Keys by their names, and what they do."""


def keys_line(keys: Iterable[Keys], cells: int) -> Line:
    """Return the keys that fit in `cells` cells, `esc back` always first; the act of a part is the key to press."""
    parts: list[Part] = [Part(" ")]
    for names, meaning in (CLOSE, *keys):
        piece = [Part(f"{word_of(name)} ", Style.KEY, name) for name in names]
        piece.append(Part(f"{meaning}  ", Style.MUTED, names[0] if len(names) == 1 else ""))
        if line_width((*parts, *piece)) <= cells or len(parts) == 1:
            parts += piece
    return tuple(parts)
