"""What changed in a list since it was built before: those parts are bold until a second has passed."""

import re
from collections.abc import Hashable
from typing import Final

from hermes_tui.view.line import Line

SHOWN_SECONDS: Final = 1.0
"""One tick."""

_COUNTS: Final = re.compile(r"\d+:\d\d(:\d\d)?|\d+[dhms]\b")
"""What counts down or up: it changes at every tick, and is no news."""


class Changes:
    """Compares each row with what it was in the list before, by the row's key."""

    def __init__(self) -> None:
        self._build = 0
        self._before: dict[Hashable, tuple[int, Line]] = {}
        self._fresh: dict[Hashable, tuple[float, tuple[int, ...]]] = {}

    def next_build(self) -> None:
        """Begin another list: rows are compared with those of the one before."""
        self._build += 1

    def forget(self) -> None:
        """Compare with nothing: columns are of another width."""
        self._before.clear()

    def told(self, key: Hashable, line: Line, now: float) -> Line:
        """Return the row of `key` with what changed in it marked as fresh; `now` in epoch seconds."""
        build, before = self._before.get(key, (self._build, line))
        self._before[key] = (self._build, line)
        if before is not line and build == self._build - 1 and len(before) == len(line):
            pairs = enumerate(zip(before, line, strict=True))
            fresh = tuple(index for index, (old, new) in pairs if index and _said(old.text) != _said(new.text))
            if fresh:
                self._fresh[key] = (now, fresh)
        since, fresh = self._fresh.get(key, (now, ()))
        if not fresh or now - since >= SHOWN_SECONDS:
            self._fresh.pop(key, None)
            return line
        return tuple(part._replace(fresh=index in fresh) for index, part in enumerate(line))


def _said(text: str) -> str:
    return _COUNTS.sub("", text).strip()
