"""Relays and local servers: what they send, whose account it is about, and what that means."""

import pytest

from hermes_tui.core.failure import Scope

from .classifying import (
    ACCOUNT_THROTTLED,
    BAD_KEY,
    BROKEN,
    BUSY,
    KEY_SPENT,
    MALFORMED,
    MODEL_UNPAID,
    MODEL_WINDOW,
    NO_CREDIT,
    NO_MODEL,
    REFUSED,
    SLOW,
    THROTTLED,
    TOO_LONG,
    Row,
    error,
    meaning,
    read,
)

S = Scope


def relayed(message: str, code: int, raw: object) -> dict[str, object]:
    """Return what OpenRouter makes of an upstream's refusal."""
    return {"error": {"code": code, "message": message, "metadata": {"provider_name": "P", "raw": raw}}}


SHAPES: dict[str, list[Row]] = {
    "openrouter": [
        (429, error("Rate limit exceeded: free-models-per-day", code=429), MODEL_WINDOW),
        (429, error("Rate limit exceeded: free-models-per-min", code=429), THROTTLED),
        (200, error("Rate limit exceeded: limit_rpm/y. High demand for this model", code=429), THROTTLED),
        (429, error("Rate limit exceeded: limit_rpd/y. High demand for this model", code=429), MODEL_WINDOW),
        (
            429,
            relayed("Provider returned error", 429, "model x is temporarily rate-limited upstream. Please retry"),
            BUSY,
        ),
        (402, error("Insufficient credits. Add more using https://openrouter.ai/settings/credits"), NO_CREDIT),
        (402, error("Insufficient credits", code=402), NO_CREDIT),
        (
            402,
            error("This request requires more credits, or fewer max_tokens. You can only afford 12 tokens", code=402),
            MODEL_UNPAID,
        ),
        (402, error("wait", code="in_flight_budget_exhausted"), ACCOUNT_THROTTLED),
        (
            403,
            error("Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys"),
            KEY_SPENT,
        ),
        (402, relayed("Provider returned error", 402, '{"error":"Insufficient Balance"}'), MODEL_UNPAID),
        (429, relayed("x", 429, '{"error":{"code":"insufficient_quota"}}'), MODEL_UNPAID),
        (401, relayed("Provider returned error", 401, "invalid x-api-key"), NO_MODEL),
        (401, error("No auth credentials found", code=401), BAD_KEY),
        (403, error("x", metadata={"reasons": ["sexual"], "flagged_input": "y"}, type="moderation"), REFUSED),
        (404, error("No endpoints found matching your data policy", code=404), NO_MODEL),
        (404, error("No allowed providers are available for the selected model."), NO_MODEL),
        (400, error("model-x is not a valid model ID", code=400), NO_MODEL),
        (408, error("Timed out", code=408), SLOW),
        (502, error("Provider returned error", code=502), BROKEN),
        (200, error("Provider returned error", code=502), BROKEN),
        (200, error("Insufficient credits: openrouter.ai/settings/credits", code=402), NO_CREDIT),
    ],
    "litellm": [
        (
            429,
            error('litellm.RateLimitError: AnthropicException - {"type":"error","error":{"type":"rate_limit_error"}}'),
            THROTTLED,
        ),
        (
            400,
            error("litellm.BadRequestError: AnthropicException - {'error': {'message': 'credit balance is too low'}}"),
            MODEL_UNPAID,
        ),
        (401, error("litellm.AuthenticationError: AnthropicException - invalid x-api-key"), NO_MODEL),
        (401, error("Authentication Error, Invalid proxy server token passed", type="auth_error"), BAD_KEY),
        (429, error("No deployments available for selected model, Try again in 5 seconds"), BUSY),
        (429, error("No deployments available - crossed budget: Exceeded budget for deployment"), MODEL_UNPAID),
        (400, error("Budget has been exceeded! Current cost: 9, Max budget: 5", type="budget_exceeded"), KEY_SPENT),
        (400, error("ExceededBudget: End User=x over budget. Spend=9, Budget=5"), KEY_SPENT),
        (429, error("x", type="throttling_error", code="429"), THROTTLED),
        (429, error("x", code="terminal_quota_exhausted"), MODEL_UNPAID),
        (401, error("key not allowed to access model. It can only access ['y']"), NO_MODEL),
        (500, error("litellm.ContextWindowExceededError: too big", code="500"), TOO_LONG),
        (500, error("litellm.Timeout: APITimeoutError"), BROKEN),
        (402, error("upstream insufficient balance"), MODEL_UNPAID),
    ],
    "nous": [
        (429, error("model at capacity upstream, not your key's limit"), BUSY),
        (503, error("The requested model is temporarily unavailable"), BUSY),
        (402, error("Insufficient credits"), NO_CREDIT),
    ],
    "copilot": [
        (400, error("too long", code="model_max_prompt_tokens_exceeded"), TOO_LONG),
        (400, error("no", code="model_not_supported"), NO_MODEL),
    ],
    "vllm": [
        (400, {"object": "error", "message": "This model's maximum context length is 9", "code": 400}, TOO_LONG),
        (404, {"object": "error", "message": "The model `y` does not exist.", "code": 404}, NO_MODEL),
        (400, {"error": "Context size has been exceeded."}, TOO_LONG),
        (200, {"object": "error", "message": "x", "type": "BadRequestError", "code": 400}, MALFORMED),
    ],
    "llama-cpp": [
        (503, error("Loading model", code=503, type="unavailable_error"), BUSY),
        (400, error("x", code=400, type="exceed_context_size_error"), TOO_LONG),
    ],
    "ollama": [
        (404, {"error": "model 'y' not found, try pulling it first"}, NO_MODEL),
        (503, {"error": "server busy, please try again. maximum pending requests exceeded"}, BUSY),
    ],
}


@pytest.mark.parametrize(
    ("provider", "row"), [(provider, row) for provider, rows in SHAPES.items() for row in rows], ids=str
)
def test_c58_what_relays_and_local_servers_send_is_read_for_what_it_means(provider: str, row: Row) -> None:
    status, body, meant = row
    assert meaning(status, body, provider) == meant


@pytest.mark.parametrize("provider", ["openrouter", "litellm"])
def test_c58_a_relay_is_not_benched_for_an_upstream(provider: str) -> None:
    """The same words at the upstream itself are about the account."""
    for status, body in ((402, error("upstream insufficient balance")), (429, error("quota exceeded"))):
        assert read(status, body, provider).scope is S.MODEL
        assert read(status, body, "deepseek").scope is S.ACCOUNT
