"""Failures: what went wrong with one request, in words that routing and people both understand."""

from enum import StrEnum
from typing import NamedTuple

from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class FailureKind(StrEnum):
    """Why a request failed. Routing may treat two kinds alike; their words are never shared."""

    RATE_LIMIT = "rate_limit"
    USAGE_LIMIT = "usage_limit"
    BILLING = "billing"
    AUTH = "auth"
    AUTH_REVOKED = "auth_revoked"
    NO_CREDENTIAL = "no_credential"
    MISCONFIGURED = "misconfigured"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    INVALID_RESPONSE = "invalid_response"
    MODEL_UNAVAILABLE = "model_unavailable"
    WRONG_ENDPOINT = "wrong_endpoint"
    BLOCKED = "blocked"
    BAD_REQUEST = "bad_request"
    REFUSED = "refused"
    CONTEXT_OVERFLOW = "context_overflow"
    FOREIGN_HISTORY = "foreign_history"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """The kind as a person reads it."""
        return _WORDS[self]

    @property
    def is_limit(self) -> bool:
        """A limit that time alone lifts: what the early reopening check is about."""
        return self in (FailureKind.RATE_LIMIT, FailureKind.USAGE_LIMIT)

    @property
    def is_limit_or_billing(self) -> bool:
        """What arms the session's own long cooldown (M22)."""
        return self.is_limit or self is FailureKind.BILLING

    @property
    def is_transport(self) -> bool:
        """What earns the primary a rebuilt client and one more try (M3)."""
        return self in (FailureKind.CONNECTION, FailureKind.TIMEOUT, FailureKind.SERVER_ERROR)

    @property
    def is_about_the_key(self) -> bool:
        """What another key in the place of this one would mend."""
        return self in (FailureKind.AUTH, FailureKind.AUTH_REVOKED, FailureKind.NO_CREDENTIAL)

    @property
    def benches(self) -> bool:
        """Whether the credential is taken out of rotation for it."""
        return self.is_limit_or_billing or self in (FailureKind.AUTH, FailureKind.AUTH_REVOKED)

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may work on the same route in a moment (M2, M4)."""
        return self.is_transport or self in (
            FailureKind.OVERLOADED,
            FailureKind.INVALID_RESPONSE,
            FailureKind.BLOCKED,
            FailureKind.UNKNOWN,
        )


_WORDS = {
    FailureKind.RATE_LIMIT: "rate limit",
    FailureKind.USAGE_LIMIT: "usage limit",
    FailureKind.BILLING: "out of credit",
    FailureKind.AUTH: "not authorised",
    FailureKind.AUTH_REVOKED: "sign-in revoked",
    FailureKind.NO_CREDENTIAL: "no usable credential",
    FailureKind.MISCONFIGURED: "cannot be used as configured",
    FailureKind.OVERLOADED: "provider overloaded",
    FailureKind.SERVER_ERROR: "server error",
    FailureKind.TIMEOUT: "timed out",
    FailureKind.CONNECTION: "no connection",
    FailureKind.INVALID_RESPONSE: "invalid response",
    FailureKind.MODEL_UNAVAILABLE: "model not available",
    FailureKind.WRONG_ENDPOINT: "wrong URL",
    FailureKind.BLOCKED: "blocked on the way",
    FailureKind.BAD_REQUEST: "request refused as malformed",
    FailureKind.REFUSED: "content refused",
    FailureKind.CONTEXT_OVERFLOW: "conversation too long",
    FailureKind.FOREIGN_HISTORY: "sealed history not accepted",
    FailureKind.UNKNOWN: "unknown failure",
}


class Scope(StrEnum):
    """What a failure says something about: this request, a model, one key, every key of its account, or nobody's."""

    REQUEST = "request"
    MODEL = "model"
    CREDENTIAL = "credential"
    ACCOUNT = "account"
    PROVIDER = "provider"


class Meaning(NamedTuple):
    """What an error means: its kind, and what it says something about."""

    kind: FailureKind
    scope: Scope


class ResetSource(StrEnum):
    """Where it was said when a refusal ends, in order of trust (M14): last, in the provider's documentation."""

    BODY_DATE = "body_date"
    BODY_WAIT = "body_wait"
    QUOTA_HEADERS = "quota_headers"
    RETRY_AFTER = "retry_after"
    SENTENCE = "sentence"
    DOCUMENTED = "documented"


@dataclass(frozen=True, slots=True)
class Reset:
    """When a limit ends, as the provider said it: epoch seconds; `approximate` where the zone was assumed.

    `source` is where it was said, None for a time that no refusal named.
    """

    at: float
    approximate: bool = False
    source: ResetSource | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request, classified. `status` is the HTTP status or None; `message` is redacted and plain.

    `retry_after` (seconds) is a hint for backing off, `reset` the end of a limit.
    """

    kind: FailureKind
    scope: Scope
    message: PlainText
    status: int | None = None
    reset: Reset | None = None
    retry_after: float | None = None

    def __str__(self) -> str:
        code = f"{self.status} " if self.status is not None else ""
        return f"{code}{self.kind.words}"


class RequestError(HermesTuiError):
    """A request did not bring a complete reply; `failure` says why, `received` is the text that came before it.

    Raised by the wire.
    """

    def __init__(self, failure: Failure, received: str = "") -> None:
        super().__init__(f"{failure}: {failure.message}")
        self.failure = failure
        self.received = received
