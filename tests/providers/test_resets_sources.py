"""Where a refusal says when it ends: the order of trust, and every provider's quota headers (M14, C14, C15)."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.cooldown import HORIZON_SECONDS, Said, cooldown_after
from hermes_tui.core.failure import Failure, FailureKind, Reset, ResetSource, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.providers.body import read_body
from hermes_tui.providers.classify import classify
from hermes_tui.providers.reset_sources import find_reset

from .support import NOW, redact

S = ResetSource
DAY = 86400.0

pytestmark = pytest.mark.usefixtures("local_zone")


def find(headers: dict[str, str], body: object = "", model: str = "") -> Reset | None:
    """Return the reset with its time as seconds from now."""
    text = body if isinstance(body, str) else json.dumps(body)
    found = find_reset(headers, read_body(text), now=NOW, model=model)
    return found and Reset(round(found.at - NOW, 5), found.approximate, found.source)


def refusal(provider: str, status: int, body: object, **headers: str) -> Failure:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    known = provider_behind(provider)
    return classify(known, status, named, json.dumps(body), now=NOW, redact=redact, model="model-x")


def test_m14_each_source_outranks_all_that_come_after_it() -> None:
    body: dict[str, object] = {"resets_at": NOW + 500, "resets_in_seconds": 400, "message": "try again in 100s"}
    headers = {
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-reset-at": f"{NOW + 300:.0f}",
        "retry-after": "200",
    }
    assert find(headers, {"error": body}) == Reset(500, source=S.BODY_DATE)
    del body["resets_at"]
    assert find(headers, {"error": body}) == Reset(400, source=S.BODY_WAIT)
    del body["resets_in_seconds"]
    assert find(headers, {"error": body}) == Reset(300, source=S.QUOTA_HEADERS)
    headers["x-codex-primary-used-percent"] = "99"
    assert find(headers, {"error": body}) == Reset(200, source=S.RETRY_AFTER)
    del headers["retry-after"]
    assert find(headers, {"error": body}) == Reset(100, source=S.SENTENCE)
    assert find(headers, {"error": {"message": "no"}}) is None


@pytest.mark.parametrize("unread", ["soon", -1, None, 0, "0", True, [], {}, "1e400", "2030-99-99"])
def test_m14_a_source_that_cannot_be_read_leaves_it_to_the_next(unread: object) -> None:
    assert find({"retry-after": "7"}, {"error": {"resets_at": unread, "retry_delay": "?"}}) == Reset(
        7, source=S.RETRY_AFTER
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"resets_at": NOW + 60}, Reset(60, source=S.BODY_DATE)),
        ({"resetsAt": f"{(NOW + 60) * 1000:.0f}"}, Reset(60, source=S.BODY_DATE)),
        ({"quotaResetTimeStamp": "2027-01-15T08:01:00Z"}, Reset(60, source=S.BODY_DATE)),
        ({"reset_at": "2027-01-15 08:01:00"}, Reset(60, approximate=True, source=S.BODY_DATE)),
        ({"resets_in_seconds": 5400}, Reset(5400, source=S.BODY_WAIT)),
        ({"resets_in_seconds": 0}, Reset(0, source=S.BODY_WAIT)),
        ({"reset_after_seconds": "5400"}, Reset(5400, source=S.BODY_WAIT)),
        ({"retryDelay": "22s"}, Reset(22, source=S.BODY_WAIT)),
        ({"retry_delay": {"seconds": 22, "nanos": 5}}, Reset(22, source=S.BODY_WAIT)),
        ({"quotaResetDelay": "13h31m19.5s"}, Reset(48679.5, source=S.BODY_WAIT)),
        ({"retry_after_ms": 1870}, Reset(1.87, source=S.BODY_WAIT)),
        ({"retry-after": "3"}, Reset(3, source=S.BODY_WAIT)),
    ],
)
def test_m14_a_field_of_the_body_is_read_whatever_its_spelling(fields: dict[str, object], expected: Reset) -> None:
    assert find({}, {"error": fields}) == expected
    assert find({}, [{"error": {"message": "m", "details": [{"@type": "x"}, fields]}}]) == expected


def test_m14_a_body_that_survives_only_as_printed_text_is_read() -> None:
    printed = "Error code: 429 - {'error': {'type': 'usage_limit_reached', 'resets_in_seconds': 5400}}"
    assert find({}, printed) == Reset(5400, source=S.BODY_WAIT)


def codex(window: str, used: str | None, seconds: float) -> dict[str, str]:
    measure = {} if used is None else {f"x-codex-{window}-used-percent": used}
    return measure | {f"x-codex-{window}-reset-after-seconds": f"{seconds:.0f}"}


def counted(window: str, left: str | None, reset: str, limit: str = "100") -> dict[str, str]:
    measure = {} if left is None else {f"x-ratelimit-remaining-{window}": left}
    return measure | {f"x-ratelimit-limit-{window}": limit, f"x-ratelimit-reset-{window}": reset}


def plan(window: str, status: str | None, seconds: float, **more: str) -> dict[str, str]:
    name = f"anthropic-ratelimit-unified{window and '-' + window}"
    said = {} if status is None else {f"{name}-status": status}
    return said | {f"{name}-{key}": value for key, value in more.items()} | {f"{name}-reset": f"{NOW + seconds:.0f}"}


WINDOWS: dict[str, tuple[dict[str, str], float | None]] = {
    "openai tokens": (counted("requests", "10", "120ms", "500") | counted("tokens", "0", "6m0s"), 360),
    "openai both full": (counted("requests", "0", "2m", "500") | counted("tokens", "0", "6s"), 120),
    "openai none full": (counted("requests", "10", "120ms") | counted("tokens", "12", "6m0s"), None),
    "groq day": (counted("requests", "0", "2m59.56s") | counted("tokens", "17000", "7.66s"), 179.56),
    "groq minute": (counted("requests", "14000", "2m59.56s") | counted("tokens", "0", "7.66s"), 7.66),
    "over the limit": (counted("tokens", "-20", "9s"), 9),
    "cerebras": (counted("requests-day", "0", "33011.38") | counted("tokens-minute", "0", "11.38"), 33011.38),
    "nous hour": (counted("requests", "5", "60") | counted("requests-1h", "0", "1800"), 1800),
    "nous not enforced": (counted("requests-1h", "0", "1800", "0") | counted("requests", "0", "60"), 60),
    "nous only not enforced": (counted("tokens-1h", "0", "1800", "0"), None),
    "azure sentinels": (counted("tokens", "0", "-1") | counted("requests", "0", "0"), None),
    "azure not known": (counted("tokens", "-1", "30") | counted("requests", "0", "10"), 10),
    "azure seconds": (counted("tokens", "0", "42"), 42),
    "mistral": ({"x-ratelimit-remaining-tokens-minute": "0", "x-ratelimit-limit-tokens-minute": "500"}, None),
    "mistral by size": ({"ratelimitbysize-remaining": "0", "ratelimitbysize-reset": "24"}, 24),
    "plain epoch in ms": ({"x-ratelimit-reset": f"{(NOW + 8) * 1000:.0f}", "x-ratelimit-remaining": "0"}, 8),
    "plain without a measure": ({"x-ratelimit-reset": "8"}, 8),
    "word after the window": ({"x-ratelimit-tokens-reset": "9s", "x-ratelimit-tokens-remaining": "0"}, 9),
    "reset after": ({"x-ratelimit-reset-after": "1.5", "x-ratelimit-remaining": "0"}, 1.5),
    "rate-limit": ({"x-rate-limit-reset": "30", "x-rate-limit-remaining": "0"}, 30),
    "measure of another": (counted("tokens", None, "2h") | counted("requests", "0", "5s"), 5),
    "ietf": ({"ratelimit-limit": "10", "ratelimit-remaining": "0", "ratelimit-reset": "50"}, 50),
    "ietf structured": ({"ratelimit": '"default";r=0;t=30'}, 30),
    "ietf several": ({"ratelimit": '"burst";r=0;t=10, "hour";r=0;t=2000, "day";r=90;t=50000'}, 2000),
    "ietf not full": ({"ratelimit": '"default";r=3;t=30'}, None),
    "ietf draft": ({"ratelimit": "limit=100, remaining=0, reset=33"}, 33),
    "anthropic tokens": (
        {
            "anthropic-ratelimit-requests-remaining": "5",
            "anthropic-ratelimit-requests-reset": "2027-01-15T08:01:30Z",
            "anthropic-ratelimit-output-tokens-remaining": "0",
            "anthropic-ratelimit-output-tokens-reset": "2027-01-15T08:00:30Z",
        },
        30,
    ),
    "plan status": (plan("5h", "rejected", 60) | plan("7d", "allowed", 900), 60),
    "plan warned": (plan("5h", "rejected", 60) | plan("7d", "allowed_warning", 900), 60),
    "plan both": (plan("", "rejected", 900) | plan("5h", "rejected", 60) | plan("7d", "rejected", 900), 900),
    "plan by use": (plan("5h", None, 60, utilization="1.0") | plan("7d", None, 900, utilization="0.97"), 60),
    "plan use is no percentage": (plan("5h", None, 60, utilization="0.99"), None),
    "plan overage": (plan("overage", "rejected", 9000) | plan("5h", "rejected", 60), 60),
    "plan claim": (
        plan("5h", None, 60)
        | plan("7d", None, 900)
        | {"anthropic-ratelimit-unified-representative-claim": "five_hour"},
        60,
    ),
    "codex one": (codex("primary", "100", 60) | codex("secondary", "41", 9000), 60),
    "codex both": (codex("primary", "100", 60) | codex("secondary", "100.0", 9000), 9000),
    "codex odd measures": (codex("primary", "100", 60) | {"x-codex-primary-over-secondary-limit-percent": "100"}, 60),
    "codex without a measure": (codex("primary", None, 60) | codex("secondary", "41", 9000), 60),
    "codex a full one is known": (codex("primary", None, 9000) | codex("secondary", "100", 60), 60),
    "codex active": (
        {"x-codex-active-limit": "primary"} | codex("primary", None, 60) | codex("secondary", None, 9000),
        60,
    ),
    "codex iso": ({"x-codex-primary-used-percent": "100", "x-codex-primary-reset-at": "2027-01-15T08:01:00+00:00"}, 60),
    "codex empty": ({"x-codex-primary-used-percent": "100", "x-codex-primary-reset-at": "0"}, None),
    "measure that is no number": (counted("tokens", "nan", "30") | counted("requests", "0", "5"), 5),
    "absurd": (counted("tokens", "0", "9" * 30) | counted("requests", "0", "nan"), None),
}  # fmt: skip


@pytest.mark.parametrize(("headers", "seconds"), WINDOWS.values(), ids=list(WINDOWS))
def test_m14_of_several_windows_the_latest_full_one_counts(headers: dict[str, str], seconds: float | None) -> None:
    assert find(headers) == (None if seconds is None else Reset(seconds, source=S.QUOTA_HEADERS))


SPARK = codex("spark-primary", "100", 9000) | {"x-codex-spark-limit-name": "GPT-5.5-Spark"}
OPUS = plan("7d_opus", "rejected", 9000)


@pytest.mark.parametrize(
    ("headers", "model", "seconds"),
    [
        (SPARK | codex("primary", "100", 60), "gpt-5.5", 60),
        (SPARK | codex("primary", "100", 60), "gpt-5.5-spark", 9000),
        (SPARK | codex("primary", "41", 60), "other", None),
        (SPARK | codex("primary", "41", 60), "", 9000),
        (OPUS | plan("5h", "rejected", 60), "claude-sonnet-4-5", 60),
        (OPUS | plan("5h", "allowed", 60), "claude-opus-4-5", 9000),
        (OPUS | plan("5h", "allowed", 60), "claude-sonnet-4-5", None),
    ],
)
def test_m17_the_window_of_another_model_is_no_reason(
    headers: dict[str, str], model: str, seconds: float | None
) -> None:
    assert find(headers, model=model) == (None if seconds is None else Reset(seconds, source=S.QUOTA_HEADERS))


def test_m17_the_full_window_of_another_model_makes_no_usage_limit_of_a_burst() -> None:
    headers = {"x-codex-spark-primary-used-percent": "100", "x-codex-spark-limit-name": "Spark", "retry-after": "17"}
    told = {
        model: classify(
            provider_behind("openai-codex"), 429, headers, '{"error":{}}', now=NOW, redact=redact, model=model
        )
        for model in ("gpt-5.5", "gpt-5.5-spark")
    }
    assert told["gpt-5.5"].kind is FailureKind.RATE_LIMIT
    assert (told["gpt-5.5-spark"].kind, told["gpt-5.5-spark"].scope) == (FailureKind.USAGE_LIMIT, Scope.MODEL)


def test_c14_the_headers_that_openrouter_sends_in_the_body_are_read_as_headers() -> None:
    midnight = {
        "X-RateLimit-Limit": "50",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": f"{(NOW + 36000) * 1000:.0f}",
    }
    told = refusal(
        "openrouter",
        429,
        {
            "error": {
                "message": "Rate limit exceeded: free-models-per-day",
                "code": 429,
                "metadata": {"headers": midnight},
            }
        },
    )
    assert told.reset == Reset(NOW + 36000, source=S.BODY_DATE)
    assert find({}, {"error": {"metadata": {"headers": midnight | {"X-RateLimit-Remaining": "7"}}}}) is None


@pytest.mark.parametrize("delay", ["22s", "0s", "299s"])
def test_c14_a_quota_of_a_day_is_named_and_a_delay_of_seconds_is_not_believed(delay: str) -> None:
    violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "250"}
    details = [{"violations": [violation]}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Please retry in 10.68s.", "details": details}
    told = refusal("acme", 429, [{"error": error}])
    assert told.reset is None
    assert cooldown_after(told, now=NOW, session="s", sole=True).source is Said.ASSUMED


def test_c15_ten_bursts_in_a_row_cost_their_seconds_each() -> None:
    for _ in range(10):
        told = refusal(
            "groq",
            429,
            {
                "error": {
                    "message": "Limit reached on tokens per minute",
                    "type": "tokens",
                    "code": "rate_limit_exceeded",
                }
            },
            x_ratelimit_remaining_tokens="0",
            x_ratelimit_reset_tokens="8s",
        )
        assert cooldown_after(told, now=NOW, session="s", sole=False).until == NOW + 8


@pytest.mark.parametrize("text", ["limit of 30 requests per minute reached, please try again later", "slow down"])
def test_m15_a_refusal_without_a_time_is_given_none(text: str) -> None:
    assert refusal("acme", 429, {"error": {"message": text}}).reset is None


HOSTILE = st.text(alphabet='0123456789.:-+TZamphs dwinet;=,"JanGMTrpé٣\u017f', max_size=60)
NAMES = st.sampled_from(
    ["retry-after", "retry-after-ms", "date", "x-ratelimit-reset", "x-ratelimit-remaining", "ratelimit",
     "ratelimit-reset", "x-codex-primary-reset-at", "x-codex-primary-used-percent",
     "anthropic-ratelimit-unified-5h-reset",
     "anthropic-ratelimit-unified-5h-status", "anthropic-ratelimit-unified-5h-utilization"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | HOSTILE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "details", "resets_at", "retryDelay", "metadata", "headers", "X-RateLimit-Reset"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(NAMES | st.text(max_size=30), HOSTILE), JSON.map(json.dumps) | HOSTILE)
def test_m14_nothing_that_a_provider_sends_breaks_the_reading(headers: dict[str, str], body: str) -> None:
    found = find_reset(headers, read_body(body), now=NOW, model="model-x")
    assert found is None or (math.isfinite(found.at) and NOW <= found.at <= NOW + HORIZON_SECONDS)
    assert found is None or found.source is not None
