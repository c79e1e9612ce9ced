"""A provider on loopback in a process of its own: the least that answers over HTTP, so that clients are measured.

Below `/limited/SECONDS` every request is refused with a usage limit that resets in so many seconds; below anything
else it is answered with a streamed reply of eight tokens. `python -m tests.benchmarks.provider` prints its ports.
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

_LENGTH: Final = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_LIMITED: Final = re.compile(rb"POST /limited/([0-9]+)/")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _frame(payload: object) -> bytes:
    return _chunk(b"data: " + json.dumps(payload).encode() + b"\n\n")


def _reply() -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    tokens = [_frame({"choices": [{"index": 0, "delta": {"content": f"token {n} "}}]}) for n in range(8)]
    ends = _frame({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    usage = _frame({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 8}})
    return b"".join([head, *tokens, ends, usage, _chunk(b"data: [DONE]\n\n"), _chunk(b"")])


def _refusal(seconds: int) -> bytes:
    error = {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": seconds}
    body = json.dumps({"error": error}).encode()
    head = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


class Answering(asyncio.Protocol):
    """One connection: every complete request is answered at once."""

    def __init__(self) -> None:
        self._received = b""
        self._reply = _reply()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer what is complete."""
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not end or len(body) < (int(length[1]) if length else 0):
            return
        self._received = b""
        limited = _LIMITED.match(head)
        self._transport.write(_refusal(int(limited[1])) if limited else self._reply)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(Answering, LOOPBACK, 0) for _ in range(PORTS)]
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
