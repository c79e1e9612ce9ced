"""What the tests of classification share: a refusal of any provider, read."""

import json

from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.providers.classify import classify

from .support import NOW, redact

PAGE = "<!DOCTYPE html><html><head><title>{}</title></head><body>x</body></html>"


Row = tuple[int | None, object, tuple[FailureKind, Scope]]
"""A refusal, and what it means: status, body, kind and scope."""

THROTTLED = (FailureKind.RATE_LIMIT, Scope.MODEL)
ACCOUNT_THROTTLED = (FailureKind.RATE_LIMIT, Scope.ACCOUNT)
WINDOW_FULL = (FailureKind.USAGE_LIMIT, Scope.ACCOUNT)
MODEL_WINDOW = (FailureKind.USAGE_LIMIT, Scope.MODEL)
NO_CREDIT = (FailureKind.BILLING, Scope.ACCOUNT)
MODEL_UNPAID = (FailureKind.BILLING, Scope.MODEL)
KEY_SPENT = (FailureKind.BILLING, Scope.CREDENTIAL)
BAD_KEY = (FailureKind.AUTH, Scope.CREDENTIAL)
CLOSED = (FailureKind.AUTH, Scope.ACCOUNT)
REVOKED = (FailureKind.AUTH_REVOKED, Scope.CREDENTIAL)
BUSY = (FailureKind.OVERLOADED, Scope.PROVIDER)
BROKEN = (FailureKind.SERVER_ERROR, Scope.PROVIDER)
SLOW = (FailureKind.TIMEOUT, Scope.PROVIDER)
BLOCKED = (FailureKind.BLOCKED, Scope.PROVIDER)
NO_MODEL = (FailureKind.MODEL_UNAVAILABLE, Scope.MODEL)
WRONG_URL = (FailureKind.WRONG_ENDPOINT, Scope.PROVIDER)
TOO_LONG = (FailureKind.CONTEXT_OVERFLOW, Scope.REQUEST)
MALFORMED = (FailureKind.BAD_REQUEST, Scope.REQUEST)
REFUSED = (FailureKind.REFUSED, Scope.REQUEST)
NO_REPLY = (FailureKind.INVALID_RESPONSE, Scope.REQUEST)


def read(status: int | None, body: object, provider: str = "acme", **headers: str) -> Failure:
    """Return what `provider`'s refusal of `model-x` means; a header's dashes are written as underscores."""
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return classify(provider_behind(provider), status, named, text, now=NOW, redact=redact, model="model-x")


def error(message: str = "no", **more: object) -> dict[str, object]:
    """Return the usual envelope."""
    return {"error": {"message": message, **more}}


def meaning(status: int | None, body: object, provider: str = "acme", **headers: str) -> tuple[FailureKind, Scope]:
    """Return kind and scope of a refusal."""
    told = read(status, body, provider, **headers)
    return told.kind, told.scope


def anthropic(kind: str, message: str = "Error") -> dict[str, object]:
    """Return the envelope of the messages API."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_x"}
