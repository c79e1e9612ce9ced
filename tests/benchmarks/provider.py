"""A provider on loopback in a process of its own: the least that answers over HTTP, so that clients are measured.

Below `/limited/SECONDS` every request is refused with a usage limit that resets in so many seconds; below
`/paced/RATE/COUNT` so many tokens come, RATE in a second; below anything else eight come at once. A GET tells how many
requests were refused so far. `python -m tests.benchmarks.provider` prints its ports.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LOOPBACK: Final = "127.0.0.1"
PORTS: Final = 2
"""A primary and its fallback are two hosts, which share no connection."""

BACKLOG: Final = 4096
"""A crowd connects at once."""

_LENGTH: Final = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_LIMITED: Final = re.compile(rb"POST /limited/([0-9]+)/")
_PACED: Final = re.compile(rb"POST /paced/([0-9]+)/([0-9]+)/")
_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _frame(payload: object) -> bytes:
    return _chunk(b"data: " + json.dumps(payload).encode() + b"\n\n")


def _token(number: int) -> bytes:
    return _frame({"choices": [{"index": 0, "delta": {"content": f"token {number} "}}]})


def _end(tokens: int) -> bytes:
    ends = _frame({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    usage = _frame({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": tokens}})
    return ends + usage + _chunk(b"data: [DONE]\n\n") + _chunk(b"")


_AT_ONCE: Final = b"".join([_HEAD, *map(_token, range(8)), _end(8)])
_PIECE: Final = _token(0)


def _refusal(seconds: int) -> bytes:
    error = {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": seconds}
    return _document({"error": error}, b"429 Too Many Requests")


def _document(value: object, status: bytes = b"200 OK") -> bytes:
    body = json.dumps(value).encode()
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (status, len(body)) + body


class Answering(asyncio.Protocol):
    """One connection: every complete request is answered at once, or token by token."""

    refused = 0
    """How many requests were refused, over all connections."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()

    def data_received(self, data: bytes) -> None:
        """Answer what is complete."""
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not end or len(body) < (int(length[1]) if length else 0):
            return
        self._received = b""
        if head.startswith(b"GET "):
            self._transport.write(_document(Answering.refused))
        elif limited := _LIMITED.match(head):
            Answering.refused += 1
            self._transport.write(_refusal(int(limited[1])))
        elif paced := _PACED.match(head):
            self._transport.write(_HEAD)
            self._go_on(1 / int(paced[1]), self._loop.time(), int(paced[2]), int(paced[2]))
        else:
            self._transport.write(_AT_ONCE)

    def _go_on(self, pause: float, due: float, left: int, count: int) -> None:
        """Send the next token, and see to the one after it."""
        if self._transport.is_closing():
            return
        if left:
            self._transport.write(_PIECE)
            self._loop.call_at(due + pause, self._go_on, pause, due + pause, left - 1, count)
        else:
            self._transport.write(_end(count))


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(Answering, LOOPBACK, 0, backlog=BACKLOG) for _ in range(PORTS)]
    sys.stdout.write(" ".join(str(server.sockets[0].getsockname()[1]) for server in servers) + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def provider() -> Iterator[tuple[str, str]]:
    """Run the provider; yield the base URLs of its two hosts."""
    command = [sys.executable, "-m", "tests.benchmarks.provider"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first, second = process.stdout.readline().split()
        try:
            yield f"http://{LOOPBACK}:{first}", f"http://{LOOPBACK}:{second}"
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(_serve())
