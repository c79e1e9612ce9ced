"""A server's list of models: a GET that spends no token, and tells whether the server is there and takes the key."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import httpx

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.providers.body import BODY_LIMIT, Redact, knowing
from hermes_tui.providers.classify import classify
from hermes_tui.providers.dialect import as_list, as_object, endpoint
from hermes_tui.providers.transport import UNSENDABLE_KEY, UNUSABLE_PROXY, LazyClient, sendable, transport_failure
from hermes_tui.providers.wire import headers_for

LIST_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of a list beyond which it is not read: the longest known one has a few hundred models."""

_NAME_LIMIT: Final = 200
_MODELS: Final = "/models"
_VERSION: Final = "/v1"
_PAGE: Final = {ApiMode.ANTHROPIC_MESSAGES: "limit=1000"}
"""What asks for a list in one page, where there are pages."""

_WINDOWS: Final = (
    "context_length",
    "context_window",
    "max_context_length",
    "max_model_len",
    "max_input_tokens",
    "inputTokenLimit",
)
"""Where servers tell a model's context window, in tokens."""


class HttpCatalogues:
    """Asks servers for their models, over one httpx client that is made when first needed; nothing is retried.

    `redact` takes known secrets out of what a server says; `now` is in epoch seconds, `patience` in seconds for each
    question.
    """

    def __init__(self, redact: Redact, *, now: Callable[[], float], patience: float) -> None:
        self._redact = redact
        self._now = now
        self._patience = patience
        self._client = LazyClient()

    async def read(self, route: Route, secret: Secret | None) -> Catalogue | Failure:
        """Return the models that the route's server lists to `secret`, or why it lists none; never raises."""
        if secret is not None and not sendable(secret.reveal()):
            return UNSENDABLE_KEY
        redact = knowing(self._redact, secret)
        known = provider_behind(route.provider, route.base_url)
        if known.key_path and secret is not None:
            asked = await self._get(route, known.key_path, secret, redact)
            if isinstance(asked, Failure):
                return asked
        answer = await self._get(route, _MODELS, secret, redact)
        if isinstance(answer, Failure):
            return await self._explained(route, secret, answer, redact)
        read = catalogue_in(answer)
        if isinstance(read, Failure) or secret is None:
            return read
        return replace(read, checks_keys=bool(known.key_path) or await self._turns_strangers_away(route))

    async def close(self) -> None:
        """Close the client."""
        await self._client.close()

    async def _explained(self, route: Route, secret: Secret | None, failure: Failure, redact: Redact) -> Failure:
        """Return the failure, or that the base URL lacks its version where the list is found behind that (C17)."""
        if failure.status != 404 or isinstance(await self._get(route, f"{_VERSION}{_MODELS}", secret, redact), Failure):
            return failure
        words = f"the list is at {endpoint(route.base_url, _VERSION)}: write that as base_url"
        return replace(failure, message=one_line(words))

    async def _turns_strangers_away(self, route: Route) -> bool:
        """Tell whether the server refuses its list to whoever has no key."""
        answer = await self._get(route, _MODELS, None, self._redact)
        return isinstance(answer, Failure) and answer.status is not None

    async def _get(self, route: Route, path: str, secret: Secret | None, redact: Redact) -> bytes | Failure:
        """Return the body of a 200, or the failure that came instead."""
        try:
            async with asyncio.timeout(self._patience):
                return await self._asked(route, path, secret, redact)
        except TimeoutError:
            words = f"no answer within {self._patience:g} s"
            return Failure(FailureKind.TIMEOUT, Scope.PROVIDER, PlainText(words))
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return transport_failure(fault, redact)

    async def _asked(self, route: Route, path: str, secret: Secret | None, redact: Redact) -> bytes | Failure:
        client = self._client.ready()
        if client is None:
            return UNUSABLE_PROXY
        url, page = endpoint(route.base_url, path), _PAGE.get(route.api_mode)
        if page is not None:
            url = f"{url}{'&' if '?' in url else '?'}{page}"
        headers = {"Accept": "application/json", **headers_for(route, secret)}
        async with client.stream("GET", url, headers=headers, timeout=self._patience) as response:
            status = response.status_code
            body = await _capped(response, LIST_LIMIT if status == 200 else BODY_LIMIT)
            if status == 200:
                return body
            known, text = provider_behind(route.provider, route.base_url), body.decode("utf-8", "replace")
            return classify(known, status, response.headers, text, now=self._now(), redact=redact)


async def _capped(response: httpx.Response, limit: int) -> bytes:
    body = bytearray()
    async for data in response.aiter_bytes():
        body += data
        if len(body) > limit:
            break
    return bytes(body[:limit])


def catalogue_in(body: bytes) -> Catalogue | Failure:
    """Return the models that a body lists, in any of the shapes that servers use; pure."""
    try:
        payload = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return _no_list("the answer is not JSON")
    table = as_object(payload)
    entries = as_list(payload) or as_list(table.get("data")) or as_list(table.get("models"))
    if not entries and "data" not in table and "models" not in table and payload != []:
        return _no_list("the answer is not a list of models")
    complete = table.get("has_more") is not True and not table.get("nextPageToken")
    return Catalogue(dict(_models(entries)), complete=complete)


def _no_list(why: str) -> Failure:
    return Failure(FailureKind.INVALID_RESPONSE, Scope.PROVIDER, PlainText(why), 200)


def _models(entries: object) -> Iterator[tuple[str, int | None]]:
    for entry in as_list(entries):
        fields: Mapping[str, object] = {"id": entry} if isinstance(entry, str) else as_object(entry)
        name = next((value for key in ("id", "name", "model") if isinstance(value := fields.get(key), str)), "")
        if name.strip():
            windows = (value for key in _WINDOWS if type(value := fields.get(key)) is int and value > 0)
            yield one_line(name, _NAME_LIMIT), next(windows, None)
