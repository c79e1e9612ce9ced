"""A 200 reply as its bytes come in: a stream of events, or one JSON object from a server that does not stream.

Pure: bytes in, chunks out. What makes the reply no answer is kept as `trouble`, after which nothing more is read.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable
from typing import Final

from hermes_tui.core.failure import FailureKind
from hermes_tui.core.ports import Chunk
from hermes_tui.providers.body import BODY_LIMIT
from hermes_tui.providers.dialect import Piece, Reader, Trouble, is_error, parsed
from hermes_tui.providers.sse import Frame, SseParser

REPLY_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of one reply beyond which it is given up."""

_TOO_LARGE: Final = Trouble("the reply is larger than an answer may be", FailureKind.INVALID_RESPONSE)
_NO_REPLY: Final = Trouble("the reply is neither a stream of events nor JSON", FailureKind.INVALID_RESPONSE)


class Reply:
    """Interprets the bytes of one reply through its dialect's reader."""

    def __init__(self, reader: Reader, *, limit: int = REPLY_LIMIT) -> None:
        self.trouble: Trouble | None = None
        self._reader = reader
        self._limit = limit
        self._received = 0
        self._parser = SseParser()
        self._whole: bytearray | None = None
        self._start = b""
        self._begun = False

    @property
    def settled(self) -> bool:
        """Whether nothing more needs to be read: the reply is complete, or in trouble."""
        return self.trouble is not None or self._reader.complete

    def feed(self, data: bytes) -> list[Chunk]:
        """Return the chunks that `data` brings."""
        self._received += len(data)
        if self._received > self._limit:
            self.trouble = _TOO_LARGE
            return []
        if not self._begun:
            data = self._begin(data)
        if self._whole is not None:
            self._whole += data
            if self._whole.startswith(b"<") and len(self._whole) > BODY_LIMIT:
                self.trouble = self._page()
            return []
        chunks = self._frames(self._parser.feed(data))
        if self._parser.too_large and not self.settled:
            self.trouble = _TOO_LARGE
        return chunks

    def end(self) -> list[Chunk]:
        """Return the last chunks, with `ReplyFinished` at the end unless the reply is in trouble."""
        if self.trouble is not None:
            return []
        chunks = self._body() if self._whole is not None else self._frames(self._parser.flush())
        return chunks + self._finish()

    def _finish(self) -> list[Chunk]:
        return self._taken([self._reader.finish()]) if self.trouble is None else []

    def _begin(self, data: bytes) -> bytes:
        """Return what has come from the first byte on that is no space; nothing until there is one.

        That byte tells a stream from a whole: content types are often wrong, it is not.
        """
        start = self._start + data
        if BOM_UTF8.startswith(start):
            self._start = start
            return b""
        start = start.removeprefix(BOM_UTF8).lstrip()
        self._start, self._begun = b"", bool(start)
        if start[:1] in (b"{", b"[", b"<"):
            self._whole = bytearray()
        return start

    def _frames(self, frames: Iterable[Frame]) -> list[Chunk]:
        chunks: list[Chunk] = []
        for frame in frames:
            if self.settled:
                break
            chunks += self._taken(self._reader.read(frame))
        return chunks

    def _taken(self, pieces: Iterable[Piece]) -> list[Chunk]:
        chunks: list[Chunk] = []
        for piece in pieces:
            if isinstance(piece, Trouble):
                self.trouble = piece
                break
            chunks.append(piece)
        return chunks

    def _body(self) -> list[Chunk]:
        text = (self._whole or b"").decode("utf-8", "replace")
        payload = parsed(text)
        if payload is not None and not is_error(payload):
            return self._taken(self._reader.read_whole(payload))
        if payload is not None or text.startswith("["):
            self.trouble = Trouble(text[:BODY_LIMIT])
        else:
            self.trouble = self._page() if text.startswith("<") else _NO_REPLY
        return []

    def _page(self) -> Trouble:
        page = bytes(self._whole or b"")[:BODY_LIMIT].decode("utf-8", "replace")
        return Trouble(page, status=200)
