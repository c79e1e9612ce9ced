"""Fixtures: a scripted server, a wire, and a request to it; a machine's time zone."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from hermes_tui.core.ports import ModelRequest
from hermes_tui.core.route import ApiMode
from hermes_tui.providers.wire import HttpWire

from .support import NOW, ScriptedServer, redact, route_to, user


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    scripted.port = listener.getsockname()[1]
    running = await asyncio.start_server(scripted.serve, sock=listener)
    yield scripted
    running.close()
    await asyncio.wait_for(running.wait_closed(), 60)


@pytest.fixture
async def wire() -> AsyncIterator[HttpWire]:
    made = HttpWire(redact, now=lambda: NOW)
    yield made
    await made.close()


@pytest.fixture
def ask(server: ScriptedServer) -> Callable[..., ModelRequest]:
    def build(api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS, timeout_seconds: float = 5.0) -> ModelRequest:
        return ModelRequest(route_to(server.base_url, api_mode), "Be brief.", (user("hello"),), timeout_seconds)

    return build


@pytest.fixture
def local_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set this machine's time zone for one test: UTC, until it calls with another one."""

    def to(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    to("UTC")
    yield to
    monkeypatch.undo()
    time.tzset()
