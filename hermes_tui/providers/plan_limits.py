"""Plans: what a subscription's headers say about the window that is full, and whose it is (M17)."""

import re
from collections.abc import Mapping
from typing import Final

from hermes_tui.core.failure import Scope
from hermes_tui.providers.usage_payload import meters

_CLAIM: Final = "anthropic-ratelimit-unified-representative-claim"
_OF_ALL_MODELS: Final = frozenset(["", "five_hour", "seven_day", "overage"])
_CODEX_WINDOW: Final = re.compile(r"x-codex-(?:(?P<family>.+)-)?(?:primary|secondary)-used-percent")


def full_plan(headers: Mapping[str, str], model: str) -> Scope | None:
    """Return whose window is full by the headers (names in lower case): the account's, or that of `model`, else None.

    A window of a family that is not the account's meters the models that its own header names.
    """
    if headers.get("anthropic-ratelimit-unified-status", "").lower() == "rejected":
        return Scope.ACCOUNT if headers.get(_CLAIM, "").lower() in _OF_ALL_MODELS else Scope.MODEL
    full = [
        found["family"] for name, value in headers.items() if (found := _CODEX_WINDOW.fullmatch(name)) and _spent(value)
    ]
    if None in full:
        return Scope.ACCOUNT
    named = (headers.get(f"x-codex-{family}-limit-name", family) for family in full)
    return Scope.MODEL if any(meters(limit, model) for limit in named) else None


def _spent(percent: str) -> bool:
    try:
        return float(percent) >= 100
    except ValueError:
        return False
