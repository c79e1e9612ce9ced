"""Text as it streams: redacted and plain while it grows, at a cost that does not grow with it."""

from collections.abc import Callable
from typing import Final

from hermes_tui.core.text import PlainText

OPEN_CHARACTERS: Final = 512
"""How much of the end may still become part of something that must not be shown."""


class LiveText:
    """A reply that grows: what stands long enough is settled, only the end is read again with each piece."""

    def __init__(self, redact: Callable[[str], PlainText]) -> None:
        self._redact = redact
        self._settled = ""
        self._open = ""

    def add(self, piece: str) -> PlainText:
        """Return the whole text with `piece` at its end."""
        self._open += piece
        if len(self._open) > 2 * OPEN_CHARACTERS:
            self._settle()
        return PlainText(self._settled + self._redact(self._open))

    def _settle(self) -> None:
        cut = self._open.rfind(" ", 0, len(self._open) - OPEN_CHARACTERS) + 1
        self._settled += self._redact(self._open[:cut])
        self._open = self._open[cut:]
