"""Server-sent events, parsed incrementally from bytes.

An own parser, because two things are needed that httpx-sse does not give: comments (one provider sends the real
status as `:HTTP_STATUS/429`) and a bound on the size of an event, so that an endless line cannot fill memory.
"""

import re
from codecs import BOM_UTF8
from typing import Final, NamedTuple

EVENT_LIMIT: Final = 1024 * 1024
"""Bytes of one event or one line beyond which a stream is given up."""

_STATUS_COMMENT: Final = re.compile(rb":\s*HTTP_STATUS/([1-5][0-9]{2})\b")


class Frame(NamedTuple):
    """One event: its name (empty where unnamed), its data, and the status that a comment before it told."""

    event: str
    data: str
    status: int | None = None


class SseParser:
    """Turns pieces of a stream into frames; `too_large` is set, and parsing ends, when one exceeds the limit."""

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self.too_large = False
        self._limit = limit
        self._pieces: list[bytes] = []
        self._pending = 0
        self._event = b""
        self._data: list[bytes] = []
        self._size = 0
        self._status: int | None = None
        self._carriage_return = False
        self._started = False

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes, in order."""
        if self._carriage_return or b"\r" in data:
            data = self._newlines(data)
        lines = data.split(b"\n")
        rest = lines.pop()
        frames: list[Frame] = []
        if lines:
            if self._pieces:
                lines[0] = b"".join(self._pieces) + lines[0]
                self._pieces.clear()
                self._pending = 0
            if not self._started:
                lines[0], self._started = lines[0].removeprefix(BOM_UTF8), True
            for line in lines:
                if line:
                    self._take(line)
                elif self._data or self._event:
                    frames.append(self._dispatch())
        if rest:
            self._pieces.append(rest)
            self._pending += len(rest)
        self.too_large = self.too_large or self._pending > self._limit
        return frames

    def flush(self) -> list[Frame]:
        """Return what the end of the stream left undispatched: some servers omit the last blank line."""
        return self.feed(b"\n\n")

    def _newlines(self, data: bytes) -> bytes:
        if self._carriage_return:
            data = b"\r" + data
        self._carriage_return = data.endswith(b"\r")
        if self._carriage_return:
            data = data[:-1]
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take(self, line: bytes) -> None:
        self._size += len(line)
        if self._size > self._limit:
            self.too_large = True
            return
        if line.startswith(b"data:"):
            self._data.append(line[6:] if line[5:6] == b" " else line[5:])
        elif line.startswith(b"event:"):
            self._event = line[6:].strip()
        elif line.startswith(b":"):
            found = _STATUS_COMMENT.match(line)
            self._status = int(found[1]) if found else self._status
            self._size -= len(line)

    def _dispatch(self) -> Frame:
        joined = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        event = self._event.decode("utf-8", "replace") if self._event else ""
        frame = Frame(event, joined.decode("utf-8", "replace"), self._status)
        self._event, self._data, self._size, self._status = b"", [], 0, None
        return frame
