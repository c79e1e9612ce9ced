"""A uvicorn server on loopback that takes no signals, needs no ticks, and stops at once."""

import asyncio
import socket
import struct
from functools import partial
from types import TracebackType
from typing import Final, Self

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK: Final = "127.0.0.1"
KEEP_ALIVE_SECONDS: Final = 3600
"""Longer than the waits between turns: a client's next request must not race with the server's closing."""

HANG_UP: Final = "hermes.hang_up"
"""The scope's extension that drops a request's connection, by a reset where `reset` says so."""

_LINGER_ON_FOR_NO_TIME: Final = struct.pack("ii", 1, 0)


class LoopbackServer:
    """Serves an ASGI application on a port of 127.0.0.1 while its context is open; port 0 takes a free one."""

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        self._app = app
        self._port = port
        self._closing = False

    @property
    def base_url(self) -> str:
        """The address, without a slash at the end; known once the context is open."""
        return f"http://{LOOPBACK}:{self._port}"

    async def __aenter__(self) -> Self:
        listener = _listen(self._port)
        self._port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._serve,
            http="h11",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)
        await self._server.startup(sockets=[listener])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening, cut what is still open, and wait until every answer has ended."""
        self._closing = True
        state = self._server.server_state
        for listening in self._server.servers:
            listening.close()
        for connection in list(state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)
        tasks = list(state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for listening in self._server.servers:
            await listening.wait_closed()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions = {**scope.get("extensions", {}), HANG_UP: partial(self._hang_up, scope["client"])}
        try:
            await self._app({**scope, "extensions": extensions}, receive, send)
        except asyncio.CancelledError:
            if not self._closing:
                raise

    def _hang_up(self, client: tuple[str, int], *, reset: bool) -> None:
        for connection in self._server.server_state.connections:
            transport = connection.transport
            if transport.get_extra_info("peername") == client:
                if reset:
                    connected: socket.socket = transport.get_extra_info("socket")
                    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ON_FOR_NO_TIME)
                transport.abort()


def _listen(port: int) -> socket.socket:
    """Return a bound socket; naming the protocol is what makes asyncio switch Nagle's algorithm off."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
