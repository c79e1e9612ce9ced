"""The HTTP side of the simulated world: both model APIs, the usage endpoint, and the controls."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from hermes_tui.core.secret import fingerprint
from hermes_tui.simulator import chat_completions, codex_responses
from hermes_tui.simulator.account import Provider
from hermes_tui.simulator.control import control_routes
from hermes_tui.simulator.mode import Dialect, Mode, UsageMode
from hermes_tui.simulator.refusal import CHALLENGE_PAGE, Refusal, codex_headers, error_body, refusal
from hermes_tui.simulator.reply import Reply, Script, staged
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.usage import usage_document
from hermes_tui.simulator.world import Ruling, World

Sleep = Callable[[float], Awaitable[object]]

USAGE_PATHS: Final = ("/wham/usage", "/api/codex/usage")
BYTES_PER_TOKEN: Final = 3
_SCRIPTS: Final[dict[Dialect, Callable[[Reply], Script]]] = {
    Dialect.CHAT_COMPLETIONS: chat_completions.script,
    Dialect.CODEX_RESPONSES: codex_responses.script,
}
_WHOLES: Final[dict[Dialect, Callable[[Reply], dict[str, Any]]]] = {
    Dialect.CHAT_COMPLETIONS: chat_completions.whole,
    Dialect.CODEX_RESPONSES: codex_responses.whole,
}
_USAGE_REFUSALS: Final = {
    UsageMode.THROTTLED: Refusal(429, error_body("Too many requests", "rate_limit_error", None)),
    UsageMode.SERVER_ERROR: Refusal(500, error_body("Internal error", "server_error", None)),
    UsageMode.UNAUTHORIZED: Refusal(401, error_body("Your token has expired.", "auth_error", "token_expired")),
    UsageMode.HTML: Refusal(200, CHALLENGE_PAGE),
}


class Silence(Response):
    """An answer that never comes: it lasts until the client gives up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send nothing, and end when the client is gone."""
        while (await receive())["type"] != "http.disconnect":
            pass


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The endpoints of one world; `sleep` waits seconds of the time that the world's `now` tells."""

    world: World
    requests: list[LoggedRequest]
    sleep: Sleep

    def application(self) -> Starlette:
        """Return the ASGI application."""
        return Starlette(
            routes=[
                *control_routes(self.world, self.requests),
                Route("/{path:path}", self.answer, methods=["GET", "POST"]),
            ]
        )

    async def answer(self, request: Request) -> Response:
        """Answer whatever is not a control, by how its path ends."""
        path = request.url.path
        if request.method == "GET" and path.endswith(USAGE_PATHS):
            return await self.usage(request)
        if request.method == "POST" and path.endswith("/chat/completions"):
            return await self.model(request, Dialect.CHAT_COMPLETIONS)
        if request.method == "POST" and path.endswith("/responses"):
            return await self.model(request, Dialect.CODEX_RESPONSES)
        return self._not_found(request)

    async def usage(self, request: Request) -> Response:
        """Answer a question to the usage endpoint."""
        key, now = _key(request), self.world.now()
        provider = self.world.provider_for(request.url.path, key, Dialect.CODEX_RESPONSES)
        if provider is None:
            return self._not_found(request)
        ruling = self.world.rule_usage(provider, key)
        mode = ruling.behaviour.mode
        refused = _USAGE_REFUSALS.get(mode)
        status = None if mode is UsageMode.TIMEOUT else refused.status if refused else 200
        account = ruling.account.label if ruling.account else None
        self._log(request, provider=provider.name, account=account, met=mode, status=status)
        if mode is UsageMode.TIMEOUT:
            return Silence()
        if mode is UsageMode.GARBAGE:
            return Response('{"rate_limit": {"allowed": tr', media_type="application/json")
        return _refuse(refused) if refused else JSONResponse(usage_document(ruling, now))

    async def model(self, request: Request, dialect: Dialect) -> Response:
        """Answer a request to a model."""
        key = _key(request)
        provider = self.world.provider_for(request.url.path, key, dialect)
        try:
            body = await request.json()
        except (JSONDecodeError, UnicodeDecodeError):
            body = None
        if provider is None:
            return self._not_found(request)
        if not isinstance(body, dict) or not isinstance(body.get("model"), str):
            self._log(request, provider=provider.name, status=400)
            return _refuse(Refusal(400, error_body("a JSON body with a model is needed", "bad_request", None)))
        ruling = self.world.rule(provider, key, body["model"])
        mode = ruling.behaviour.mode
        refused = None
        if not mode.answers_200 and mode is not Mode.TIMEOUT:
            refused = refusal(ruling, model=body["model"], now=self.world.now())
        self._log(
            request,
            provider=provider.name,
            account=ruling.account.label if ruling.account else None,
            model=body["model"],
            met=mode,
            status=refused.status if refused else 200 if mode.answers_200 else None,
        )
        if mode is Mode.TIMEOUT:
            return Silence()
        await self._wait(provider.latency)
        return _refuse(refused) if refused else self._reply(ruling, provider, dialect, body)

    def _reply(self, ruling: Ruling, provider: Provider, dialect: Dialect, body: dict[str, Any]) -> Response:
        mode = ruling.behaviour.mode
        text = "" if mode is Mode.EMPTY else provider.next_reply(body["model"])
        reply = Reply(
            number=provider.replied,
            model=body["model"],
            text=text,
            created=int(self.world.now()),
            input_tokens=math.ceil(len(repr(body)) / BYTES_PER_TOKEN),
        )
        headers = codex_headers(ruling.account.windows) if ruling.account else {}
        if body.get("stream"):
            frames = self._paced(_SCRIPTS[dialect](reply), ruling, provider)
            return StreamingResponse(frames, media_type="text/event-stream", headers=headers)
        whole = JSONResponse(_WHOLES[dialect](reply), headers=headers)
        match mode:
            case Mode.STALL:
                return Silence()
            case Mode.BROKEN:
                half = bytes(whole.body)[: len(whole.body) // 2]
                return Response(half, media_type="application/json", headers=headers)
            case Mode.ERROR_FRAME:
                return JSONResponse(error_body("The server is overloaded.", "server_error", "server_is_overloaded"))
            case _:
                return whole

    async def _paced(self, script: Script, ruling: Ruling, provider: Provider) -> AsyncIterator[str]:
        for frame in staged(script, ruling.behaviour):
            pace = provider.tokens_per_second if frame.token else 0.0
            await self._wait(frame.before + (1 / pace if pace else 0.0))
            yield frame.text

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self.sleep(seconds)

    def _not_found(self, request: Request) -> Response:
        self._log(request, status=404)
        return _refuse(Refusal(404, error_body("Not Found", "invalid_request_error", None)))

    def _log(
        self,
        request: Request,
        *,
        provider: str | None = None,
        account: str | None = None,
        model: str | None = None,
        met: Mode | UsageMode | None = None,
        status: int | None,
    ) -> None:
        path, key = request.url.path, fingerprint(_key(request))
        self.requests.append(LoggedRequest(self.world.now(), path, provider, account, key, model, met, status))


def _key(request: Request) -> str:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")


def _refuse(answer: Refusal) -> Response:
    kind = HTMLResponse if isinstance(answer.body, str) else JSONResponse
    return kind(answer.body, status_code=answer.status, headers=dict(answer.headers))
