"""Hermes' own words for why a request failed, as the kinds that this program knows."""

from typing import Final

from hermes_tui.core.failure import FailureKind

_BY_WORD: Final = (
    (("billing", "payment", "credit", "insufficient_quota"), FailureKind.BILLING),
    (("usage_limit", "usage limit", "quota"), FailureKind.USAGE_LIMIT),
    (("rate_limit", "ratelimit", "throttl", "too_many"), FailureKind.RATE_LIMIT),
    (("revoked", "invalidated", "relogin"), FailureKind.AUTH_REVOKED),
    (("overloaded",), FailureKind.OVERLOADED),
    (("timeout",), FailureKind.TIMEOUT),
    (("connection", "connect"), FailureKind.CONNECTION),
)

_BY_CODE: Final = {
    401: FailureKind.AUTH,
    402: FailureKind.BILLING,
    403: FailureKind.AUTH,
    404: FailureKind.MODEL_UNAVAILABLE,
    429: FailureKind.RATE_LIMIT,
    503: FailureKind.OVERLOADED,
    529: FailureKind.OVERLOADED,
}

_SERVER_ERRORS: Final = range(500, 600)


def reason_of(code: int | None, reason: str) -> FailureKind:
    """Return the kind of a failure: its word tells more than its code."""
    word = reason.lower()
    for parts, kind in _BY_WORD:
        if any(part in word for part in parts):
            return kind
    if code in _BY_CODE:
        return _BY_CODE[code]
    return FailureKind.SERVER_ERROR if code in _SERVER_ERRORS else FailureKind.UNKNOWN
