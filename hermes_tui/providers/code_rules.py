"""What structured error codes mean, whoever sends them (what only one provider means is in `core.known_providers`)."""

from typing import Final

from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.failure import Scope
from hermes_tui.providers.rule import HOUR, Rule, any_of, matching

CODES_OF_ONE_MEANING: Final = (
    Rule(Kind.FOREIGN_HISTORY, Scope.REQUEST, code=matching(r"invalid_encrypted_\w+", "thinking_signature_invalid")),
    Rule(
        Kind.REFUSED,
        Scope.REQUEST,
        code=matching(
            r"content_?filter(?:ed|ing)?", r"content_policy\w*", r"\w*policy_violation(?:_error)?", r"\w*new_sensitive",
            "data_inspection_failed", "prohibited_content", r"moderation\w*",
        ),
    ),
    Rule(Kind.INVALID_RESPONSE, Scope.REQUEST, code=matching("tool_use_failed", "json_validate_failed")),
    Rule(
        Kind.AUTH_REVOKED,
        Scope.CREDENTIAL,
        code=matching(
            "token_invalidated", "invalid_grant", r"(?:\w+_)?(?:token|key|session)_revoked",
            r"refresh_token_(?:reused|invalidated|expired)",
        ),
    ),
    Rule(
        Kind.AUTH,
        Scope.ACCOUNT,
        code=matching(
            r"(?:account|user|organization|workspace|consumer)_"
            r"(?:deactivated|disabled|suspended|restricted|locked|invalid)",
            "deactivated_workspace", "service_disabled", "access_terminated",
        ),
    ),
    Rule(Kind.RATE_LIMIT, Scope.ACCOUNT, code=matching("in_flight_budget_exhausted")),
    Rule(Kind.RATE_LIMIT, Scope.MODEL, code=matching("service_quota_exceeded_exception")),
    Rule(
        Kind.BILLING,
        Scope.CREDENTIAL,
        code=matching("project_spend_limit_exceeded", r"(?:exceeded_)?budget(?:_exceeded)?(?:_error)?"),
        believes_from_seconds=HOUR,
    ),
    Rule(
        Kind.BILLING,
        Scope.ACCOUNT,
        code=matching(
            "insufficient_quota", r"insufficient_(?:\w+_)?(?:balance|credits?|funds)", r"credit_balance_\w+",
            r"\w*credits_depleted", r"\w*spending_limit\w*", "organization_(?:spend|usage)_limit_exceeded",
            "exceeded_current_quota(?:_error)?", "usage_not_included", "terminal_quota_exhausted",
            r"billing_\w+", "payment_required", "arrearage", "blocked_api_access",
        ),
        believes_from_seconds=HOUR,
    ),
    Rule(Kind.USAGE_LIMIT, Scope.ACCOUNT, code=matching("usage_limit_reached", "usage_limit_exceeded")),
    Rule(
        Kind.OVERLOADED,
        Scope.PROVIDER,
        code=matching(
            r"(?:server_is_|engine_)?overloaded\w*", r"\w*capacity_(?:exceeded|exhausted)", "model_not_ready_exception",
            "(?:provider_)?unavailable(?:_error)?", "no_capacity", "queue_exceeded",
        ),
    ),
    Rule(Kind.USAGE_LIMIT, Scope.MODEL, code=matching("quota_exhausted", r"free_usage_limit(?:_error)?")),
    Rule(
        Kind.MODEL_UNAVAILABLE,
        Scope.MODEL,
        code=matching(
            r"model_not_\w+", r"(?:unknown|invalid|unsupported|no_such)_model(?:_\w+)?",
            r"(?:\w+_)?model_access_denied", "deployment_not_found", "operation_not_supported",
            r"model_(?:decommissioned|deprecated|retired|terms_required|permission_blocked\w*)",
        ),
    ),
    Rule(
        Kind.CONTEXT_OVERFLOW,
        Scope.REQUEST,
        code=matching(
            r"context_(?:length|window)_exceeded(?:_error)?", "exceed_context_size_error",
            "model_max_prompt_tokens_exceeded", "request_too_large",
        ),
    ),
    Rule(Kind.BLOCKED, Scope.PROVIDER, code=matching(r"unsupported_country\w*", "ip_not_authorized")),
)  # fmt: skip

LOOSE_CODES: Final = (
    Rule(
        Kind.RATE_LIMIT,
        Scope.MODEL,
        code=matching(
            r"rate_limit\w*", "requests", "tokens", r"throttl\w+", "slow_down", r"too_many_requests\w*",
            r"limit_(?:requests|burst_rate)",
        ),
    ),
    Rule(
        Kind.AUTH,
        Scope.CREDENTIAL,
        code=matching(
            r"auth(?:entication)?_error", r"invalid_(?:api_)?key", "unauthorized", "unauthenticated",
            r"(?:access_)?token_expired", r"api_key_\w+", "expired_token_exception", "unrecognized_client_exception",
            r"(?:invalid_signature|missing_authentication_token)_exception", "invalid_workspace_selected",
        ),
    ),
    Rule(
        Kind.AUTH,
        Scope.CREDENTIAL,
        code=matching("permission_error", "permission_denied", r"access_denied(?:_exception)?"),
        statuses=any_of(None, 403),
    ),
    Rule(
        Kind.TIMEOUT,
        Scope.PROVIDER,
        code=matching(r"(?:request_)?timeout(?:_error)?", "deadline_exceeded", "model_timeout_exception"),
        statuses=any_of(None, 408, *range(500, 600)),
    ),
    Rule(
        Kind.OVERLOADED,
        Scope.PROVIDER,
        code=matching("service_unavailable(?:_error|_exception)?"),
        statuses=any_of(None, *range(500, 600)),
    ),
    Rule(
        Kind.SERVER_ERROR,
        Scope.PROVIDER,
        code=matching(
            r"api_(?:connection_)?error", r"(?:internal_)?server_(?:error|exception)", r"internal(?:_error|_failure)?",
            r"model_(?:stream_)?error_exception",
        ),
        statuses=any_of(None, 424, *range(500, 600)),
    ),
    Rule(
        Kind.BAD_REQUEST,
        Scope.REQUEST,
        code=matching(
            r"(?:invalid|bad)_request(?:_error)?", "invalid_argument", "validation_exception", "failed_precondition",
            r"invalid_parameter(?:_error)?",
        ),
        statuses=any_of(None),
    ),
)  # fmt: skip
