"""Headers in which providers describe their quota windows, and when those that refuse a request end (M14).

Of several windows the latest counts among those that are full; where none says that it is, the one that the provider
names as the reason; where it names none, those of which nothing is said. A window of another model is no reason.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.failure import Reset
from hermes_tui.core.verdict import FULL_PERCENT
from hermes_tui.providers.resets import read_time
from hermes_tui.providers.usage_payload import meters


@dataclass(frozen=True, slots=True)
class QuotaWindow:
    """A window as headers describe it.

    `is_full` None means that they do not say; `is_named` that the provider calls it the reason. `meters` is the model
    that it is for, empty where it is for the whole account.
    """

    reset: Reset
    is_full: bool | None = None
    is_named: bool = False
    meters: str = ""

    def concerns(self, model: str) -> bool:
        """Tell whether it meters `model`; one that nobody named may be any."""
        return not (self.meters and model) or meters(self.meters, model) > 0


def quota_reset(headers: Mapping[str, str], *, now: float, model: str = "") -> Reset | None:
    """Return when the window ends that refuses requests for `model`; header names in lower case."""
    windows = [window for family in _FAMILIES for window in family(headers, now)]
    ours = [window for window in windows if window.concerns(model)]
    full = [window for window in ours if window.is_full]
    named = [window for window in windows if window.is_named and window.is_full is None]
    unsaid = [window for window in ours if window.is_full is None]
    return max((window.reset for window in full or named or unsaid), key=lambda reset: reset.at, default=None)


_CODEX: Final = re.compile(
    r"x-codex-(?:(?P<limit>[a-z0-9_-]{1,60})-)?(?P<slot>primary|secondary)-reset-(?:at|after-seconds)"
)


def _codex(headers: Mapping[str, str], now: float) -> Iterator[QuotaWindow]:
    """Windows in percent; a limit for some models stands under a name of its own, with theirs in another header."""
    active = headers.get("x-codex-active-limit", "").strip().lower().replace("_", "-")
    for name, value in headers.items():
        found = _CODEX.fullmatch(name)
        if found is None or (reset := _reset(value, now)) is None:
            continue
        limit, slot = found["limit"], found["slot"]
        prefix = f"x-codex-{limit}" if limit else "x-codex"
        used = _number(headers.get(f"{prefix}-{slot}-used-percent"))
        yield QuotaWindow(
            reset,
            is_full=None if used is None else used >= FULL_PERCENT,
            is_named=active.endswith(limit) if limit else active == slot,
            meters=headers.get(f"{prefix}-limit-name", limit).strip() if limit else "",
        )


_UNIFIED: Final = re.compile(
    r"(?P<window>anthropic-ratelimit-unified(?:-[0-9]{1,3}[a-z](?:_(?P<model>[a-z0-9_]{1,40}))?)?)-reset"
)
_CLAIMS: Final = {"five_hour": "5h", "seven_day": "7d"}
_STATUSES: Final = {"rejected": True, "allowed": False, "allowed_warning": False}


def _unified(headers: Mapping[str, str], now: float) -> Iterator[QuotaWindow]:
    """Windows of a subscription: a status and a use from 0 to 1; what is for one model ends in its name."""
    claim = headers.get("anthropic-ratelimit-unified-representative-claim", "").strip().lower()
    for words, length in _CLAIMS.items():
        claim = claim.replace(words, length)
    for name, value in headers.items():
        found = _UNIFIED.fullmatch(name)
        if found is None or (reset := _reset(value, now)) is None:
            continue
        window = found["window"]
        full = _STATUSES.get(headers.get(f"{window}-status", "").strip().lower())
        used = _number(headers.get(f"{window}-utilization"))
        if full is None and used is not None:
            full = used >= 1.0
        yield QuotaWindow(reset, full, bool(claim) and window.endswith(f"-{claim}"), found["model"] or "")


_COUNTED: Final = re.compile(
    r"(?P<before>(?:x-|anthropic-)?(?:ratelimit|rate-limit|ratelimitbysize|tokenlimit)-(?:[a-z0-9-]{1,40}-)?)"
    r"reset(?:-(?:at|after|in|seconds)){0,2}(?P<after>(?:-[a-z0-9-]{1,40})?)"
)


def _counted(headers: Mapping[str, str], now: float) -> Iterator[QuotaWindow]:
    """Windows in what remains, the word `reset` before or after the window's name; a limit of 0 is not enforced."""
    for name, value in headers.items():
        found = _COUNTED.fullmatch(name)
        if found is None or "-unified" in name or (reset := _reset(value, now)) is None:
            continue
        left, limit = (
            _number(headers.get(f"{found['before']}{what}{found['after']}")) for what in ("remaining", "limit")
        )
        full = None if left is None or left == -1 else left <= 0  # -1 stands for "not known"
        yield QuotaWindow(reset, is_full=False if limit == 0 else full)


_IETF: Final = re.compile(r";\s?r=(?P<left>[0-9]{1,15})\b[^,]{0,100}?;\s?t=(?P<reset>[0-9]{1,15})\b")
_IETF_BEFORE: Final = re.compile(r"remaining=(?P<left>[0-9]{1,15})\s?,\s?reset=(?P<reset>[0-9]{1,15})\b")
_IETF_READ: Final = 1000
"""Characters of the header that are read."""


def _ietf(headers: Mapping[str, str], now: float) -> Iterator[QuotaWindow]:
    """All windows in one header: `"default";r=0;t=30`, in older drafts `limit=10, remaining=0, reset=30`."""
    text = headers.get("ratelimit", "")[:_IETF_READ]
    for found in (*_IETF.finditer(text), *_IETF_BEFORE.finditer(text)):
        if (reset := _reset(found["reset"], now)) is not None:
            yield QuotaWindow(reset, int(found["left"]) == 0)


_FAMILIES: Final[tuple[Callable[[Mapping[str, str], float], Iterator[QuotaWindow]], ...]] = (
    _codex,
    _unified,
    _counted,
    _ietf,
)

_PLACEHOLDER: Final = re.compile(r"0+(?:\.0+)?(?:ms|s)?")


def _reset(text: str, now: float) -> Reset | None:
    return None if _PLACEHOLDER.fullmatch(text.strip()) else read_time(text, now=now)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
