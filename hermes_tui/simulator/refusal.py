"""Refusals as providers write them: status, headers and body for each mode that does not answer 200."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_tui.simulator.account import QuotaWindow
from hermes_tui.simulator.mode import Mode
from hermes_tui.simulator.world import Ruling

THROTTLE_SECONDS = 5.0
CHALLENGE_PAGE = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head>"
    "<body><p>Checking your browser before accessing this site.</p></body></html>"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One complete answer that is not a reply; a `body` that is text is an HTML page."""

    status: int
    body: Mapping[str, Any] | str
    headers: Mapping[str, str] = field(default_factory=dict)


_PLAIN = {
    Mode.PAYMENT_REQUIRED: (402, "billing_error", "credit_balance_exhausted", "Insufficient Balance"),
    Mode.UNAUTHORIZED: (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    Mode.REVOKED: (
        401,
        "invalid_request_error",
        "token_revoked",
        "Your authentication token has been revoked. Please sign in again.",
    ),
    Mode.FORBIDDEN: (403, "permission_error", "insufficient_permissions", "You may not use this resource."),
    Mode.TOO_LONG: (
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is exceeded by your messages. Please reduce their length.",
    ),
    Mode.CONTENT_REFUSED: (
        400,
        "invalid_request_error",
        "content_policy_violation",
        "Your request was rejected by our content policy.",
    ),
    Mode.SERVER_ERROR: (500, "server_error", None, "The server had an error while processing your request."),
    Mode.UNAVAILABLE: (503, "server_error", "server_is_overloaded", "The server is overloaded. Try again later."),
    Mode.OVERLOADED: (529, "overloaded_error", None, "Overloaded"),
}


def refusal(ruling: Ruling, *, model: str, now: float) -> Refusal:
    """Return what a request that met `ruling` is answered; only for modes that answer, and not with 200."""
    behaviour = ruling.behaviour
    windows = codex_headers(ruling.account.windows) if ruling.account else {}
    match behaviour.mode:
        case Mode.USAGE_LIMIT:
            return _usage_limit(ruling, now, windows)
        case Mode.RATE_LIMIT:
            wait = behaviour.retry_after if behaviour.retry_after is not None else THROTTLE_SECONDS
            text = f"Rate limit reached for {model}. Please try again in {wait:g}s."
            body = error_body(text, "tokens", "rate_limit_exceeded")
            return Refusal(429, body, {"retry-after": f"{wait:g}", **windows})
        case Mode.UNKNOWN_MODEL:
            text = f"The model `{model}` does not exist or you do not have access to it."
            return Refusal(404, error_body(text, "invalid_request_error", "model_not_found"))
        case Mode.HTML:
            return Refusal(403, CHALLENGE_PAGE)
        case _:
            status, kind, code, text = _PLAIN[behaviour.mode]
            headers = {} if behaviour.retry_after is None else {"retry-after": f"{behaviour.retry_after:g}"}
            return Refusal(status, error_body(text, kind, code), headers)


def _usage_limit(ruling: Ruling, now: float, windows: Mapping[str, str]) -> Refusal:
    error: dict[str, Any] = {"type": "usage_limit_reached", "message": "The usage limit has been reached"}
    if ruling.account is not None:
        error["plan_type"] = ruling.account.plan
    if (resets_at := ruling.behaviour.resets_at) is not None:
        error["resets_at"] = round(resets_at)
        error["resets_in_seconds"] = max(round(resets_at - now), 0)
    return Refusal(429, {"error": error}, windows)


def error_body(message: str, kind: str, code: str | None) -> dict[str, Any]:
    """Return an error in the usual envelope."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def codex_headers(windows: Sequence[QuotaWindow]) -> dict[str, str]:
    """Return the headers that tell the account's first two windows."""
    account_wide = [window for window in windows if window.model is None]
    headers = {}
    for slot, window in zip(("primary", "secondary"), account_wide, strict=False):
        headers[f"x-codex-{slot}-used-percent"] = f"{window.used_percent:g}"
        headers[f"x-codex-{slot}-window-minutes"] = f"{window.length / 60:g}"
        headers[f"x-codex-{slot}-reset-at"] = f"{window.resets_at:.0f}"
    return headers
