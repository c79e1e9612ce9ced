"""A usage endpoint's payload, read tolerantly into `Usage`: bad parts never hide good ones (M34, C106)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_tui.core.text import one_line
from hermes_tui.core.verdict import FULL_PERCENT, Usage, Window
from hermes_tui.providers.body import Redact
from hermes_tui.providers.dialect import JsonObject, as_list, as_object
from hermes_tui.providers.resets import read_time

_SLOTS = ("primary_window", "secondary_window")
_NAME_LIMIT = 40


@dataclass(frozen=True, slots=True)
class _Bucket:
    """A `rate_limit` object: what it says explicitly, and its readable windows."""

    allowed: bool | None
    limit_reached: bool | None
    windows: tuple[Window, ...]

    @property
    def is_full(self) -> bool:
        """Whether nothing more goes through this bucket."""
        full = any(window.used_percent >= FULL_PERCENT for window in self.windows)
        return full or self.limit_reached is True or self.allowed is False


def read_usage(payload: JsonObject, model: str, *, now: float, redact: Redact) -> Usage:
    """Return what `payload` says for `model`: the account's windows, and those of the buckets that meter it.

    `now` (epoch seconds) places relative resets. Never raises; what cannot be read is None or left out.
    """
    account = _bucket(as_object(payload.get("rate_limit")), "", now)
    metering = [
        _bucket(as_object(extra.get("rate_limit")), f"{one_line(redact(name), _NAME_LIMIT)} ", now)
        for extra, name in _extras(payload)
        if meters(name, model)
    ]
    credits_left = as_object(payload.get("credits"))
    plan = payload.get("plan_type")
    return Usage(
        allowed=account.allowed,
        limit_reached=account.limit_reached,
        has_credits=_flag(credits_left.get("has_credits")),
        unlimited=_flag(credits_left.get("unlimited")),
        plan=one_line(redact(plan), _NAME_LIMIT) if isinstance(plan, str) else None,
        windows=account.windows + tuple(window for bucket in metering for window in bucket.windows),
        model_limited=any(bucket.is_full for bucket in metering),
    )


def meters(limit_name: str, model: str) -> bool:
    """Tell whether a bucket named `limit_name` meters `model`: one name contains the other, in any case."""
    limit, asked = limit_name.strip().lower(), model.strip().lower()
    return bool(limit and asked) and (limit in asked or asked in limit)


def _extras(payload: JsonObject) -> Iterator[tuple[JsonObject, str]]:
    for extra in map(as_object, as_list(payload.get("additional_rate_limits"))):
        name = extra.get("limit_name")
        if isinstance(name, str) and name.strip():
            yield extra, name


def _bucket(limit: JsonObject, prefix: str, now: float) -> _Bucket:
    windows: dict[str, Window] = {}
    for slot in _SLOTS:
        window = _window(as_object(limit.get(slot)), prefix, slot.removesuffix("_window"), now)
        if window is not None:
            name = window.name if window.name not in windows else f"{window.name} ({slot.removesuffix('_window')})"
            windows[name] = Window(name, window.used_percent, window.resets_at)
    return _Bucket(_flag(limit.get("allowed")), _flag(limit.get("limit_reached")), tuple(windows.values()))


def _window(fields: JsonObject, prefix: str, slot: str, now: float) -> Window | None:
    used = _number(fields.get("used_percent"))
    if used is None:
        return None
    reset = read_time(fields.get("reset_at"), now=now) or read_time(fields.get("reset_after_seconds"), now=now)
    length = _number(fields.get("limit_window_seconds"))
    return Window(f"{prefix}{length_words(length) if length else slot}", used, reset.at if reset else None)


def length_words(seconds: float) -> str:
    """Return a window's length as its name: `week`, `3 d`, `5 h`, `30 min`."""
    if seconds == 7 * 86400:
        return "week"
    for unit, words in ((86400, "d"), (3600, "h")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:.0f} {words}"
    return f"{max(seconds / 60, 1):.0f} min"


def _number(value: object) -> float | None:
    """Return a finite number that is not negative, written as a number or as text, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.strip().removesuffix("%") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
