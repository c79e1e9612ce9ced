"""Routes: the places a request can go, and the chain of them."""

from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from hermes_tui.core.values import dataclass

_PORTS: Final = {"http": 80, "https": 443}


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

    def issuer(self, account: str) -> str:
        """Return who seals the opaque history of this route, and alone accepts it: its model, for one account (M12)."""
        return f"{self.key} {account}"

    def same_model_as(self, other: "Route") -> bool:
        """Tell whether both ask one model at one place: the same provider, or the same address (M7)."""
        same_place = self.provider == other.provider or _normal(self.base_url) == _normal(other.base_url)
        return same_place and self.model == other.model


def _normal(url: str) -> str:
    """Return what two spellings of one address share: capitals, the usual port and a last slash make no other."""
    text = url.rstrip("/").lower()
    try:
        parts = urlsplit(text)
        port = _PORTS.get(parts.scheme) if parts.port is None else parts.port
    except ValueError:  # brackets that do not close, a port that is no number
        return text
    return f"{parts.scheme}://{parts.hostname}:{port}{parts.path}?{parts.query}"


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of the fallback chain as configured; `fault` says why it cannot serve at all, if so."""

    route: Route
    fault: str | None = None
