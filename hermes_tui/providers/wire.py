"""The wire: one session's connection to providers, over HTTP and server-sent events (core.ports.Wire).

It retries nothing: retries have one owner, the engine (M2). Everything that is not a complete reply is raised as a
`RequestError` that holds a classified failure, and neither the request nor another exception.
"""

import asyncio
import functools
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final

import httpx

from hermes_tui.core.failure import Failure, RequestError, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.ports import Chunk, ModelRequest
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.secret import Secret
from hermes_tui.providers.anthropic_messages import AnthropicMessages
from hermes_tui.providers.body import BODY_LIMIT, Redact, knowing, said
from hermes_tui.providers.chat_completions import ChatCompletions
from hermes_tui.providers.classify import classify
from hermes_tui.providers.codex_responses import CodexResponses
from hermes_tui.providers.dialect import Dialect, Trouble, endpoint
from hermes_tui.providers.reply import Reply
from hermes_tui.providers.transport import UNSENDABLE_KEY, UNUSABLE_PROXY, LazyClient, sendable, transport_failure

REFUSAL_SECONDS: Final = 5.0
"""How long the words of a refusal are waited for."""

DRAIN_SECONDS: Final = 0.25
"""How long the last bytes after a complete reply are waited for, so that the connection can be used again."""

DIALECTS: Final[Mapping[ApiMode, Dialect]] = {
    ApiMode.CHAT_COMPLETIONS: ChatCompletions(),
    ApiMode.CODEX_RESPONSES: CodexResponses(),
    ApiMode.ANTHROPIC_MESSAGES: AnthropicMessages(),
}
"""A further dialect is a file of its own and a line here."""


class HttpWire:
    """A `Wire` over one httpx client, made when first needed.

    `redact` takes known secrets out of everything that a provider says; `now` is the engine's clock in epoch
    seconds, asked only when a reply has to be explained.
    """

    def __init__(self, redact: Redact, *, now: Callable[[], float]) -> None:
        self._redact = redact
        self._now = now
        self._client = LazyClient()

    async def stream(self, request: ModelRequest, secret: Secret | None) -> AsyncGenerator[Chunk, None]:
        """Send `request` and yield the reply; the last chunk is `ReplyFinished`.

        Raises RequestError, classified, for everything else: nothing received before it is an answer (M4).
        """
        if secret is not None and not sendable(secret.reveal()):
            raise RequestError(UNSENDABLE_KEY)
        client, redact = self._client.ready(), knowing(self._redact, secret)
        if client is None:
            raise RequestError(UNUSABLE_PROXY)
        failure: Failure | None = None
        try:
            async with _post(client, request, secret) as response:
                if response.status_code != 200:
                    failure = await self._refusal(request, response, redact)
                else:
                    reply = Reply(DIALECTS[request.route.api_mode].reader())
                    received = _received(response)
                    async for data in received:
                        for chunk in reply.feed(data):
                            yield chunk
                        if reply.settled:
                            break
                    if reply.trouble is None:
                        await _drain(received)
                    for chunk in reply.end():
                        yield chunk
                    if reply.trouble is not None:
                        failure = self._explained(request, response.headers, reply.trouble, redact)
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            failure = transport_failure(fault, redact)
        if failure is not None:
            raise RequestError(failure)

    async def rebuild(self) -> None:
        """Close the client and its connections; the next request makes new ones (M3, M6)."""
        await self._client.close()

    async def close(self) -> None:
        """Close the client for good."""
        await self.rebuild()

    async def _refusal(self, request: ModelRequest, response: httpx.Response, redact: Redact) -> Failure:
        body = bytearray()
        # The status is known: a body that breaks off, or that does not end, cannot make it another failure.
        with suppress(TimeoutError, httpx.HTTPError):
            async with asyncio.timeout(REFUSAL_SECONDS):
                async for data in response.aiter_bytes():
                    body += data
                    if len(body) >= BODY_LIMIT:
                        break
        text = bytes(body[:BODY_LIMIT]).decode("utf-8", "replace")
        return self._classified(request, response.headers, response.status_code, text, redact)

    def _explained(
        self, request: ModelRequest, headers: Mapping[str, str], trouble: Trouble, redact: Redact
    ) -> Failure:
        if trouble.kind is None:
            return self._classified(request, headers, trouble.status, trouble.detail, redact)
        return Failure(trouble.kind, Scope.REQUEST, said(trouble.detail, redact))

    def _classified(
        self, request: ModelRequest, headers: Mapping[str, str], status: int | None, text: str, redact: Redact
    ) -> Failure:
        route = request.route
        provider = provider_behind(route.provider, route.base_url)
        return classify(provider, status, headers, text, now=self._now(), redact=redact, model=route.model)


def headers_for(route: Route, secret: Secret | None) -> dict[str, str]:
    """Return the headers that a route's API wants of every request, with the key where there is one."""
    dialect = DIALECTS[route.api_mode]
    token = secret.reveal() if secret is not None else None
    known = provider_behind(route.provider, route.base_url)
    authorization = known.authorization(token, dialect.key_header) if token else {}
    return {**dialect.headers(token), **authorization}


def _post(
    client: httpx.AsyncClient, request: ModelRequest, secret: Secret | None
) -> AbstractAsyncContextManager[httpx.Response]:
    dialect = DIALECTS[request.route.api_mode]
    return client.stream(
        "POST",
        _parsed_url(endpoint(request.route.base_url, dialect.path)),
        content=json.dumps(dialect.body(request)).encode(),
        headers={
            "Content-Type": "application/json",
            "Accept": "text/event-stream",
            **headers_for(request.route, secret),
        },
        timeout=httpx.Timeout(request.timeout_seconds),
    )


@functools.lru_cache(maxsize=64)
def _parsed_url(url: str) -> httpx.URL:
    """Return `url` parsed, once for all requests to it: httpx would do so twice for each. Raises httpx.InvalidURL."""
    return httpx.URL(url)


def _received(response: httpx.Response) -> AsyncIterator[bytes]:
    """Read without the decoding layer where nothing is compressed: a fifth less for each chunk."""
    return response.aiter_bytes() if "content-encoding" in response.headers else response.aiter_raw()


async def _drain(received: AsyncIterator[bytes]) -> None:
    """Read to the end of a complete reply, briefly: only a reply read to its end leaves its connection usable."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in received:
                return
    except (TimeoutError, httpx.HTTPError):
        return
