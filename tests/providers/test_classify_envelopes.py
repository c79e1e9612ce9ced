"""Envelopes: the same error means the same however it is wrapped, and a person never reads the wrapping."""

import json
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.providers.body import as_code, read_body

from .classifying import BROKEN, NO_CREDIT, THROTTLED, WINDOW_FULL, error, meaning, read
from .support import KEY, redact

Fields = Mapping[str, object]

KNOWN = st.sampled_from([
    {"code": "insufficient_quota", "message": "You exceeded your current quota"},
    {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": 5400},
    {"code": "rate_limit_exceeded", "type": "tokens", "message": "Please slow down"},
    {"type": "overloaded_error", "message": "Overloaded"},
    {"code": "token_revoked", "message": "Sign in again"},
    {"code": "model_not_found", "message": "no such thing"},
    {"message": "Your credit balance is too low"},
    {"message": "weekly limit reached, resets in 3 hours"},
    {"code": "context_length_exceeded", "message": "too long"},
])  # fmt: skip
STATUSES = st.sampled_from([None, 400, 403, 429])
NOISE = st.dictionaries(
    st.sampled_from(["param", "user_id", "request_id", "messages", "input", "object_id", "choices", "usage"]),
    st.none() | st.integers() | st.sampled_from(["insufficient credits", "revoked", "x"]),
)
WRAPPINGS: dict[str, Callable[[Fields], object]] = {
    "flat": dict,
    "error": lambda fields: {"error": fields},
    "detail": lambda fields: {"detail": fields},
    "array": lambda fields: [{"error": fields}],
    "errors": lambda fields: {"errors": [fields]},
    "typed": lambda fields: {"type": "error", "error": fields},
    "response": lambda fields: {"type": "response.failed", "response": {"error": fields}},
    "twice": lambda fields: {"error": {"error": fields}},
    "message": lambda fields: {"error": {"message": json.dumps({"error": fields})}},
    "raw": lambda fields: {"error": {"message": "Provider said no", "metadata": {"raw": json.dumps(fields)}}},
    "quoted": lambda fields: json.dumps({"error": fields}),
    "exception": lambda fields: f"SomeError: it failed - { ({'error': fields})!r}",
    "traced": lambda fields: f"Error: {json.dumps({'error': fields})}\n    at generate (cli.js:1:{{2}})",
    "streamed": lambda fields: f"event: error\ndata: {json.dumps({'error': fields})}\n\ndata: [DONE]\n\n",
}


@given(KNOWN, STATUSES, st.sampled_from(list(WRAPPINGS)))
def test_c21_a_wrapping_changes_nothing(fields: Fields, status: int | None, name: str) -> None:
    plain, wrapped = read(status, dict(fields)), read(status, WRAPPINGS[name](fields))
    assert (wrapped.kind, wrapped.scope, wrapped.reset) == (plain.kind, plain.scope, plain.reset)


@given(KNOWN, STATUSES, NOISE)
def test_c01_unknown_fields_change_nothing(fields: Fields, status: int | None, noise: Fields) -> None:
    assert meaning(status, {"error": {**noise, **fields}, **noise}) == meaning(status, {"error": fields})


@given(KNOWN, STATUSES, st.sampled_from([str.upper, str.title, str.capitalize]))
def test_c01_the_case_of_keys_changes_nothing(fields: Fields, status: int | None, cased: Callable[[str], str]) -> None:
    assert meaning(status, {cased(key): value for key, value in fields.items()}) == meaning(status, dict(fields))


@pytest.mark.parametrize("key", ["code", "type", "status", "errorCode", "error_type", "error-code", "reason", "__type"])
def test_c01_a_code_means_the_same_in_whatever_field_it_stands(key: str) -> None:
    assert meaning(429, error("no", **{key: "insufficient_quota"})) == NO_CREDIT


@pytest.mark.parametrize(
    "code",
    [
        "insufficient_quota",
        "InsufficientQuota",
        "INSUFFICIENT_QUOTA",
        "insufficient-quota",
        "Insufficient Quota",
        "insufficient.quota",
        "com.example.faults#InsufficientQuota",
    ],
)
def test_c01_a_code_means_the_same_in_whatever_spelling(code: str) -> None:
    assert meaning(429, error("no", code=code)) == NO_CREDIT


def test_c01_a_code_may_be_a_number_or_its_digits() -> None:
    assert meaning(None, error("no", code=429)) == meaning(None, error("no", code="429")) == THROTTLED


def test_c01_an_error_that_is_a_word_or_a_sentence_is_read() -> None:
    assert meaning(400, {"error": "insufficient_quota"}) == NO_CREDIT
    assert meaning(400, {"error": ["insufficient credits"]}) == NO_CREDIT
    assert meaning(None, "rate limit exceeded") == meaning(None, '"rate limit exceeded"') == THROTTLED


@pytest.mark.parametrize(
    "text",
    [
        "Error code: 429",
        "HTTP 429 Too many",
        "HTTP/1.1 429",
        "unexpected status 429: no",
        "429 no",
        "API Error: 429 no",
    ],
)
def test_an_exceptions_text_tells_its_status(text: str) -> None:
    assert read(None, text).status == 429
    assert read(400, text).status == 400


def test_an_error_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    body = json.dumps(error("The usage limit has been reached for now", type="usage_limit_reached"))
    assert meaning(429, '{"error": {"type": "usage_limit_reached", "message": "The usage lim') == WINDOW_FULL
    assert read(429, body[:60]).message == "The usage limit has been reached for"


def test_a_request_echoed_in_a_refusal_is_not_read_as_the_refusal() -> None:
    body = {"detail": [{"type": "missing", "msg": "Field required", "input": {"message": "insufficient credits"}}]}
    assert meaning(400, body) == meaning(400, {"detail": [{"msg": "Field required"}]})


def test_a_text_with_brackets_is_a_text() -> None:
    assert read(500, "use {name} in [a, b]").message == "use {name} in [a, b]"
    assert meaning(500, "use {name}") == BROKEN


READABLE = [
    (error("Please wait"), "Please wait"),
    ({"error": {"message": "No", "metadata": {"raw": "because"}}}, "No: because"),
    ("Error code: 429 - {'error': {'message': 'The limit'}}", "The limit"),
    (error('litellm.RateLimitError: XException - {"error": {"message": "The limit"}}'), "The limit"),
    (error("litellm.RateLimitError: XException - The limit"), "The limit"),
    (error('Denied: {"a": {"b"'), "Denied"),
    ("event: error\ndata: {\"error\": {\"message\": \"The limit\"}}", "The limit"),
    (error("", code="rate_limit_exceeded"), "rate_limit_exceeded"),
    (error("", code=429), "HTTP 429 without a message"),
    ("<!DOCTYPE html><title>502 &lt;Bad&gt; Gateway</title>", "an HTML page instead of an answer (502 <Bad> Gateway)"),
    (error("upstream: <html><h1>Busy</h1></html>"), "upstream: an HTML page instead of an answer (Busy)"),
    ("<html></html>", "an HTML page instead of an answer (without a title)"),
    ("", "HTTP 429 without a message"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), READABLE)
def test_c07_a_person_reads_sentences_and_no_markup(body: object, message: str) -> None:
    assert read(429, body).message == message


@given(KNOWN, st.sampled_from(list(WRAPPINGS)))
def test_c07_no_wrapping_shows_in_a_message(fields: Fields, name: str) -> None:
    message = read(400, WRAPPINGS[name](fields)).message
    assert not set('{}<>"') & set(message)


PRIVATE = [
    ("in organization {} on tokens", "org-AbC123dEfGh456"),
    ("in organization `{}` on tokens", "org_01hqm053avffh8w60ayqm1kr4a"),
    ("Your team {} has used all", "16f2151a-40f4-4a80-8ad0-cae00c27e8dd"),
    ("account {} is empty", "acct_1A2b3C4d5E6f7G8h"),
    ("Consumer 'api_key:{}' has been suspended", "AIzaSyAbm0123456789abcdefghijklmnopqrs"),
    ("consumer: projects/{}", "895908428397"),
    ("has not been used in project {} before", "895908428397"),
    ("arn:aws:bedrock:us-east-1:{}:inference-profile/y", "123456789012"),
    ("{} may not", "someone@example.com"),
    ("Virtual key {} is over budget", "ee997467832e008dbe74b72ddc44ee893499b1f7126abfb37ccc28fe4705ddb9"),
    ("{} may not", "user_3Bl6LBShLIGou4GzxDLzm73U616"),
    ("Incorrect key: {}", KEY.reveal()),
]


@pytest.mark.parametrize(("text", "private"), PRIVATE)
def test_c121_nobodys_account_shows_in_a_message(text: str, private: str) -> None:
    message = read(429, error(text.format(private))).message
    assert private not in message
    assert text.rpartition("{}")[2].strip(" `'") in message


@pytest.mark.parametrize(
    "text", ["Requested 300601123 tokens", "resets at 1900000000", "request req_011CZLrUfBVkVHn5T6Eq"]
)
def test_c121_figures_and_request_ids_stay(text: str) -> None:
    assert read(429, error(text)).message == text


def test_c121_a_known_key_in_a_refusal_is_taken_out_before_it_is_clipped() -> None:
    told = read(401, error("x" * 490 + " " + KEY.reveal()))
    assert KEY.reveal()[:12] not in told.message
    assert len(told.message) <= 500


def test_c133_control_codes_of_a_provider_reach_nobody() -> None:
    assert "\x1b" not in read(500, "boom \x1b[31m red \x07").message


@given(st.text(max_size=60))
def test_a_code_has_one_spelling(text: str) -> None:
    assert as_code(as_code(text)) == as_code(text)


def test_every_providers_own_codes_are_in_that_spelling() -> None:
    codes = [code for known in KNOWN_PROVIDERS.values() for code in known.codes]
    assert codes
    assert [as_code(code) for code in codes] == codes


def test_a_body_is_read_once_into_codes_and_sentences() -> None:
    read_once = read_body(json.dumps(error("Slow down (1302)", code=429, type="RateLimitError")))
    assert read_once.codes == ("429", "rate_limit_error", "1302")
    assert read_once.messages == ("Slow down (1302)",)
    assert redact(read_once.message(redact)) == "Slow down (1302)"
