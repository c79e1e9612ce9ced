"""The HTTP client underneath, and what its exceptions mean."""

import functools
import re
import ssl
from typing import Final

import httpx

from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.text import PlainText
from hermes_tui.providers.body import Redact, said

USER_AGENT: Final = "hermes-tui"

_LIMITS: Final = httpx.Limits(max_connections=8, max_keepalive_connections=2, keepalive_expiry=60.0)
_LOOPBACK: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")

_MEANINGS: Final = (
    (httpx.ConnectTimeout, FailureKind.TIMEOUT, "no connection within the time limit"),
    (httpx.TimeoutException, FailureKind.TIMEOUT, "no answer within the time limit"),
    (httpx.ProxyError, FailureKind.CONNECTION, "the proxy refused the connection"),
    (httpx.ConnectError, FailureKind.CONNECTION, "cannot connect"),
    (httpx.UnsupportedProtocol, FailureKind.WRONG_ENDPOINT, "the base URL does not start with http:// or https://"),
    (httpx.InvalidURL, FailureKind.WRONG_ENDPOINT, "the base URL is not a URL"),
    (httpx.LocalProtocolError, FailureKind.BAD_REQUEST, "the request cannot be sent as HTTP"),
    (httpx.DecodingError, FailureKind.INVALID_RESPONSE, "the reply's compression cannot be read"),
    (httpx.TransportError, FailureKind.CONNECTION, "the connection broke before the reply was complete"),
)
"""In order: the first class that an exception belongs to decides."""

UNUSABLE_PROXY: Final = Failure(
    FailureKind.CONNECTION,
    Scope.PROVIDER,
    PlainText("the proxy named in the environment cannot be used: check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"),
)
"""No client can be made."""

UNSENDABLE_KEY: Final = Failure(
    FailureKind.AUTH,
    Scope.CREDENTIAL,
    PlainText("the key is empty or holds characters that no header can carry: check it where it is configured"),
)
"""No request is made."""

_NUMBER: Final = re.compile(r"\[Errno -?[0-9]+\] ")

_DETAILED: Final = (httpx.ConnectError, httpx.ProxyError)
"""Exceptions whose own text says more and never holds a header's value."""


@functools.cache
def tls() -> ssl.SSLContext:
    """Return the one TLS context of all clients: loading the certificates costs 17 ms."""
    return httpx.create_ssl_context()


def make_client() -> httpx.AsyncClient:
    """Return a client that follows no redirect (a key goes to its own provider only) and retries nothing.

    Proxies of the environment are used, except for this machine itself. Raises ValueError or ImportError where the
    environment names a proxy that cannot be used.
    """
    return httpx.AsyncClient(
        verify=tls(),
        limits=_LIMITS,
        follow_redirects=False,
        mounts=dict.fromkeys(_LOOPBACK),
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
        event_hooks={"response": [_compressed_once]},
    )


class LazyClient:
    """A client that is made when first needed, and anew after it was closed."""

    def __init__(self) -> None:
        self._made: httpx.AsyncClient | None = None

    def ready(self) -> httpx.AsyncClient | None:
        """Return the client, None where the environment names a proxy that cannot be used."""
        if self._made is None:
            try:
                self._made = make_client()
            except (ValueError, ImportError):
                return None
        return self._made

    async def close(self) -> None:
        """Close the client and its connections."""
        made, self._made = self._made, None
        if made is not None:
            await made.aclose()


async def _compressed_once(response: httpx.Response) -> None:
    """Refuse what is compressed twice: 500 bytes of it can be gigabytes, all unpacked at once."""
    if "," in response.headers.get("content-encoding", ""):
        raise httpx.DecodingError("compressed more than once", request=response.request)


def transport_failure(fault: Exception, redact: Redact) -> Failure:
    """Return what an exception of the client means (M2): no connection, a timeout, or an address that is wrong."""
    for kind_of, kind, words in _MEANINGS:
        if isinstance(fault, kind_of):
            detail = said(_NUMBER.sub("", str(fault)), redact) if isinstance(fault, _DETAILED) else ""
            return Failure(kind, Scope.PROVIDER, PlainText(f"{words}: {detail}" if detail else words))
    return Failure(FailureKind.CONNECTION, Scope.PROVIDER, PlainText("the request failed before an answer came"))


def sendable(token: str) -> bool:
    """Tell whether `token` can stand in a header: one line of visible ASCII characters."""
    return bool(token) and token.isascii() and token.isprintable() and " " not in token
