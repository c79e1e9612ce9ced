"""Everything hostile at once: a provider, a configuration and names that hold what could hurt a screen."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import tomli_w

MARKUP = ("[/]", "[", "[0]", "[link=x", "a[b]c", "\\[", "[@click=app.quit]x", "[red]x[/]", "[bold", "[/bold]")
CODES = (
    "\x1b[2Jwiped",
    "\x1b]0;owned\x07",
    "\x1b]8;;http://127.0.0.1/owned\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;b3duZWQ=\x07",
    "\x1bP1$r0m\x1b\\",
    "\x1b_owned\x1b\\",
    "\x9b31mred",
    "\x9d0;owned\x9c",
    "be\x07ll",
    "back\x08\x08\x08\x08space",
    "10%\r20%\r30%",
    "\x1b[<0;10;10M",
    "\x1b[?1049l",
    "\x1bc",
    "\x0e\x0f\x7f",
)
MARKS = (
    "\u202eolleh",
    "zero\u200bwidth",
    "tag\U000e0041\U000e007f",
    "\u2066isolate\u2069",
    "soft\u00adhyphen",
    "\ufeffmark",
)
SHAPES = (
    "日本語の名前",
    "❤️ heart",
    "👩‍👩‍👧‍👦 family",
    "👍🏽 thumb",
    "🇩🇪 flag",
    "e" + "\u0301" * 12 + "clair",
    "ก็็็็็ thai",
    "한글 \u1112\u1161\u11ab",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
)
LONG = ("x" * 300, "語" * 150, "tab\there", "two\nlines", " ")

POISON = (*MARKUP, *CODES, *MARKS, *SHAPES, *LONG)

NAMES = [
    f"{number} {text}"[:80] for number, text in enumerate((*MARKUP[:7], *CODES[:8], *MARKS[:3], *SHAPES[:7], LONG[0]))
]
"""Names of sessions."""

TEXT = " ".join(POISON)
LINES = "\n".join(POISON)
KEY = "hostile0key0that0nobody0shows"


class Provider:
    """A provider that answers each model in its own hostile way; `answered` counts what it said."""

    def __init__(self) -> None:
        self.answered: dict[str, int] = {}
        self.held = threading.Event()
        """Set once the rest of a reply that is held back may come."""
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                windows = {"used_percent": 12, "limit_window_seconds": 18000, "reset_after_seconds": 900}
                limits = {"rate_limit": {"primary_window": windows}}
                extra = [{"limit_name": f"gpt {TEXT}"[:190], **limits}]
                self._send(200, json.dumps({"plan_type": TEXT, **limits, "additional_rate_limits": extra}))

            def do_POST(self) -> None:
                model = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"].split()[0]
                provider.answered[model] = provider.answered.get(model, 0) + 1
                key = self.headers["Authorization"].removeprefix("Bearer ")
                if model.isdigit():
                    error = {"message": f"{TEXT} {key}", "code": TEXT, "type": TEXT, "param": TEXT}
                    self._send(int(model), json.dumps({"error": error}))
                else:
                    self._stream(held=model == "held")

            def _stream(self, *, held: bool) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                halves = [LINES[at : at + 7] for at in range(0, len(LINES), 7)]
                for number, piece in enumerate(halves):
                    if held and number == len(halves) - 3:
                        provider.held.wait(60)
                    self._frame({"choices": [{"delta": {"content": piece}}]})
                self._frame({"choices": [{"delta": {}, "finish_reason": "stop"}]})
                self.wfile.write(b"data: [DONE]\n\n")

            def _frame(self, document: dict[str, Any]) -> None:
                self.wfile.write(f"data: {json.dumps(document)}\n\n".encode())
                self.wfile.flush()

            def _send(self, status: int, text: str) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Request-Id", "\x1b]0;owned\x07[/]")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Keep the tests' output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """End the server."""
        self.held.set()
        self._server.shutdown()
        self._server.server_close()


def configuration(url: str, **more: Any) -> dict[str, Any]:
    """Return the tables of a file in which everything that may be hostile is."""
    evil = f"evil {TEXT}"[:150]
    refused = [{"provider": evil, "model": f"{status} {TEXT}"[:120]} for status in (429, 401, 500)]
    talks = {"provider": evil, "model": f"talks {TEXT}"[:120]}
    sessions: list[dict[str, Any]] = [{"name": name} for name in NAMES]
    sessions[1]["primary"] = {"provider": evil, "model": "held"}
    sessions[2]["prompt"] = TEXT
    return {
        "primary": {"provider": "openai-codex", "model": "429 gpt"},
        "fallback_providers": [*refused, talks],
        "providers": {
            "openai-codex": {"base_url": url, "credentials": [{"label": f"codex {TEXT}"[:70], "api_key": KEY}]},
            evil: {
                "base_url": url,
                "credentials": [
                    {"label": text[:70], "api_key": f"{KEY}{n}"}
                    for n, text in enumerate((*MARKUP, *CODES))
                    if text.strip()
                ],
            },
        },
        "runtime": {"max_retries": 1},
        "sessions": sessions,
        f"unknown {TEXT}": 1,
        **more,
    }


def write(folder: Path, url: str, **more: Any) -> Path:
    """Write the file, under a name that is hostile itself."""
    path = folder / "con[]fig[0\x1b[2J\u202e\x9b.toml"
    path.write_text(tomli_w.dumps(configuration(url, **more)), encoding="utf-8")
    return path
