"""A server that refuses a request as malformed quotes it: what a user wrote about limits is not one."""

import pytest

from hermes_tui.core.failure import FailureKind

from .classifying import MALFORMED, anthropic, error, meaning, read

WRITTEN = [
    "why do I get: rate limit exceeded?",
    "what does the content policy say",
    "your credit balance is too low",
    "is my account suspended",
    "this token has been revoked",
    "the model is overloaded",
    "maximum context length",
    "botocore raised ThrottlingException",
    "don't say 'quota exceeded' again",
    "a post was flagged",
]
QUOTING = [
    (400, "Invalid value: '{}'. Supported values are: 'a', 'b'."),
    (400, 'messages.0.content: Input should be a valid list, got "{}"'),
    (400, "1 validation error\n  Input should be a string [type=string_type, input_value=['{}'], input_type=list]"),
    (400, "Unknown role: `{}`"),
    (400, "Invalid value “{}”"),
    (422, 'messages[0]: invalid type: string "{}", expected a sequence at line 1 column 50'),
]


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize(("status", "form"), QUOTING)
def test_m9_words_of_the_user_in_a_refusal_are_not_the_providers(status: int, form: str, written: str) -> None:
    assert meaning(status, error(form.format(written), type="invalid_request_error")) == MALFORMED


def test_m9_a_quotation_that_is_cut_off_ends_with_its_sentence() -> None:
    long = "the rate limit of every key, " * 400
    assert meaning(400, error(f"Invalid value: '{long}")) == MALFORMED


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, anthropic("invalid_request_error", "'x' is wrong: your credit balance is too low"), FailureKind.BILLING),
        (400, error("It's the user's quota that you've exceeded, isn't it? Insufficient balance"), FailureKind.BILLING),
        (400, error("The model 'gpt-1' does not exist"), FailureKind.MODEL_UNAVAILABLE),
        (400, error("Invalid `signature` in `thinking` block"), FailureKind.FOREIGN_HISTORY),
        (429, error('upstream said: "insufficient balance"'), FailureKind.BILLING),
        (401, error('the gateway answered "token has been revoked"'), FailureKind.AUTH_REVOKED),
    ],
)
def test_m9_a_quotation_takes_nothing_else_along(status: int, body: object, kind: FailureKind) -> None:
    assert read(status, body).kind is kind
