"""How a simulated provider behaves: the switches that a scenario or a person sets."""

from dataclasses import dataclass
from enum import StrEnum


class Dialect(StrEnum):
    """The API that a simulated provider speaks."""

    CHAT_COMPLETIONS = "chat_completions"
    CODEX_RESPONSES = "codex_responses"
    ANTHROPIC_MESSAGES = "anthropic_messages"


class Mode(StrEnum):
    """What a request to a model meets."""

    OK = "ok"
    USAGE_LIMIT = "usage_limit"
    RATE_LIMIT = "rate_limit"
    PAYMENT_REQUIRED = "402"
    UNAUTHORIZED = "401"
    REVOKED = "401_revoked"
    FORBIDDEN = "403"
    UNKNOWN_MODEL = "404"
    TOO_LONG = "too_long"
    CONTENT_REFUSED = "content_refused"
    SERVER_ERROR = "500"
    UNAVAILABLE = "503"
    OVERLOADED = "529"
    TIMEOUT = "timeout"
    STALL = "stall"
    EMPTY = "empty"
    BROKEN = "broken"
    ERROR_FRAME = "error_frame"
    HTML = "html"

    @property
    def answers_200(self) -> bool:
        """Whether the answer starts with status 200, whatever follows."""
        return self in (Mode.OK, Mode.STALL, Mode.EMPTY, Mode.BROKEN, Mode.ERROR_FRAME)


class UsageMode(StrEnum):
    """What a question to the usage endpoint meets."""

    HONEST = "honest"
    LIES = "lies"
    THROTTLED = "429"
    SERVER_ERROR = "500"
    UNAUTHORIZED = "401"
    NOT_FOUND = "404"
    TIMEOUT = "timeout"
    HTML = "html"
    GARBAGE = "garbage"


@dataclass(frozen=True, slots=True)
class Target:
    """What a switch is set on: a provider, or one account or one model of it (or one model of one account)."""

    provider: str
    account: str | None = None
    model: str | None = None

    def covers(self, other: "Target") -> bool:
        """Tell whether everything that `other` means is meant by this target too."""
        return (
            self.provider == other.provider
            and self.account in (None, other.account)
            and self.model in (None, other.model)
        )


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A set switch. `resets_at` (epoch seconds) is the date that a limit names; `retry_after` is in seconds.

    `after_chunks` counts the pieces of text sent before a stall or a break. Where a `shape` is named, its answer is
    sent whatever the mode.
    """

    mode: Mode = Mode.OK
    resets_at: float | None = None
    retry_after: float | None = None
    after_chunks: int = 2
    shape: str | None = None

    @property
    def serves(self) -> bool:
        """Whether requests are answered as they should be."""
        return self.mode is Mode.OK and self.shape is None


@dataclass(frozen=True, slots=True)
class UsageBehaviour:
    """How the usage endpoint answers; `used_percent` is what it says of every window when it lies.

    `retry_after` (seconds) is how long it asks to be left alone when it refuses.
    """

    mode: UsageMode = UsageMode.HONEST
    used_percent: float = 5.0
    retry_after: float | None = None
