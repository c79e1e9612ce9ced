"""A model on loopback that does what a test has written down: it says something, or calls a tool of the agent."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final, NamedTuple

from tests.hermes.lab.homes import QUICK

MODEL: Final = "scripted-model"


class Call(NamedTuple):
    """A call of a tool of the agent."""

    tool: str
    arguments: dict[str, Any]


class Scripted(ThreadingHTTPServer):
    """Gives what stands in `script`, one after the other, to requests that offer tools; any other request gets a word.

    `results` are the answers of tools that it was sent.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[str | Call] = []
        self.results: list[str] = []

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next(self, body: dict[str, Any]) -> str | Call:
        """Return what is said to a request."""
        self.results += [str(message["content"]) for message in body["messages"][-1:] if message["role"] == "tool"]
        return self.script.pop(0) if body.get("tools") and self.script else "Well."


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
        message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
        if isinstance(said, Call):
            function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
            message["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
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
        server.shutdown()
        server.server_close()
        thread.join()


def make_scripted_home(home: Path, address: str) -> None:
    """Write a home whose only model is at `address`, and which asks before whatever may do harm."""
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(
        f"model:\n  default: {MODEL}\n  provider: custom\n  base_url: {address}\n"
        "  api_key: made-up-key-of-the-model\n  context_length: 200000\n"
        f"approvals:\n  mode: manual\n{QUICK}"
    )
