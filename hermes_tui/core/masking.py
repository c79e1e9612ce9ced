"""Keys written into a file stay in the file: a person who edits it sees a placeholder for each.

A key is the value of anything that is called a key, token, secret or password and is no reference, and whatever looks
like one, in comments too. It is found line by line, so that a text that cannot be parsed hides as much.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from hermes_tui.core.secret import KEY_SHAPES, Secret

NAMES_OF_KEYS: Final = "(?i:key|token|secret|password)"
"""How the name ends of what holds a key, in any file."""

_FEWEST: Final = 4
_PLACEHOLDER: Final = re.compile(r"<kept [0-9a-f]{4,12}>")
_LINE: Final = re.compile(r"[^\r\n]+")


class Masks:
    """The keys that were hidden, and what stands for each: the same for the same key.

    `assigned` is a pattern for how the file's language assigns a key, its value in a named group; `is_reference` tells
    of such a value that it says where a key is, and is none.
    """

    def __init__(self, assigned: str, is_reference: Callable[[str], bool]) -> None:
        self._kept: dict[str, Secret] = {}
        self._is_reference = is_reference
        self._to_hide = re.compile("|".join((_PLACEHOLDER.pattern, assigned, *(shape.pattern for shape in KEY_SHAPES))))

    def placeholder(self, key: str) -> str:
        """Return what stands for a key: a name with as many digits of its fingerprint as tell it from the others."""
        secret = Secret(key)
        names = (f"<kept {secret.fingerprint[:digits]}>" for digits in range(_FEWEST, len(secret.fingerprint) + 1))
        return next(name for name in names if self._kept.setdefault(name, secret) == secret)

    def hide(self, text: str) -> str:
        """Return `text` with a placeholder for each key in it; what looks like a placeholder is hidden likewise."""
        return self._to_hide.sub(self._hidden, text)

    def _hidden(self, found: re.Match[str]) -> str:
        group = found.lastgroup
        if group is None:
            return self.placeholder(found[0])
        if self._is_reference(found[group]):
            return found[0]
        start, end = (offset - found.start() for offset in found.span(group))
        value = _LINE.sub(lambda line: self.placeholder(line[0]), found[group])
        return found[0][:start] + value + found[0][end:]

    def restore(self, text: str) -> str:
        """Return `text` with every key in the place of what stands for it."""
        return _PLACEHOLDER.sub(lambda found: self._revealed(found[0]), text)

    def _revealed(self, name: str) -> str:
        return self._kept[name].reveal() if name in self._kept else name

    def strangers(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield what looks like a placeholder in `text` and stands for nothing, each with its line (from 1)."""
        for found in _PLACEHOLDER.finditer(text):
            if found[0] not in self._kept:
                yield found[0], text.count("\n", 0, found.start()) + 1
