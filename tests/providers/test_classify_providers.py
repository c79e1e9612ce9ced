"""Provider by provider: what each really sends, as far as it is known in public, and what that means."""

import pytest

from hermes_tui.core.failure import FailureKind, Scope

from .classifying import (
    BAD_KEY,
    BLOCKED,
    BROKEN,
    BUSY,
    CLOSED,
    MALFORMED,
    MODEL_WINDOW,
    NO_CREDIT,
    NO_MODEL,
    NO_REPLY,
    PAGE,
    REFUSED,
    REVOKED,
    SLOW,
    THROTTLED,
    TOO_LONG,
    WINDOW_FULL,
    WRONG_URL,
    Row,
    anthropic,
    error,
    meaning,
    read,
)
from .support import NOW

K, S = FailureKind, Scope


def gemini(message: str, status: str, *details: object, code: int = 429) -> list[object]:
    return [{"error": {"code": code, "status": status, "message": message, "details": list(details)}}]


def violation(quota: str, value: str = "250") -> dict[str, object]:
    violations = [{"quotaMetric": "m/free_tier_requests", "quotaId": quota, "quotaValue": value}]
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}


def because(reason: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}


SHAPES: dict[str, list[Row]] = {
    "openai": [
        (429, error("Try again in 1m2.5s", type="tokens", code="rate_limit_exceeded"), THROTTLED),
        (429, error("Limit reached", type="requests", code=None), THROTTLED),
        (429, error("Slow down", type="invalid_request_error", code="slow_down"), THROTTLED),
        (429, error("Too large: Request too large", type="tokens"), TOO_LONG),
        (429, error("check your billing details", type="billing_not_active"), NO_CREDIT),
        (400, error("Billing hard limit has been reached"), NO_CREDIT),
        (None, {"type": "error", "sequence_number": 7, "error": {"type": "tokens"}}, THROTTLED),
        (None, {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}}, BROKEN),
        (503, error("Busy", code="server_is_overloaded"), BUSY),
        (403, error("Your access was terminated", code="access_terminated"), CLOSED),
        (403, error("Country", code="unsupported_country_region_territory"), BLOCKED),
        (403, error("Project `p` does not have access to model `m`"), NO_MODEL),
        (401, error("Incorrect API key provided: sk-x", code="invalid_api_key"), BAD_KEY),
        (401, error("Your account has been deactivated", code="account_deactivated"), CLOSED),
        (400, error("prompt was flagged as violating our usage policy", code="invalid_prompt"), REFUSED),
    ],
    "openai-codex": [
        (429, error("The usage limit has been reached", type="usage_limit_reached"), WINDOW_FULL),
        (429, error("x", code="usage_limit_reached", resets_in_seconds=5400), WINDOW_FULL),
        (429, error("x", type="usage_not_included", plan_type="free"), NO_CREDIT),
        (None, "Error code: 429 - {'error': {'type': 'usage_limit_reached'}}", WINDOW_FULL),
        (429, error("You've hit your usage limit. Purchase more credits or try again at 5:47 PM."), WINDOW_FULL),
        (402, {"detail": {"code": "deactivated_workspace"}}, CLOSED),
        (403, {"detail": {"code": "invalid_workspace_selected"}}, BAD_KEY),
        (401, error("Please try signing in again.", code="token_invalidated"), REVOKED),
        (401, error("expired", code="token_expired"), BAD_KEY),
        (400, {"detail": "The 'model-x' model is not supported when using Codex with a ChatGPT account."}, NO_MODEL),
        (429, error("Selected model is at capacity"), BUSY),
        (403, PAGE.format("Just a moment..."), BLOCKED),
    ],
    "anthropic": [
        (400, anthropic("invalid_request_error", "messages: at least one"), MALFORMED),
        (400, anthropic("invalid_request_error", "Your credit balance is too low"), NO_CREDIT),
        (400, anthropic("invalid_request_error", "You're out of extra usage. Add more"), NO_CREDIT),
        (
            400,
            anthropic("invalid_request_error", "Third-party apps now draw from your extra usage, not your plan."),
            NO_CREDIT,
        ),
        (
            400,
            anthropic(
                "invalid_request_error", "You have reached your usage limits. You will regain access on 2030-04-01"
            ),
            WINDOW_FULL,
        ),
        (400, anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8"), TOO_LONG),
        (
            400,
            anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 9 + 9 > 10"),
            TOO_LONG,
        ),
        (400, anthropic("invalid_request_error", "This organization has been disabled."), CLOSED),
        (401, anthropic("authentication_error", "invalid x-api-key"), BAD_KEY),
        (403, anthropic("permission_error", "OAuth token has been revoked."), REVOKED),
        (402, anthropic("billing_error"), NO_CREDIT),
        (403, anthropic("permission_error", "No."), BAD_KEY),
        (404, anthropic("not_found_error", "model: model-x"), NO_MODEL),
        (404, anthropic("not_found_error", "Not found"), WRONG_URL),
        (413, anthropic("request_too_large"), TOO_LONG),
        (429, anthropic("rate_limit_error", "would exceed the rate limit for your organization"), THROTTLED),
        (429, anthropic("rate_limit_error", "Extra usage is required for long context requests."), TOO_LONG),
        (500, anthropic("api_error"), BROKEN),
        (504, anthropic("timeout_error"), SLOW),
        (529, anthropic("overloaded_error", "Overloaded"), BUSY),
        (None, anthropic("overloaded_error", "Overloaded"), BUSY),
        (None, anthropic("rate_limit_error"), THROTTLED),
        (None, anthropic("invalid_request_error", "bad"), MALFORMED),
    ],
    "gemini": [
        (429, gemini("Quota exceeded. Please retry in 10.68s.", "RESOURCE_EXHAUSTED"), THROTTLED),
        (
            429,
            gemini("Quota exceeded", "RESOURCE_EXHAUSTED", violation("GenerateRequestsPerDayPerProject-FreeTier")),
            MODEL_WINDOW,
        ),
        (
            429,
            gemini("Quota exceeded", "RESOURCE_EXHAUSTED", violation("GenerateRequestsPerMinutePerProjectPerModel")),
            THROTTLED,
        ),
        (
            429,
            gemini("Quota exceeded for metric: m/free_tier_requests, limit: 0, model: y", "RESOURCE_EXHAUSTED"),
            NO_MODEL,
        ),
        (429, gemini("No capacity", "RESOURCE_EXHAUSTED", because("MODEL_CAPACITY_EXHAUSTED")), BUSY),
        (429, gemini("reset after 49s", "RESOURCE_EXHAUSTED", because("QUOTA_EXHAUSTED")), MODEL_WINDOW),
        (503, gemini("The model is overloaded.", "UNAVAILABLE", code=503), BUSY),
        (429, error("No capacity available for model y on the server"), BUSY),
        (401, gemini("Request had invalid credentials", "UNAUTHENTICATED", code=401), BAD_KEY),
        (400, gemini("The prompt was blocked", "PROHIBITED_CONTENT", code=400), REFUSED),
        (504, gemini("Deadline", "DEADLINE_EXCEEDED", code=504), SLOW),
        (500, gemini("An internal error", "INTERNAL", code=500), BROKEN),
        (400, gemini("API key not valid.", "INVALID_ARGUMENT", because("API_KEY_INVALID"), code=400), BAD_KEY),
        (403, gemini("Denied", "PERMISSION_DENIED", because("CONSUMER_SUSPENDED"), code=403), CLOSED),
        (403, gemini("Denied", "PERMISSION_DENIED", because("SERVICE_DISABLED"), code=403), CLOSED),
        (403, gemini("Denied", "PERMISSION_DENIED", because("BILLING_DISABLED"), code=403), NO_CREDIT),
        (400, gemini("User location is not supported", "FAILED_PRECONDITION", code=400), BLOCKED),
        (
            400,
            gemini("The input token count (9) exceeds the maximum number of tokens", "INVALID_ARGUMENT", code=400),
            TOO_LONG,
        ),
        (404, gemini("models/y is not found for API version v1", "NOT_FOUND", code=404), NO_MODEL),
        (
            None,
            '[400 Bad Request] API key not valid. [{"@type":"t","reason":"API_KEY_INVALID"},{"@type":"u"}]',
            BAD_KEY,
        ),
    ],
    "azure": [
        (429, error("exceeded token rate limit. Please retry after 7 seconds.", code="429"), THROTTLED),
        (429, error("The system is currently experiencing high demand", code="NoCapacity"), BUSY),
        (400, error("x", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}), REFUSED),
        (404, error("The API deployment does not exist.", code="DeploymentNotFound"), NO_MODEL),
        (400, error("does not work with the model", code="OperationNotSupported"), NO_MODEL),
        (401, error("Access denied due to invalid subscription key", code="401"), BAD_KEY),
        (403, error("Access denied due to Virtual Network/Firewall rules.", code="AccessDenied"), BLOCKED),
        (403, error("Public access is disabled. Please configure private endpoint.", code="403"), BLOCKED),
        (404, error("Resource not found", code="404"), WRONG_URL),
    ],
    "bedrock": [
        (429, {"__type": "com.amazon.coral.service#ThrottlingException", "message": "x"}, THROTTLED),
        (429, {"message": "Too many tokens, please wait before trying again."}, THROTTLED),
        (429, {"Message": "Too many tokens per day, please wait before trying again."}, MODEL_WINDOW),
        (429, {"__type": "ModelNotReadyException"}, BUSY),
        (400, {"__type": "ServiceQuotaExceededException"}, THROTTLED),
        (403, {"__type": "AccessDeniedException"}, BAD_KEY),
        (403, {"__type": "AccessDeniedException", "message": "You don't have access to the model"}, NO_MODEL),
        (403, {"__type": "UnrecognizedClientException"}, BAD_KEY),
        (403, {"__type": "InvalidSignatureException"}, BAD_KEY),
        (403, {"__type": "MissingAuthenticationTokenException"}, BAD_KEY),
        (404, {"Message": "Could not resolve the foundation model from the provided identifier."}, NO_MODEL),
        (404, {"message": "This model version has reached the end of its life."}, NO_MODEL),
        (400, {"__type": "ValidationException", "message": "The provided model identifier is invalid."}, NO_MODEL),
        (408, {"__type": "ModelTimeoutException"}, SLOW),
        (424, {"__type": "ModelStreamErrorException"}, BROKEN),
        (500, {"__type": "InternalServerException"}, BROKEN),
        (503, {"__type": "ServiceUnavailableException"}, BUSY),
        (None, {"internalServerException": 1, "__type": "internalServerException"}, BROKEN),
        (
            400,
            {"__type": "ValidationException", "message": "Invocation of y with on-demand throughput isn't supported."},
            NO_MODEL,
        ),
        (400, {"__type": "ValidationException", "message": "Input is too long for requested model."}, TOO_LONG),
        (
            None,
            "An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 4)",
            THROTTLED,
        ),
        (
            None,
            "{'Error': {'Code': 'ModelTimeoutException', 'Message': 'x'}, 'ResponseMetadata': {'HTTPStatusCode': 408}}",
            SLOW,
        ),
    ],
    "groq": [
        (
            429,
            error("Rate limit reached for model `y` on tokens per minute (TPM): try again in 1m2.5s", type="tokens"),
            THROTTLED,
        ),
        (429, error("Rate limit reached on requests per day (RPD): Limit 9", type="requests"), MODEL_WINDOW),
        (413, error("Request too large for model `y`", type="tokens", code="rate_limit_exceeded"), TOO_LONG),
        (400, error("Failed to call a function", code="tool_use_failed"), NO_REPLY),
        (400, error("Failed to generate JSON", code="json_validate_failed"), NO_REPLY),
        (400, error("Tool call validation failed: attempted to call tool 'x'"), NO_REPLY),
        (400, error("Organization has been restricted.", code="organization_restricted"), CLOSED),
        (400, error("decommissioned", code="model_decommissioned"), NO_MODEL),
        (400, error("accept the terms", code="model_terms_required"), NO_MODEL),
        (400, error("API access is blocked", code="blocked_api_access"), NO_CREDIT),
        (424, "", BROKEN),
        (498, "", BUSY),
        (499, "", BROKEN),
    ],
    "xai": [
        (
            403,
            {
                "code": "The caller does not have permission to execute the specified operation",
                "error": "Your newly created team doesn't have any credits yet. You can purchase credits there.",
            },
            NO_CREDIT,
        ),
        (
            429,
            {"code": "x", "error": "Your team has used all available credits or reached its monthly spending limit."},
            NO_CREDIT,
        ),
        (
            403,
            {
                "code": "personal-team-blocked:spending-limit",
                "error": "You need a Grok subscription.",
            },
            NO_CREDIT,
        ),
        (429, {"code": "Some resource has been exhausted", "error": "Too many requests for team"}, THROTTLED),
        (
            400,
            {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xa***. Get one."},
            BAD_KEY,
        ),
        (404, {"code": "x", "error": "The model grok-9 does not exist or your team lacks access"}, NO_MODEL),
        (403, {"code": "x", "error": "Content violates usage guidelines."}, REFUSED),
        (403, {"code": "permission-denied", "error": "Access to the chat endpoint is denied."}, BAD_KEY),
    ],
    "cohere": [
        (429, {"message": "You are using a Trial key, which is limited to 1000 API calls / month."}, WINDOW_FULL),
        (429, {"message": "You are using a Trial key, which is limited to 20 API calls / minute."}, THROTTLED),
    ],
    "copilot": [
        (429, error("You've exceeded your weekly rate limit", code="user_weekly_rate_limited"), WINDOW_FULL),
        (429, error("You have been rate-limited", code="user_global_rate_limited:pro"), THROTTLED),
    ],
    "ollama": [(403, {"error": "this model requires a subscription, upgrade for access"}, NO_MODEL)],
    "siliconflow": [
        (403, {"code": 30011, "message": "The current model is only available for verified users"}, NO_MODEL),
    ],
    "lmstudio": [
        (400, {"error": "The model is loaded with context length of only 4096 tokens, which is not enough."}, TOO_LONG),
    ],
    "deepseek": [
        (400, error("Invalid messages", type="invalid_request_error"), MALFORMED),
        (400, error("Content Exists Risk", type="invalid_request_error"), REFUSED),
        (400, error("This model's maximum context length is 65536 tokens", type="invalid_request_error"), TOO_LONG),
        (401, error("Authentication Fails (no such user)", type="authentication_error"), BAD_KEY),
        (402, error("Insufficient Balance", type="unknown_error", code="invalid_request_error"), NO_CREDIT),
        (400, error("Model Not Exist", code="invalid_request_error"), NO_MODEL),
        (422, error("Invalid parameters"), MALFORMED),
        (429, error("Rate Limit Reached"), THROTTLED),
        (500, "", BROKEN),
        (503, error("Service is too busy.", type="service_unavailable_error"), BUSY),
    ],
    "mistral": [
        (403, {"message": "You have exceeded your monthly request quota"}, WINDOW_FULL),
        (429, {"object": "error", "message": "Rate limit exceeded", "type": "rate_limited", "code": "1300"}, THROTTLED),
        (429, {"message": "Requests rate limit exceeded"}, THROTTLED),
        (429, {"object": "error", "message": "Service tier capacity exceeded for this model."}, BUSY),
        (400, {"object": "error", "message": "Invalid model: y", "type": "invalid_model"}, NO_MODEL),
        (401, {"detail": "Unauthorized"}, BAD_KEY),
        (401, {"message": "Inactive subscription or usage limit reached"}, NO_CREDIT),
        (
            422,
            {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "msg": "Extra inputs"}]}},
            MALFORMED,
        ),
    ],
}


@pytest.mark.parametrize(
    ("provider", "row"), [(provider, row) for provider, rows in SHAPES.items() for row in rows], ids=str
)
def test_c01_to_c25_what_each_provider_sends_is_read_for_what_it_means(provider: str, row: Row) -> None:
    status, body, meant = row
    assert meaning(status, body, provider) == meant


@pytest.mark.parametrize(
    ("claim", "scope"),
    [("five_hour", S.ACCOUNT), ("seven_day", S.ACCOUNT), ("seven_day_opus", S.MODEL), ("", S.ACCOUNT)],
)
def test_m17_a_full_window_of_a_subscription_is_the_accounts_unless_it_meters_one_model(
    claim: str, scope: Scope
) -> None:
    told = read(
        429,
        anthropic("rate_limit_error", "This request would exceed your account's rate limit."),
        "anthropic",
        anthropic_ratelimit_unified_status="rejected",
        anthropic_ratelimit_unified_representative_claim=claim,
        anthropic_ratelimit_unified_reset=str(NOW + 7200),
    )
    assert (told.kind, told.scope) == (K.USAGE_LIMIT, scope)
    assert told.reset is not None
    assert told.reset.at == NOW + 7200


@pytest.mark.parametrize(
    ("family", "scope"), [("primary", S.ACCOUNT), ("secondary", S.ACCOUNT), ("model-x-primary", S.MODEL)]
)
def test_m17_a_full_codex_window_is_known_by_its_headers_alone(family: str, scope: Scope) -> None:
    headers = {"x-codex-primary-used-percent": "12", f"x-codex-{family}-used-percent": "100"}
    told = read(429, "", "openai-codex", **{name.replace("-", "_"): value for name, value in headers.items()})
    assert (told.kind, told.scope) == (K.USAGE_LIMIT, scope)


def test_m17_windows_with_room_left_leave_a_throttle_a_throttle() -> None:
    told = read(429, "", "anthropic", anthropic_ratelimit_unified_status="allowed")
    assert told.kind is K.RATE_LIMIT
    assert read(429, "", "openai-codex", x_codex_primary_used_percent="soon").kind is K.RATE_LIMIT
    assert read(429, "", "openai-codex", **{"x-codex-model-y-primary-used-percent": "100"}).kind is K.RATE_LIMIT


def test_m14_a_placeholder_of_a_wait_is_none() -> None:
    told = read(429, error("Please retry after 86400 seconds", code="429"), "azure", retry_after="86400")
    assert (told.kind, told.reset, told.retry_after) == (K.RATE_LIMIT, None, None)
    assert read(429, "", "azure", retry_after="60").retry_after == 60
    assert read(429, "", "openai", retry_after="86400").retry_after == 86400


@pytest.mark.parametrize(
    ("header", "code", "kind"),
    [
        ("X-Amzn-ErrorType", "ThrottlingException:http://internal.amazon.com/coral/bedrock/", K.RATE_LIMIT),
        ("x-ms-error-code", "DeploymentNotFound", K.MODEL_UNAVAILABLE),
        ("x-codex-rate-limit-reached-type", "workspace_member_credits_depleted", K.BILLING),
        ("x-other", "insufficient_quota", K.BAD_REQUEST),
    ],
)
def test_a_code_that_stands_in_a_header_counts(header: str, code: str, kind: FailureKind) -> None:
    assert read(400, {"message": "No."}, **{header: code}).kind is kind
