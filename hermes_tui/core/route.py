"""Routes: the places a request can go, and the chain of them."""

from dataclasses import dataclass
from enum import StrEnum


class ApiMode(StrEnum):
    """The dialect that a route's endpoint speaks."""

    CHAT_COMPLETIONS = "chat_completions"
    CODEX_RESPONSES = "codex_responses"
    ANTHROPIC_MESSAGES = "anthropic_messages"


@dataclass(frozen=True, slots=True)
class Route:
    """Provider, model, base URL and API mode: one immutable value, swapped whole (never field by field).

    `pool` names the credentials that may serve it: the provider's own pool, or one of the entry's own.
    `context_length` is in tokens, None where nobody said.
    """

    provider: str
    model: str
    base_url: str
    api_mode: ApiMode
    pool: str
    context_length: int | None = None

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def key(self) -> str:
        """Identity for holds and marks: what must differ for two routes to be different tries."""
        return f"{self.provider}/{self.model}@{self.base_url}#{self.pool}"

    @property
    def issuer(self) -> str:
        """Who issues, and alone accepts, the opaque history of this route (M12)."""
        return f"{self.provider}@{self.base_url}"

    def same_backend(self, other: "Route") -> bool:
        """Tell whether a try of `other` would only repeat this route (M7)."""
        same_place = self.provider == other.provider or _normal(self.base_url) == _normal(other.base_url)
        return same_place and self.model == other.model and self.pool == other.pool


def _normal(url: str) -> str:
    return url.rstrip("/").lower()


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of the fallback chain as configured; `fault` says why it cannot serve at all, if so."""

    route: Route
    fault: str | None = None
