"""A provider that repeats what it is told: key, header and address, wherever an answer has room for them."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str], tuple[int, str, str]]


def _json(status: int, document: dict[str, Any]) -> tuple[int, str, str]:
    return status, "application/json", json.dumps(document)


def _stream(*frames: dict[str, Any]) -> tuple[int, str, str]:
    text = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames)
    return 200, "text/event-stream", f"{text}data: [DONE]\n\n"


def _reply(text: str) -> tuple[int, str, str]:
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    frames = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    return _stream(*frames, {"choices": [{"delta": {}, "finish_reason": "stop"}]})


ANSWERS: dict[str, Answer] = {
    "reply": lambda key: _reply(f"Your key is {key}, is it not? And your header says Bearer {key}. That is all."),
    "401": lambda key: _json(401, {"error": {"message": f"Incorrect API key provided: {key}.", "code": key}}),
    "429": lambda key: _json(
        429, {"error": {"message": f"Limit reached for {key} in ada@example.com", "type": "usage_limit_reached"}}
    ),
    "400": lambda key: _json(400, {"error": {"message": f"{key}", "type": f"bad {key}", "param": key}}),
    "500": lambda key: (500, "text/html", f"<html><title>{key}</title><body>Bearer {key}</body></html>"),
    "garbage": lambda key: (200, "application/json", f"]{key}["),
    "frame": lambda key: _stream({"error": {"message": f"no more of {key}", "code": "server_error"}}),
    "code": lambda key: _json(401, {"error": {"code": key}}),
    "cut": lambda key: (400, "application/json", f'{{"error": {{"message": "no such key: {key[:-3]}'),
    "headers": lambda key: (503, f"text/{key}", f"see https://127.0.0.1/usage?api_key={key}&x=1"),
}
"""What the parrot says, by the name of the model that it is asked for."""


class Parrot:
    """The server; `answers` counts what it said."""

    def __init__(self) -> None:
        self.answers: dict[str, int] = dict.fromkeys(ANSWERS, 0)
        said = self.answers

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                key = self.headers["Authorization"].removeprefix("Bearer ")
                document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model = document["model"]
                status, kind, text = ANSWERS[model](key)
                said[model] += 1
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Request-Id", key)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Keep the tests' output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
