"""A server on loopback that plays scripted bytes: the only way to send broken streams over real HTTP."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest

from hermes_tui.core.failure import Failure, RequestError
from hermes_tui.core.ports import Chunk, ModelRequest
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.secret import Redactor, Secret
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText, plain
from hermes_tui.providers.wire import HttpWire

NOW = 1_800_000_000.0
KEY = Secret("sk-test-0123456789abcdefghij")


def redact(text: str) -> PlainText:
    return plain(Redactor([KEY]).clean(text))


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as the server received it."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        """The body as a JSON object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


@dataclass
class ScriptedServer:
    """Plays one script for each request: raw response bytes; `hang` keeps the connection open after them."""

    port: int = 0
    scripts: list[bytes] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    hang: bool = False

    @property
    def base_url(self) -> str:
        """A base URL of this server."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, script by script."""
        self.connections += 1
        try:
            while self.scripts:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                first, *lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.seen.append(Seen(first, headers, body))
                script = self.scripts.pop(0)
                writer.write(script)
                await writer.drain()
                if self.hang:
                    await reader.read()
                if b"\r\nTransfer-Encoding: chunked" not in script and b"\r\nContent-Length" not in script:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def route_to(base_url: str, api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS) -> Route:
    return Route("acme", "model-x", base_url, api_mode, "acme")


def user(text: str, number: int = 0) -> Message:
    return Message("s", number, Role.USER, PlainText(text), NOW)


def response(body: bytes | str, status: str = "200 OK", kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole response with its length."""
    content = body.encode() if isinstance(body, str) else body
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {len(content)}\r\n\r\n".encode() + content
    )


def sse(*events: str, ended: bool = True) -> bytes:
    """Return a chunked event stream; not `ended` leaves the last chunk out, as a dropped connection does."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(event.encode()), event.encode()) for event in events)
    return head + chunks + (b"0\r\n\r\n" if ended else b"")


def data(payload: object, event: str = "") -> str:
    """Return one event with a JSON payload."""
    return (f"event: {event}\n" if event else "") + f"data: {json.dumps(payload)}\n\n"


def says(text: str, finish: str | None = None) -> str:
    """Return one chunk of a chat completion."""
    return data({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})


DONE = "data: [DONE]\n\n"


async def chunks(wire: HttpWire, request: ModelRequest, secret: Secret | None = KEY) -> list[Chunk]:
    return [chunk async for chunk in wire.stream(request, secret)]


async def failure(wire: HttpWire, request: ModelRequest, secret: Secret | None = KEY) -> Failure:
    with pytest.raises(RequestError) as caught:
        await chunks(wire, request, secret)
    return caught.value.failure
