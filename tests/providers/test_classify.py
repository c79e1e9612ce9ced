"""What refusals mean: the case list as a table, and what must hold for any of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.providers.classify import classify

from .support import KEY, NOW, redact

K, S = FailureKind, Scope
PAGE = "<!DOCTYPE html><html><head><title>{}</title></head><body>x</body></html>"


def read(status: int | None, body: object, provider: str = "acme", **headers: str) -> Failure:
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return classify(provider_behind(provider), status, named, text, now=NOW, redact=redact, model="model-x")


def error(message: str = "no", **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    "code",
    [
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        None,
    ],
)
def test_c01_a_429_without_money_is_billing_and_not_a_passing_limit(code: str | None) -> None:
    told = read(429, error("You exceeded your current quota", type="insufficient_quota", code=code))
    assert (told.kind, told.scope, told.kind.is_retryable) == (K.BILLING, S.CREDENTIAL, False)


CASES = [
    ("c02 rate phrase without status", None, "rate limit exceeded", K.RATE_LIMIT, S.MODEL),
    (
        "c02 usage phrase with a reset",
        None,
        "usage limit exceeded, try again in 5 minutes",
        K.USAGE_LIMIT,
        S.CREDENTIAL,
    ),
    ("c02 usage phrase alone", None, "usage limit exceeded", K.BILLING, S.CREDENTIAL),
    ("c03 plan window as 402", 402, "plan usage limit reached, try again after 14:00", K.USAGE_LIMIT, S.CREDENTIAL),
    ("c03 credits as 402", 402, "insufficient credits", K.BILLING, S.CREDENTIAL),
    ("c03 bare 402", 402, "", K.BILLING, S.CREDENTIAL),
    ("c04 spend cap", 402, error("monthly spend cap reached"), K.BILLING, S.CREDENTIAL),
    (
        "c05 credits as 403",
        403,
        {"code": "blocked", "error": "team used all credits or reached monthly spending limit"},
        K.BILLING,
        S.CREDENTIAL,
    ),
    ("c05 limit as 401", 401, error("usage limit reached, resets in 3600s"), K.USAGE_LIMIT, S.CREDENTIAL),
    ("c07 challenge page", 403, PAGE.format("Just a moment..."), K.BLOCKED, S.PROVIDER),
    ("c07 proxy page", 502, PAGE.format("502 Bad Gateway"), K.SERVER_ERROR, S.PROVIDER),
    ("c07 gateway page", 504, PAGE.format("504 Gateway Time-out"), K.SERVER_ERROR, S.PROVIDER),
    ("c07 forbidden page", 403, PAGE.format("Forbidden"), K.AUTH, S.CREDENTIAL),
    ("c09 credit as 400", 400, error("Your credit balance is too low", type="invalid_request_error"), K.BILLING, None),
    ("c09 extra usage as 400", 400, error("You're out of extra usage", type="invalid_request_error"), K.BILLING, None),
    ("c09 plain 400", 400, error("messages: required", type="invalid_request_error"), K.BAD_REQUEST, S.REQUEST),
    ("c10 capacity", 429, error("model at capacity upstream, not your key's limit"), K.OVERLOADED, S.PROVIDER),
    ("c10 overload", 429, error("service may be temporarily overloaded"), K.OVERLOADED, S.PROVIDER),
    ("c10 tier capacity", 429, {"message": "Service tier capacity exceeded for this model"}, K.OVERLOADED, None),
    (
        "c10 upstream",
        429,
        error("Provider returned error", code=429, metadata={"raw": "model x is temporarily rate-limited upstream"}),
        K.OVERLOADED,
        S.PROVIDER,
    ),
    ("c11 503", 503, "", K.SERVER_ERROR, S.PROVIDER),
    ("c11 overloaded 503", 503, error(code="server_is_overloaded"), K.OVERLOADED, S.PROVIDER),
    ("c11 529", 529, {"type": "error", "error": {"type": "overloaded_error"}}, K.OVERLOADED, S.PROVIDER),
    ("c13 session", None, "session limit · resets 10:10pm (Europe/Madrid)", K.USAGE_LIMIT, S.CREDENTIAL),
    ("c13 weekly", None, "weekly limit · resets Aug 3, 7am (Europe/Zurich)", K.USAGE_LIMIT, S.CREDENTIAL),
    ("c15 burst", 429, error("Rate limit reached on tokens per minute", type="tokens"), K.RATE_LIMIT, S.MODEL),
    ("c17 wrong path", 404, "404 page not found", K.WRONG_ENDPOINT, S.PROVIDER),
    ("c17 model code", 404, error(code="model_not_found"), K.MODEL_UNAVAILABLE, S.MODEL),
    ("c17 model named", 404, error("model-x: nothing here"), K.MODEL_UNAVAILABLE, S.MODEL),
    ("c18 names", 400, error("supported API model names are a, b but you passed c"), K.MODEL_UNAVAILABLE, S.MODEL),
    ("c18 id", 400, error("c is not a valid model ID"), K.MODEL_UNAVAILABLE, S.MODEL),
    ("c19 tool call", 400, error("invalid tool call arguments"), K.BAD_REQUEST, S.REQUEST),
    ("c21 throttling", None, {"code": "Throttling.AllocationQuota", "message": "x"}, K.RATE_LIMIT, S.MODEL),
    ("c24 content policy", 400, error(code="content_filter"), K.REFUSED, S.REQUEST),
    ("c25 filter code", None, error("new_sensitive (1027)"), K.REFUSED, S.REQUEST),
    ("c26 moderation", 403, error("Your input was flagged", metadata={"reasons": ["x"]}), K.REFUSED, S.REQUEST),
    ("m5 plain 429", 429, "", K.RATE_LIMIT, S.MODEL),
    ("m9 plain 401", 401, "", K.AUTH, S.CREDENTIAL),
    ("m9 revoked", 401, error(code="token_invalidated"), K.AUTH_REVOKED, S.CREDENTIAL),
    ("m9 reused", 401, error("refresh token was already used", code="refresh_token_reused"), K.AUTH_REVOKED, None),
    ("m9 invalid grant", 400, {"error": "invalid_grant"}, K.AUTH_REVOKED, S.CREDENTIAL),
    ("m9 no such right", 403, error("You do not have access to the model"), K.MODEL_UNAVAILABLE, S.MODEL),
    ("m9 server fault as 403", 403, error("internal server error"), K.SERVER_ERROR, S.PROVIDER),
    ("m9 wrong key as 400", 400, {"code": "x", "error": "Incorrect API key provided"}, K.AUTH, S.CREDENTIAL),
    ("m9 context", 400, error(code="context_length_exceeded"), K.CONTEXT_OVERFLOW, S.REQUEST),
    ("m9 context 413", 413, "", K.CONTEXT_OVERFLOW, S.REQUEST),
    (
        "m9 too large as 429",
        429,
        error("Request too large for model-x: Limit 30000, Requested 30601", type="tokens"),
        K.CONTEXT_OVERFLOW,
        S.REQUEST,
    ),
    (
        "m17 codex",
        429,
        error("The usage limit has been reached", type="usage_limit_reached"),
        K.USAGE_LIMIT,
        S.CREDENTIAL,
    ),
    (
        "m17 one model",
        429,
        error("Usage limit for model-x reached", code="usage_limit_reached"),
        K.USAGE_LIMIT,
        S.MODEL,
    ),
    ("gemini", 429, [error("Quota exceeded. retry in 10s", status="RESOURCE_EXHAUSTED")], K.RATE_LIMIT, S.MODEL),
    ("a printed dict", None, "Error code: 429 - {'error': {'type': 'usage_limit_reached'}}", K.USAGE_LIMIT, None),
    ("a redirect", 302, "", K.WRONG_ENDPOINT, S.PROVIDER),
    ("nothing known", None, "", K.UNKNOWN, S.REQUEST),
]


@pytest.mark.parametrize(("status", "body", "kind", "scope"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_c01_to_c26_each_refusal_has_its_own_meaning(
    status: int | None, body: object, kind: FailureKind, scope: Scope | None
) -> None:
    told = read(status, body)
    assert told.kind is kind
    assert scope is None or told.scope is scope


def test_c08_a_spend_cap_is_billing_and_its_short_wait_is_not_believed() -> None:
    told = read(429, error("monthly spend limit reached", type="rate_limit_error"), retry_after="600")
    assert (told.kind, told.reset, told.retry_after) == (K.BILLING, None, None)


def test_c14_a_daily_cap_waits_for_the_instant_that_the_body_names() -> None:
    midnight = NOW + 36_000
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(midnight * 1000))}
    told = read(429, error("Rate limit exceeded: free-models-per-day", code=429, metadata={"headers": headers}))
    assert told.kind is K.USAGE_LIMIT
    assert told.reset is not None
    assert told.reset.at == midnight


def test_c14_a_delay_of_seconds_for_a_quota_of_a_day_is_not_believed() -> None:
    details = [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}, {"retryDelay": "22s"}]
    assert read(429, error("Quota exceeded", status="RESOURCE_EXHAUSTED", details=details)).reset is None


def test_c15_a_burst_waits_its_seconds() -> None:
    headers = {"x_ratelimit_remaining_tokens": "0", "x_ratelimit_reset_tokens": "8s"}
    told = read(429, error("Rate limit reached", code="rate_limit_exceeded"), **headers)
    assert told.reset is not None
    assert told.reset.at == NOW + 8


def test_c32_a_gigantic_retry_after_is_never_a_short_one() -> None:
    told = read(503, "", retry_after="9999999999")
    assert told.retry_after == 35 * 86400.0


def test_a_passing_fault_hints_a_wait_but_names_no_end_of_a_limit() -> None:
    told = read(503, "", retry_after="7")
    assert (told.retry_after, told.reset) == (7, None)


def test_c07_a_page_is_summarised_and_never_shown() -> None:
    told = read(502, PAGE.format("502 &lt;Bad&gt; Gateway"))
    assert told.message == "an HTML page instead of an answer (502 <Bad> Gateway)"


def test_a_request_echoed_in_a_refusal_is_not_read_as_the_refusal() -> None:
    body = {"detail": [{"type": "missing", "msg": "Field required", "input": {"message": "insufficient credits"}}]}
    assert read(400, body).kind is K.BAD_REQUEST


def test_z_ai_codes_mean_something_for_z_ai_only() -> None:
    body = error("balance", code="1113")
    assert read(429, body, "zai").kind is K.BILLING
    assert read(429, body, "acme").kind is K.RATE_LIMIT


def test_a_known_key_in_a_refusal_is_taken_out_before_it_is_clipped() -> None:
    told = read(401, error("x" * 490 + " " + KEY.reveal()))
    assert KEY.reveal()[:12] not in told.message
    assert len(told.message) <= 500


def test_control_codes_of_a_provider_reach_nobody() -> None:
    assert "\x1b" not in read(500, "boom \x1b[31m red \x07").message


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "message", "status", "details", "resets_at", "retryDelay", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)
STATUSES = st.none() | st.integers(min_value=-1, max_value=999)


@given(STATUSES, JSON.map(json.dumps) | st.text(max_size=200))
def test_m9_nothing_that_a_provider_sends_breaks_classification(status: int | None, body: str) -> None:
    told = read(status, body)
    assert told.message
    assert told.reset is None or told.reset.at >= NOW


@pytest.mark.parametrize(
    "body", ["[" * 60_000, '{"error":' * 20_000, "{" + "(" * 5000 + "}", '{"code": ' + "9" * 5000 + "}"]
)
def test_m9_bodies_made_to_exhaust_the_parser_are_only_errors(body: str) -> None:
    assert read(500, body).kind is K.SERVER_ERROR
