"""How a reply ends: why a model stopped, as any API says it, and when that makes what came no answer (M4, C24)."""

import re
from collections.abc import Mapping
from typing import Final

from hermes_tui.core.failure import FailureKind
from hermes_tui.providers.dialect import CUT_OFF, Trouble, refused

_FILTERED: Final = re.compile(
    r"content_?filter.*|refusal|sensitive|(?:image_)?(?:safety|prohibited_content|recitation)|blocklist|spii"
)
"""A filter stopped the reply: the usual word, Anthropic's, Z.AI's, Gemini's."""

_UNFINISHED: Final[Mapping[str, Trouble]] = {
    "error": Trouble("the provider ended the reply with an error", FailureKind.SERVER_ERROR),
    "network_error": Trouble("the provider lost the model in the middle of the reply", FailureKind.SERVER_ERROR),
    "insufficient_system_resource": Trouble(
        "the provider ran out of resources in the middle of the reply", FailureKind.OVERLOADED
    ),
    "abort": CUT_OFF,
    "cancelled": CUT_OFF,
    "pause_turn": CUT_OFF,
    "model_context_window_exceeded": Trouble(
        "the model's window was full before the reply was complete", FailureKind.CONTEXT_OVERFLOW
    ),
}
"""The reply is not complete: OpenRouter's words, Z.AI's, DeepSeek's, vLLM's, Anthropic's."""


def bad_end(reason: object, why: str = "") -> Trouble | None:
    """Return the trouble that a reason to stop stands for, None where it ends an answer, cut at a length or not.

    `why` is what a model that refused said.
    """
    if not isinstance(reason, str):
        return None
    word = reason.lower()
    return refused(why) if _FILTERED.fullmatch(word) else _UNFINISHED.get(word)
