"""JSON-RPC with a Hermes: requests with their answers, and what it says or asks of its own accord."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any, Final

from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.core.text import PlainText
from hermes_tui.gateway.child import Child
from hermes_tui.gateway.safe import Table, sentence, table, text

UNKNOWN_METHOD: Final = -32601
READY: Final = "gateway.ready"
ENDED: Final = "Hermes has ended"


class Client:
    """A line to `child`. `on_event` gets its kind, session and content; `on_question` an id, a method and parameters.

    `patience_seconds` bounds every answer.
    """

    def __init__(
        self,
        child: Child,
        patience_seconds: float,
        on_event: Callable[[str, str, Table], None],
        on_question: Callable[[str, str, Table], None],
    ) -> None:
        self._child, self._patience_seconds = child, patience_seconds
        self._on_event, self._on_question = on_event, on_question
        self._numbers = itertools.count(1)
        self._awaited: dict[str, asyncio.Future[Table]] = {}
        self._ready = asyncio.Event()
        self.is_over = False
        """Whether the child has ended."""

    async def listen(self) -> PlainText:
        """Take what comes until the child has ended; return how it did."""
        try:
            async for said in self._child.frames():
                self._take(said)
            why = await self._child.why_it_ended()
        finally:
            self.is_over = True
            for answer in self._awaited.values():
                answer.cancel()
        return why

    async def be_ready(self) -> None:
        """Wait until Hermes says that it is."""
        await self._ready.wait()

    async def ask(self, method: str, **params: Any) -> Table:
        """Return the answer to a request.

        Raises RefusedError with what Hermes has against it, NothingReachableError where no answer comes.
        """
        if self.is_over:
            raise NothingReachableError(ENDED)
        number = f"ours-{next(self._numbers)}"
        answer: asyncio.Future[Table] = asyncio.get_running_loop().create_future()
        self._awaited[number] = answer
        try:
            async with asyncio.timeout(self._patience_seconds):
                self._child.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                await asyncio.wait([answer])
        except TimeoutError:
            raise NothingReachableError(f"Hermes gave no answer in {self._patience_seconds:g} s") from None
        finally:
            self._awaited.pop(number, None)
        if answer.cancelled():
            raise NothingReachableError(ENDED)
        said = answer.result()
        error = table(said.get("error"))
        if error.get("code") == UNKNOWN_METHOD:
            raise RefusedError(f"this Hermes knows no {method}: another version is needed")
        if "error" in said:
            raise RefusedError(sentence(error.get("message")) or "Hermes gives no reason")
        return table(said.get("result"))

    def answer(self, number: str, result: Table) -> None:
        """Answer what Hermes asked."""
        self._child.say({"jsonrpc": "2.0", "id": number, "result": result})

    def decline(self, number: str) -> None:
        """Say that a question cannot be answered here."""
        error = {"code": UNKNOWN_METHOD, "message": "this client does not answer that"}
        self._child.say({"jsonrpc": "2.0", "id": number, "error": error})

    def _take(self, said: Table) -> None:
        method, number, params = text(said.get("method")), text(said.get("id")), table(said.get("params"))
        if method == "event":
            kind = text(params.get("type"))
            if kind == READY:
                self._ready.set()
            self._on_event(kind, text(params.get("session_id")), table(params.get("payload")))
        elif method and number:
            self._on_question(number, method, params)
        elif (answer := self._awaited.get(number)) is not None and not answer.done():
            answer.set_result(said)
