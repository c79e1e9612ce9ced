"""The probe: a GET of the Codex usage endpoint, which sends no prompt and costs no quota (core.ports.Usages)."""

import asyncio
import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from typing import Final

import httpx

from hermes_tui.core.route import Route
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import PlainText
from hermes_tui.core.tokens import claims
from hermes_tui.core.verdict import Reading, Verdict, judge
from hermes_tui.providers.body import Redact, knowing
from hermes_tui.providers.dialect import JsonObject
from hermes_tui.providers.reset_sources import retry_after
from hermes_tui.providers.transport import UNUSABLE_PROXY, LazyClient, sendable, transport_failure
from hermes_tui.providers.usage_payload import read_usage

TIMEOUT_SECONDS: Final = 10.0
"""How long one probe may take as a whole."""

PAYLOAD_LIMIT: Final = 1024 * 1024
"""Bytes of a payload beyond which it is not read."""

_STATUS_WORDS: Final = {
    401: "the usage endpoint does not accept the token (401)",
    403: "the usage endpoint refuses this account (403)",
    404: "there is no usage endpoint at this URL (404)",
    429: "the usage endpoint itself is throttled (429)",
}
_TELLING: Final = frozenset([200, 403])
"""Statuses whose body says more; that of another is not waited for."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class HttpUsages:
    """A `Usages` over one httpx client, made when first needed; it refreshes no token (M36).

    `redact` cleans the names in payloads; `now` is the engine's clock in epoch seconds.
    """

    def __init__(self, redact: Redact, *, now: Callable[[], float]) -> None:
        self._redact = redact
        self._now = now
        self._client = LazyClient()

    async def read(self, route: Route, secret: Secret) -> Reading:
        """Return the verdict for the route's model; every failure is a reading of `unknown` that says why.

        A token expired by its own claims is reported and not sent (M36). `retry_after` is in seconds.
        """
        token = secret.reveal()
        own = claims(token)
        now = self._now()
        if own.expires_at is not None and own.expires_at <= now:
            return unknown(f"the token expired {_ago(now - own.expires_at)} ago")
        if not sendable(token):
            return unknown("the token holds characters that no header can carry")
        client, redact = self._client.ready(), knowing(self._redact, secret)
        if client is None:
            return _unreachable(UNUSABLE_PROXY.message)
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if own.account:
            headers["ChatGPT-Account-Id"] = own.account
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                async with client.stream(
                    "GET", usage_url(route.base_url), headers=headers, timeout=TIMEOUT_SECONDS
                ) as response:
                    body = await _capped(response) if response.status_code in _TELLING else b""
        except (TimeoutError, httpx.TimeoutException):
            return _unreachable(f"the usage endpoint did not answer within {TIMEOUT_SECONDS:.0f} s")
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return _unreachable(transport_failure(fault, redact).message)
        return read_answer(
            response.status_code,
            response.headers,
            body,
            model=route.model,
            now=self._now(),
            redact=redact,
            account=own.account,
        )

    async def close(self) -> None:
        """Close the client."""
        await self._client.close()


def usage_url(base_url: str) -> str:
    """Return the usage endpoint that belongs to a Codex base URL.

    Below `/backend-api` it is `/wham/usage` beside `/codex`; elsewhere `/api/codex/usage` under the root.
    """
    base = base_url.rstrip("/")
    if "/backend-api" in base:
        return f"{base.removesuffix('/codex')}/wham/usage"
    scheme, separator, rest = base.partition("://")
    return f"{scheme}{separator}{rest.partition('/')[0]}/api/codex/usage"


def read_answer(
    status: int,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    model: str,
    now: float,
    redact: Redact,
    account: str | None = None,
) -> Reading:
    """Return what an answer of the endpoint means for `model`; pure.

    `body` None is one that was too large to read; `account` is the token's own, where it names one.
    """
    if status != 200:
        hint = retry_after({name.lower(): value for name, value in headers.items()}, now=now)
        return unknown(_status_words(status, body), retry_after=hint.at - now if hint else None)
    payload = _payload(body)
    if isinstance(payload, str):
        return unknown(payload)
    if _is_of_another(account, payload.get("account_id")):
        return unknown("the usage endpoint answered for another account than the token's")
    usage = read_usage(payload, model, now=now, redact=redact)
    verdict, why = judge(usage)
    return Reading(verdict, why, usage)


def _status_words(status: int, body: bytes | None) -> str:
    if status == 403 and _is_page(body):
        return "a page in the way of the usage endpoint refuses the request (403)"
    if 300 <= status < 400:
        return f"the usage endpoint sends elsewhere ({status}), where the token does not go"
    return _STATUS_WORDS.get(status, f"the usage endpoint answered {status}")


def _payload(body: bytes | None) -> JsonObject | str:
    """Return the object in a body, or why there is none."""
    if body is None:
        return "the usage endpoint's answer is too large to be one"
    if not body.strip():
        return "the usage endpoint's answer is empty"
    if _is_page(body):
        return "the usage endpoint answered with an HTML page"
    try:
        payload = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "the usage endpoint's answer is not text"
    except (ValueError, RecursionError):
        return "the usage endpoint's answer is not JSON"
    if not isinstance(payload, dict):
        return "the usage endpoint's answer is not an object"
    return payload


def _is_page(body: bytes | None) -> bool:
    return body is not None and body.removeprefix(BOM_UTF8).lstrip().startswith(b"<")


def _is_of_another(account: str | None, named: object) -> bool:
    """Tell whether a payload is about another account: personal ones go by a user's id there, which tells nothing."""
    if account is None or not isinstance(named, str) or not _UUID.fullmatch(named) or not _UUID.fullmatch(account):
        return False
    return named.lower() != account.lower()


def unknown(why: str, *, retry_after: float | None = None) -> Reading:
    """Return the reading of a probe that brought no verdict."""
    return Reading(Verdict.UNKNOWN, PlainText(why), retry_after=retry_after)


def _unreachable(why: str) -> Reading:
    return Reading(Verdict.UNKNOWN, PlainText(why), unreachable=True)


async def _capped(response: httpx.Response) -> bytes | None:
    body = bytearray()
    async for data in response.aiter_bytes():
        body += data
        if len(body) > PAYLOAD_LIMIT:
            return None
    return bytes(body)


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172800 else f"{seconds / 86400:.0f} d"
