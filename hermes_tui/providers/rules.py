"""What providers' refusals mean, as one ordered table: the first rule whose conditions all hold decides.

The order is the knowledge: codes that mean one thing come first, then the most specific sentences, then codes that
providers use loosely; only what none of them knows is left to the HTTP status.
"""

import re
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.failure import Scope

HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Rule:
    """One reading of a refusal.

    `code` must match a whole structured code, `phrase` any part of the text; both see lower case. `statuses` None
    means any; a None among them means a refusal without a status (in a stream). `with_reset` asks for a reset to
    be given, or not to be. `names_model` asks that the text names the requested model. Waits shorter than
    `believes_from_seconds` are not believed: they speak of another limit.
    """

    kind: Kind
    scope: Scope
    code: re.Pattern[str] | None = None
    phrase: re.Pattern[str] | None = None
    statuses: frozenset[int | None] | None = None
    with_reset: bool | None = None
    names_model: bool = False
    believes_from_seconds: float = 0.0


def _any(*statuses: int | None) -> frozenset[int | None]:
    return frozenset(statuses)


def _re(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


_REFUSABLE: Final = _any(None, 400, 402, 403, 404, 409, 422, 429, 500)
_LIMITING: Final = _any(None, 400, 401, 402, 403, 429)
_BUSY: Final = _any(None, 402, 408, 429, 500, 502, 503, 529)
_SHAPE: Final = _any(None, 400, 413, 422, 429, 500)

CODES_OF_ONE_MEANING: Final = (
    Rule(
        Kind.REFUSED,
        Scope.REQUEST,
        code=_re(
            r"content_?filter(?:ed)?", r"content_policy\w*", "responsibleaipolicyviolation", "new_sensitive",
            "data_?inspection_?failed", "prohibited_content", "flagged_input", "safety", r"moderation\w*", "refusal",
        ),
    ),
    Rule(
        Kind.AUTH_REVOKED,
        Scope.CREDENTIAL,
        code=_re(
            "token_invalidated", "token_revoked", "invalid_grant",
            r"refresh_token_(?:reused|invalidated|expired)",
        ),
    ),
    Rule(
        Kind.BILLING,
        Scope.CREDENTIAL,
        code=_re(
            "insufficient_quota", "credit_balance_exhausted", r"(?:organization|project)_spend_limit_exceeded",
            "organization_usage_limit_exceeded", "billing_error", r"billing_\w+", "payment_required",
            r"insufficient_(?:balance|credits?|funds)", "usage_not_included", "terminal_quota_exhausted",
            r".*spending-limit.*",
        ),
        believes_from_seconds=HOUR,
    ),
    Rule(Kind.USAGE_LIMIT, Scope.CREDENTIAL, code=_re("usage_limit_reached", "usage_limit_exceeded")),
    Rule(
        Kind.OVERLOADED,
        Scope.PROVIDER,
        code=_re(r"(?:server_is_|engine_)?overloaded\w*", "modelnotreadyexception", "unavailable"),
    ),
    Rule(
        Kind.MODEL_UNAVAILABLE,
        Scope.MODEL,
        code=_re(r"model_not_\w+", r"(?:unknown|invalid|unsupported)_model", r"model_(?:decommissioned|deprecated)"),
    ),
    Rule(
        Kind.CONTEXT_OVERFLOW,
        Scope.REQUEST,
        code=_re("context_length_exceeded", "model_max_prompt_tokens_exceeded", "request_too_large"),
    ),
    Rule(Kind.BLOCKED, Scope.PROVIDER, code=_re(r"unsupported_country\w*")),
)  # fmt: skip

PHRASES: Final = (
    Rule(
        Kind.CONTEXT_OVERFLOW,
        Scope.REQUEST,
        phrase=_re(
            "request too large", r"(?:maximum|exceeds?\b.{0,40}) context (?:length|window|size)",
            "context length exceeded", r"prompt (?:is )?too long", "input is too long", "context window exceeded",
            "context size has been exceeded", r"input length .{0,60}exceeds?",
        ),
        statuses=_SHAPE,
    ),
    Rule(
        Kind.REFUSED,
        Scope.REQUEST,
        phrase=_re(
            r"content (?:management )?policy", "usage polic", "safety system", r"content filter", "flagged",
            r"new_sensitive", r"requires moderation", "sensitive content",
        ),
        statuses=_REFUSABLE,
    ),
    Rule(
        Kind.AUTH_REVOKED,
        Scope.CREDENTIAL,
        phrase=_re(
            r"(?:token|session|credential|key) (?:has been |was |is )?(?:revoked|invalidated)",
            r"refresh token .{0,30}(?:reused|already (?:been )?used)", "invalid_grant",
        ),
        statuses=_any(None, 400, 401, 403),
    ),
    Rule(
        Kind.OVERLOADED,
        Scope.PROVIDER,
        phrase=_re(
            "overloaded", r"at (?:full )?capacity", "capacity exceeded", r"rate-limited upstream",
            "no deployments available", r"(?:model|server|service|engine) is (?:currently )?busy", "high demand",
        ),
        statuses=_BUSY,
    ),
    Rule(
        Kind.BILLING,
        Scope.CREDENTIAL,
        phrase=_re(
            r"spend(?:ing)?[ -](?:limit|cap)", r"credit balance", r"(?:insufficient|out of|no|not enough) credits?\b",
            r"insufficient (?:account )?(?:balance|funds|quota)", r"used all .{0,40}credits", "out of extra usage",
            "payment required", "can only afford", r"(?:add|purchase|buy) (?:more )?credits", "billing hard limit",
        ),
        statuses=_LIMITING,
        believes_from_seconds=HOUR,
    ),
    Rule(
        Kind.MODEL_UNAVAILABLE,
        Scope.MODEL,
        phrase=_re(r"quota exceeded .{0,200}limit: 0\b"),
        statuses=_any(429),
    ),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.MODEL,
        phrase=_re(r"free-models-per-day", r"per[ -]?day", r"\bdaily\b"),
        statuses=_LIMITING,
        believes_from_seconds=HOUR / 12,
    ),
    Rule(Kind.RATE_LIMIT, Scope.MODEL, code=_re("resource_exhausted"), statuses=_LIMITING),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.CREDENTIAL,
        phrase=_re(r"\b(?:session|weekly|monthly|5-hour|five-hour|rolling)(?: usage)? (?:window )?limit"),
        statuses=_LIMITING,
    ),
    Rule(
        Kind.RATE_LIMIT,
        Scope.MODEL,
        phrase=_re(
            r"rate[ _-]?limit(?!s? reset)", "too many requests", "throttl", r"(?:requests|tokens) per (?:minute|second)"
        ),
        statuses=_any(None, 400, 403, 429),
    ),
    Rule(
        Kind.USAGE_LIMIT,
        Scope.CREDENTIAL,
        phrase=_re(r"usage[ _-]limit", r"\bplan\b.{0,40}\blimit"),
        statuses=_LIMITING,
        with_reset=True,
    ),
    Rule(Kind.USAGE_LIMIT, Scope.CREDENTIAL, phrase=_re(r"usage[ _-]limit"), statuses=_any(429)),
    Rule(
        Kind.RATE_LIMIT,
        Scope.MODEL,
        phrase=_re(r"exceeded your current quota", r"quota exceeded", r"\bquota\b.{0,40}\b(?:exceeded|reached)"),
        statuses=_LIMITING,
        with_reset=True,
    ),
    Rule(
        Kind.BILLING,
        Scope.CREDENTIAL,
        phrase=_re(
            r"usage[ _-]limit", r"exceeded your current quota", r"quota exceeded",
            r"\bquota\b.{0,40}\b(?:exceeded|reached)", r"plan and billing",
        ),
        statuses=_LIMITING,
    ),
    Rule(
        Kind.MODEL_UNAVAILABLE,
        Scope.MODEL,
        phrase=_re(
            r"\bmodels?\b.{0,100}\b(?:not found|does ?n[o']t exist|not (?:supported|available|allowed|enabled)"
            r"|deprecated|decommissioned|retired|no longer)",
            "not a valid model", r"supported .{0,20}model names? (?:are|is)",
            r"(?:unknown|no such|invalid|unsupported) model\b", r"not have access to .{0,20}model",
            "no endpoints found",
        ),
        statuses=_any(None, 400, 403, 404, 410, 422),
    ),
    Rule(Kind.MODEL_UNAVAILABLE, Scope.MODEL, names_model=True, statuses=_any(404, 410)),
    Rule(
        Kind.AUTH,
        Scope.CREDENTIAL,
        phrase=_re(r"(?:incorrect|invalid|wrong) api[ _-]?key", r"api[ _-]?key (?:is )?(?:not valid|invalid|expired)"),
        statuses=_any(None, 400, 401, 403),
    ),
    Rule(
        Kind.BLOCKED,
        Scope.PROVIDER,
        phrase=_re("cloudflare", "captcha", r"\bwaf\b", "blocked by (?:a |the |your )?(?:proxy|firewall|network)"),
        statuses=_any(403, 451),
    ),
    Rule(Kind.SERVER_ERROR, Scope.PROVIDER, phrase=_re(r"internal (?:server )?error"), statuses=_any(None, 403)),
)  # fmt: skip

LOOSE_CODES: Final = (
    Rule(
        Kind.RATE_LIMIT,
        Scope.MODEL,
        code=_re(
            r"rate_limit\w*", "requests", "tokens", r"throttling(?:[._]?\w+)*", "slow_down", "too_many_requests",
            "servicequotaexceededexception",
        ),
    ),
    Rule(
        Kind.AUTH,
        Scope.CREDENTIAL,
        code=_re("authentication_error", "invalid_api_key", "unauthorized", "unauthenticated", "token_expired"),
    ),
    Rule(
        Kind.AUTH,
        Scope.CREDENTIAL,
        code=_re("permission_error", "permission_denied", "access_denied", "accessdeniedexception"),
        statuses=_any(None, 403),
    ),
    Rule(
        Kind.SERVER_ERROR,
        Scope.PROVIDER,
        code=_re(r"api_error", r"(?:internal_)?server_error", "internal_error", "internalserverexception", "internal"),
        statuses=_any(None, *range(500, 600)),
    ),
    Rule(
        Kind.TIMEOUT,
        Scope.PROVIDER,
        code=_re("timeout_error", "deadline_exceeded", "modeltimeoutexception"),
        statuses=_any(None),
    ),
    Rule(
        Kind.BAD_REQUEST,
        Scope.REQUEST,
        code=_re("invalid_request_error", "invalid_argument", "validationexception"),
        statuses=_any(None),
    ),
)  # fmt: skip

RULES: Final = (*CODES_OF_ONE_MEANING, *PHRASES, *LOOSE_CODES)
