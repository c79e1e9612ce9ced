"""What a stream says, line by line: one that is too long is passed over, whatever it takes."""

from collections.abc import Iterator
from typing import Final

LONGEST_LINE: Final = 8 << 20
"""Bytes of a line that is taken; a tool may answer with a whole file."""


class Lines:
    """Gives the complete lines of what it is fed; never holds more than `longest` bytes of one."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._passes_over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the lines that `data` completes, without their ends."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._begun += end
            if not self._passes_over and len(self._begun) <= self._longest:
                yield bytes(self._begun)
            self._begun.clear()
            self._passes_over = False
        self._begun += rest
        if len(self._begun) > self._longest:
            self._begun.clear()
            self._passes_over = True
