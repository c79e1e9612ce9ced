"""What a shape's answer does on the wire: bytes sent, and how the connection ends."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hermes_tui.simulator.reply import KEEP_ALIVE, KEEP_ALIVE_SECONDS
from hermes_tui.simulator.server import HANG_UP
from hermes_tui.simulator.shape import Answer, Ending

Sleep = Callable[[float], Awaitable[object]]


class Silence(Response):
    """An answer that never comes: it lasts until the client gives up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send nothing, and end when the client is gone."""
        await _until_gone(receive)


class Played(Response):
    """An answer as its shape has it, to the letter; `sleep` waits between signs of life."""

    def __init__(self, answer: Answer, sleep: Sleep) -> None:
        super().__init__()
        self._answer = answer
        self._sleep = sleep

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts, and end as the answer ends."""
        answer = self._answer
        if answer.status is not None:
            headers = [(name.encode(), value.encode()) for name, value in answer.headers.items()]
            await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        for part in answer.parts:
            await _send_text(send, part, more=True)
        match answer.ending:
            case Ending.CLOSE:
                await _send_text(send, "", more=False)
            case Ending.CUT | Ending.RESET:
                scope["extensions"][HANG_UP](reset=answer.ending is Ending.RESET)
        living = asyncio.create_task(self._stay_alive(send)) if answer.ending is Ending.KEEP_ALIVES else None
        try:
            await _until_gone(receive)
        finally:
            if living is not None:
                living.cancel()

    async def _stay_alive(self, send: Send) -> None:
        while True:
            await _send_text(send, KEEP_ALIVE, more=True)
            await self._sleep(KEEP_ALIVE_SECONDS)


async def _send_text(send: Send, text: str, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": more})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
