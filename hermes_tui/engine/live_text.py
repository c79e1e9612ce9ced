"""Text as it streams: kept as it comes, redacted and made plain when somebody looks."""

from collections.abc import Callable
from typing import Final

from hermes_tui.core.text import PlainText

OPEN_CHARACTERS: Final = 512
"""How much of the end may still become part of something that must not be shown."""


class LiveText:
    """A reply that grows: what stands long enough is settled, only its end is read again at each look."""

    def __init__(self, redact: Callable[[str], PlainText]) -> None:
        self._redact = redact
        self._settled = ""
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        """Put `piece` at the end."""
        self._pieces.append(piece)

    def read(self) -> PlainText:
        """Return the whole text, safe to show."""
        end = "".join(self._pieces)
        if len(end) > 2 * OPEN_CHARACTERS:
            cut = end.rfind(" ", 0, len(end) - OPEN_CHARACTERS) + 1
            self._settled += self._redact(end[:cut])
            end = end[cut:]
        self._pieces = [end]
        return PlainText(self._settled + self._redact(end))
