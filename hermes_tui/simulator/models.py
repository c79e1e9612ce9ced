"""The list of models of a simulated provider, in the form of its dialect: what a free question is answered with."""

from typing import Any, Final

from hermes_tui.simulator.account import Provider
from hermes_tui.simulator.mode import Dialect, Mode

LIST_PATHS: Final = {
    Dialect.CHAT_COMPLETIONS: "/v1/models",
    Dialect.CODEX_RESPONSES: "/codex/models",
    Dialect.ANTHROPIC_MESSAGES: "/v1/models",
}
"""How the path of a list ends; at another one there is none."""

REFUSED: Final = (
    Mode.UNAUTHORIZED,
    Mode.REVOKED,
    Mode.FORBIDDEN,
    Mode.SERVER_ERROR,
    Mode.UNAVAILABLE,
    Mode.TIMEOUT,
    Mode.HTML,
)
"""What a list meets as well: limits and faults of single replies are none of its business."""


def models_document(provider: Provider) -> dict[str, Any]:
    """Return what the server answers."""
    if provider.dialect is Dialect.ANTHROPIC_MESSAGES:
        data = [{"type": "model", "id": name, "display_name": name} for name in provider.models]
        return {"data": data, "has_more": False}
    windows = [{"context_length": window} if window else {} for window in provider.models.values()]
    names = [{"id": name, "object": "model", "owned_by": provider.name} for name in provider.models]
    return {"object": "list", "data": [name | window for name, window in zip(names, windows, strict=True)]}
