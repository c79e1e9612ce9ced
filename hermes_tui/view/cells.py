"""Text measured in terminal cells: cutting, padding and wrapping that no wide or joined character upsets (C142)."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

ELLIPSIS: Final = "…"

_DROPPED = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\U0001f3fb-\U0001f3ff]")
_FLAGS: Final = {0x1F1E6 + letter: 0x41 + letter for letter in range(26)}
_BLANK = re.compile(r"\s+")


def even(text: str, instead: str = "") -> str:
    """Return `text` without what terminals give different widths: marks that change a neighbour's, halves of flags.

    A flag becomes its two letters, every mark `instead`.
    """
    return text if text.isascii() else _DROPPED.sub(instead, text.translate(_FLAGS))


def clean(text: str) -> str:
    """Return `text` on one line: white space folded, and every character as wide as each terminal draws it."""
    if text.isascii() and text.isprintable():
        return text
    return even(_BLANK.sub(" ", text))


_MARKS: Final = frozenset(("Mn", "Mc", "Me", "Cf", "Cc"))
_FILLERS: Final = re.compile("[\u1160-\u11ff\u3164\uffa0\ud7b0-\ud7fb]")
_WIDE_SINCE_UNICODE_16: Final = re.compile("[\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff\U0001d300-\U0001d376]")


@lru_cache(maxsize=4096)
def _cells_of(character: str) -> int:
    category = unicodedata.category(character)
    if category in _MARKS or _FILLERS.match(character):
        return 0
    if category == "Cn":
        return 1
    wide = unicodedata.east_asian_width(character) in ("W", "F") or _WIDE_SINCE_UNICODE_16.match(character)
    return 2 if wide else 1


def width(text: str) -> int:
    """Return the cells that `text` takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def head(text: str, cells: int) -> str:
    """Return the longest start of `text` that fits, with the marks that belong to its last character."""
    if text.isascii():
        return text[: max(cells, 0)]
    used = 0
    for index, character in enumerate(text):
        used += _cells_of(character)
        if used > cells:
            return text[:index]
    return text


def cut(text: str, cells: int) -> str:
    """Return `text` on one line in at most `cells` cells, ending with an ellipsis where something is missing."""
    text = clean(text)
    if width(text) <= cells:
        return text
    return head(text, cells - 1) + ELLIPSIS if cells > 0 else ""


def cut_name(name: str, cells: int) -> str:
    """Return `provider/model` in at most `cells` cells: the provider is cut first, then the rest."""
    name = clean(name)
    before, slash, after = name.partition("/")
    left = cells - width(after) - 1
    if width(name) <= cells or not slash or left < 4:
        return cut(name, cells)
    return f"{cut(before, left)}/{after}"


def fit(text: str, cells: int) -> str:
    """Return `text` cut or padded to exactly `cells` cells."""
    if len(text) <= cells and text.isascii() and text.isprintable():
        return text.ljust(cells)
    text = cut(text, cells)
    return text + " " * (cells - width(text))


def wrap(text: str, cells: int) -> list[str]:
    """Return `text` in lines of at most `cells` cells, broken between words where that is possible."""
    if cells <= 0:
        return []
    lines: list[str] = []
    for paragraph in even(text.expandtabs(4)).split("\n"):
        lines += _wrap_paragraph(paragraph.rstrip(), cells)
    return lines


def _wrap_paragraph(paragraph: str, cells: int) -> list[str]:
    lines: list[str] = []
    rest = paragraph
    while width(rest) > cells:
        fitting = head(rest, cells) or rest[0]
        fits_a_word = rest[len(fitting) : len(fitting) + 1] == " "
        space = len(fitting) if fits_a_word else fitting.rfind(" ")
        end = space if space > len(fitting) // 3 else len(fitting)
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip(" ")
    return [*lines, rest] if rest or not lines else lines


def shortened(text: str, cells: int, lines: int) -> str:
    """Return `text`, or of one that takes more than so many `lines` of `cells` cells its beginning and its end."""
    told = wrap(text, cells)
    if len(told) <= lines:
        return text
    end = lines // 3
    return "\n".join((*told[: lines - end - 1], ELLIPSIS, *told[len(told) - end :]))
