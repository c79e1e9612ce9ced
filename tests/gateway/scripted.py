"""A model on loopback that does what a test has written down: it says something, or calls a tool of the agent."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final, NamedTuple

MODEL: Final = "scripted-model"
HELD_SECONDS: Final = 60.0


class Call(NamedTuple):
    """A call of a tool of the agent."""

    tool: str
    arguments: dict[str, Any]


class Held(NamedTuple):
    """A reply that goes on behind its beginning only when it is let."""

    beginning: str
    rest: str = ""


class Scripted(ThreadingHTTPServer):
    """Gives what stands in `script`, one after the other, to requests of the turn that `prompt` began.

    Any other request gets a word: an agent asks of its own accord, too. `asked` counts those of the turn, `results` are
    the answers of tools in it. A `Held` reply goes on once `goes_on` is set.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.prompt = ""
        self.script: list[str | Call | Held] = []
        self.results: list[str] = []
        self.asked = 0
        self.goes_on = Event()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def play(self, prompt: str, *script: str | Call | Held) -> None:
        """Say what stands in `script` in the turn that `prompt` begins."""
        self.prompt, self.script, self.asked = prompt, list(script), 0
        self.goes_on.clear()

    def next(self, body: dict[str, Any]) -> str | Call | Held:
        """Return what is said to a request."""
        messages = body["messages"]
        asked = next((str(message["content"]) for message in reversed(messages) if message["role"] == "user"), "")
        if not body.get("tools") or self.prompt not in asked:
            return "Well."
        self.asked += 1
        self.results += [str(message["content"]) for message in messages[-1:] if message["role"] == "tool"]
        return self.script.pop(0) if self.script else "Well."


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "messages" not in body:
            self.send_error(404)
            return
        said = self.server.next(body)
        if isinstance(said, Held):
            self._hold(said)
            return
        message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
        if isinstance(said, Call):
            function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
            number = f"call_{uuid.uuid4().hex}"
            message["tool_calls"] = [{"index": 0, "id": number, "type": "function", "function": function}]
        end = "tool_calls" if isinstance(said, Call) else "stop"
        head = {"id": "made-up", "created": 1, "model": MODEL}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": end}
            self._answer({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
            {"choices": [], "usage": usage},
        ]
        lines = (json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in chunks)
        self._send("".join(f"data: {line}\n\n" for line in (*lines, "[DONE]")), "text/event-stream")

    def _hold(self, said: Held) -> None:
        """Begin a reply, and end it when it may go on; nothing is told of who hung up."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        with suppress(OSError):
            self._send_piece(said.beginning)
            self.server.goes_on.wait(HELD_SECONDS)
            self._send_piece(said.rest, finish="stop")
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _send_piece(self, text: str, finish: str | None = None) -> None:
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
        chunk = {"id": "made-up", "created": 1, "model": MODEL, "object": "chat.completion.chunk", "choices": [choice]}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def _answer(self, body: dict[str, Any]) -> None:
        self._send(json.dumps(body), "application/json")

    def _send(self, text: str, kind: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has there
        """Say nothing."""


@contextmanager
def scripted() -> Iterator[Scripted]:
    """Yield such a model while it answers."""
    server = Scripted()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.goes_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


def take_fallback(home: Path, before: str, address: str) -> None:
    """Have the fallback of a home at `address`, in place of `before`, and ask before whatever may do harm.

    Nothing is installed on the way, which costs seconds.
    """
    file = home / "config.yaml"
    text = file.read_text().replace(before, address)
    file.write_text(f"{text}approvals:\n  mode: manual\nsecurity:\n  allow_lazy_installs: false\n")
