"""The HTTP side of the simulated world: the model APIs, the usage endpoint, and the controls."""

import math
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from json import JSONDecodeError
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from hermes_tui.core.secret import fingerprint
from hermes_tui.simulator import anthropic_messages, chat_completions, codex_responses
from hermes_tui.simulator.account import Provider
from hermes_tui.simulator.control import control_routes
from hermes_tui.simulator.gallery import shapes
from hermes_tui.simulator.mode import Dialect, Mode, UsageMode
from hermes_tui.simulator.models import LIST_PATHS, models_document
from hermes_tui.simulator.refusal import CHALLENGE_PAGE, Refusal, codex_headers, error_body, refusal
from hermes_tui.simulator.reply import Reply, Script, staged
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.serving import Played, Silence, Sleep
from hermes_tui.simulator.strictness import Asked, refusal_of_form
from hermes_tui.simulator.usage import usage_document
from hermes_tui.simulator.world import Ruling, World

USAGE_PATHS: Final = ("/wham/usage", "/api/codex/usage")
BYTES_PER_TOKEN: Final = 3
_SCRIPTS: Final[dict[Dialect, Callable[[Reply], Script]]] = {
    Dialect.CHAT_COMPLETIONS: chat_completions.script,
    Dialect.CODEX_RESPONSES: codex_responses.script,
    Dialect.ANTHROPIC_MESSAGES: anthropic_messages.script,
}
_WHOLES: Final[dict[Dialect, Callable[[Reply], dict[str, Any]]]] = {
    Dialect.CHAT_COMPLETIONS: chat_completions.whole,
    Dialect.CODEX_RESPONSES: codex_responses.whole,
    Dialect.ANTHROPIC_MESSAGES: anthropic_messages.whole,
}
_USAGE_REFUSALS: Final = {
    UsageMode.THROTTLED: Refusal(429, error_body("Too many requests", "rate_limit_error", None)),
    UsageMode.SERVER_ERROR: Refusal(500, error_body("Internal error", "server_error", None)),
    UsageMode.UNAUTHORIZED: Refusal(401, error_body("Your token has expired.", "auth_error", "token_expired")),
    UsageMode.NOT_FOUND: Refusal(404, error_body("Not Found", "invalid_request_error", None)),
    UsageMode.HTML: Refusal(200, CHALLENGE_PAGE),
}


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
        if request.method == "GET" and path.endswith("/models"):
            return await self.models(request)
        if request.method == "POST" and path.endswith("/chat/completions"):
            return await self.model(request, Dialect.CHAT_COMPLETIONS)
        if request.method == "POST" and path.endswith("/responses"):
            return await self.model(request, Dialect.CODEX_RESPONSES)
        if request.method == "POST" and path.endswith("/messages"):
            return await self.model(request, Dialect.ANTHROPIC_MESSAGES)
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
        if refused is not None and ruling.behaviour.retry_after is not None:
            refused = replace(refused, headers={"Retry-After": f"{ruling.behaviour.retry_after:.0f}"})
        return _refuse(refused) if refused else JSONResponse(usage_document(ruling, now))

    async def models(self, request: Request) -> Response:
        """Answer a question for the list of models."""
        key, path = _key(request), request.url.path
        provider = self.world.provider_for(path, key, Dialect.CHAT_COMPLETIONS)
        if provider is None or not path.endswith(LIST_PATHS[provider.dialect]):
            return self._not_found(request)
        ruling = self.world.rule_list(provider, key)
        if ruling.behaviour.shape is not None:
            return await self._shape(request, ruling, provider, None)
        mode = ruling.behaviour.mode
        if mode is Mode.TIMEOUT:
            self._log(request, provider=provider.name, met=mode, status=None)
            return Silence()
        refused = None if mode is Mode.OK else refusal(ruling, model="", now=self.world.now())
        account = ruling.account.label if ruling.account else None
        self._log(request, provider=provider.name, account=account, met=mode, status=refused.status if refused else 200)
        return _refuse(refused) if refused else JSONResponse(models_document(provider))

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
        if ruling.behaviour.shape is not None:
            return await self._shape(request, ruling, provider, body["model"])
        mode = ruling.behaviour.mode
        asked = Asked(dialect, body, request.headers, provider, ruling.account)
        refused = None
        if mode.answers_200:
            refused = refusal_of_form(asked)
        elif mode is not Mode.TIMEOUT:
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
        return _refuse(refused) if refused else self._reply(ruling, asked)

    async def _shape(self, request: Request, ruling: Ruling, provider: Provider, model: str | None) -> Response:
        shape = shapes()[str(ruling.behaviour.shape)]
        answer = shape.answer(now=self.world.now(), model=model or "")
        account = ruling.account.label if ruling.account else None
        self._log(request, provider=provider.name, account=account, model=model, met=shape.name, status=answer.status)
        await self._wait(provider.latency)
        return Played(answer, self.sleep)

    def _reply(self, ruling: Ruling, asked: Asked) -> Response:
        mode, provider, dialect, body = ruling.behaviour.mode, asked.provider, asked.dialect, asked.body
        text = "" if mode is Mode.EMPTY else provider.next_reply(body["model"])
        reply = Reply(
            number=provider.replied,
            model=body["model"],
            text=text,
            created=int(self.world.now()),
            input_tokens=math.ceil(len(repr(body)) / BYTES_PER_TOKEN),
            seal=asked.seal,
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
        met: str | None = None,
        status: int | None,
    ) -> None:
        path, key = request.url.path, fingerprint(_key(request))
        self.requests.append(LoggedRequest(self.world.now(), path, provider, account, key, model, met, status))


def _key(request: Request) -> str:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return key.strip()
    return request.headers.get("x-api-key", "") or request.headers.get("api-key", "")


def _refuse(answer: Refusal) -> Response:
    kind = HTMLResponse if isinstance(answer.body, str) else JSONResponse
    return kind(answer.body, status_code=answer.status, headers=dict(answer.headers))
