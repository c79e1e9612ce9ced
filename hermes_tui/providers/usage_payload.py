"""A usage endpoint's payload, read tolerantly into `Usage`: bad parts never hide good ones (M34, C106).

The same windows are written in several spellings (`used_percent`, `usedPercent`; a length in seconds or minutes), so
names are compared without case and underscores.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.verdict import FULL_PERCENT, Usage, Window
from hermes_tui.providers.body import Redact, said
from hermes_tui.providers.dialect import JsonObject, as_list, as_object
from hermes_tui.providers.resets import read_time

_SLOTS: Final = frozenset(["primary", "secondary"])
_MINUTE: Final = 60.0
_LENGTHS: Final = {"limitwindowseconds": 1.0, "windowminutes": _MINUTE, "windowdurationmins": _MINUTE}
_LONGEST_SECONDS: Final = 400 * 86400.0
_UNITS: Final = ((86400.0, "d"), (3600.0, "h"))
_NEAR: Final = 0.01
"""How far a length may be off a round one and still go by its name: 299 minutes are five hours."""

_NAME_LIMIT: Final = 40
_LONGEST_NAME: Final = 200
"""Characters of a bucket's name beyond which it names no model."""
_MOST: Final = 16
"""Windows of a bucket, and buckets, that are read; what has more is incomplete."""

_WORD: Final = re.compile(r"(?:[^\W_]|\.)+")
_DECIMAL_COMMA: Final = re.compile(r"([0-9]{1,3}),([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class _Bucket:
    """A `rate_limit` object: what it says explicitly, its readable windows, and whether it has others."""

    allowed: bool | None
    limit_reached: bool | None
    windows: tuple[Window, ...]
    illegible: bool

    @property
    def is_full(self) -> bool:
        """Whether nothing more goes through this bucket."""
        full = any(window.used_percent >= FULL_PERCENT for window in self.windows)
        return full or self.limit_reached is True or self.allowed is False


def read_usage(payload: JsonObject, model: str, *, now: float, redact: Redact) -> Usage:
    """Return what `payload` says for `model`: the account's windows, and those of the buckets that meter it.

    `now` (epoch seconds) places relative resets. Never raises; what cannot be read is None or left out, and a window
    that is there but does not tell its use makes the usage `incomplete`.
    """
    whole = _folded(payload)
    limits = _limits(whole)
    account = _bucket(limits, "", now)
    extras = as_list(whole.get("additionalratelimits"))
    own = [
        _bucket(_limits(extra), f"{_name(name, redact)} ", now)
        for extra, name in _metering(map(_folded, extras[:_MOST]), model)
    ]
    credits_left = _folded(_first(whole, "credits") or limits.get("credits"))
    plan = _first(whole, "plantype") or limits.get("plantype")
    return Usage(
        allowed=account.allowed,
        limit_reached=account.limit_reached,
        has_credits=_has_credits(credits_left),
        unlimited=_flag(credits_left.get("unlimited")),
        plan=_name(plan, redact) if isinstance(plan, str) else None,
        windows=_told_apart([*account.windows, *(window for bucket in own for window in bucket.windows)]),
        model_limited=any(bucket.is_full for bucket in own),
        incomplete=any(bucket.illegible for bucket in (account, *own)) or not account.windows or len(extras) > _MOST,
    )


def meters(limit_name: str, model: str) -> int:
    """Return by how many words a bucket's name fits `model`, 0 where it meters another.

    Its words stand in a row in the model's name: `GPT-X` meters gpt-x and gpt-x-codex, `GPT-X-Spark` neither.
    """
    limit, asked = _WORD.findall(limit_name.lower()), _WORD.findall(model.lower())
    starts = range(len(asked) - len(limit) + 1) if limit else ()
    return len(limit) if any(asked[at : at + len(limit)] == limit for at in starts) else 0


def length_words(seconds: float) -> str:
    """Return a window's length as its name: `week`, `3 d`, `5 h`, `30 min`."""
    for unit, words in _UNITS:
        count = round(seconds / unit)
        if count and abs(seconds - count * unit) <= _NEAR * seconds:
            return "week" if (count, words) == (7, "d") else f"{count} {words}"
    return f"{max(seconds / _MINUTE, 1):.0f} min"


def _metering(extras: Iterable[JsonObject], model: str) -> list[tuple[JsonObject, str]]:
    """Return the buckets that meter `model`, each with its name; one that names it more closely outranks others."""
    found: list[tuple[int, JsonObject, str]] = []
    for extra in extras:
        told = (extra.get("limitname"), extra.get("meteredfeature"))
        names = [name for name in told if isinstance(name, str) and len(name) <= _LONGEST_NAME]
        fit = max((meters(name, model) for name in names), default=0)
        if fit:
            found.append((fit, extra, names[0]))
    closest = max((fit for fit, _, _ in found), default=0)
    return [(extra, name) for fit, extra, name in found if fit == closest]


def _bucket(limit: JsonObject, prefix: str, now: float) -> _Bucket:
    slots = list(islice(_slots(limit), _MOST + 1))
    read = [_window(_folded(value), prefix, slot, now) for slot, value in slots[:_MOST]]
    return _Bucket(
        allowed=_flag(limit.get("allowed")),
        limit_reached=_flag(limit.get("limitreached")),
        windows=tuple(window for window in read if window is not None),
        illegible=None in read or len(slots) > _MOST,
    )


def _limits(fields: JsonObject) -> JsonObject:
    return _folded(_first(fields, "ratelimit", "ratelimits"))


def _slots(limit: JsonObject) -> Iterator[tuple[str, object]]:
    """Yield whatever stands where a window does, with its slot; null is none."""
    for key, value in limit.items():
        slot = key.removesuffix("window")
        if value is not None and (slot != key or slot in _SLOTS or "usedpercent" in _folded(value)):
            yield slot if slot in _SLOTS else "other", value


def _name(text: str, redact: Redact) -> PlainText:
    return one_line(said(text, redact), _NAME_LIMIT)


def _window(fields: JsonObject, prefix: str, slot: str, now: float) -> Window | None:
    used = _number(fields.get("usedpercent"))
    if used is None:
        return None
    at = _first(fields, "resetat", "resetsat")
    reset = read_time(at, now=now) if _number(at) != 0 else None  # 0 is a placeholder
    reset = reset or read_time(_first(fields, "resetafterseconds", "resetsinseconds"), now=now)
    return Window(f"{prefix}{_length(fields) or slot}", used, reset.at if reset else None)


def _length(fields: JsonObject) -> str | None:
    for key, unit in _LENGTHS.items():
        length = _number(fields.get(key))
        if length and length * unit <= _LONGEST_SECONDS:
            return length_words(length * unit)
    return None


def _told_apart(windows: Iterable[Window]) -> tuple[Window, ...]:
    """Return the windows under names that differ: evidence is compared by name."""
    named: dict[str, Window] = {}
    for window in windows:
        name, again = window.name, 1
        while name in named:
            again += 1
            name = f"{window.name} ({again})"
        named[name] = replace(window, name=name)
    return tuple(named.values())


def _has_credits(credits_left: JsonObject) -> bool | None:
    told, balance = _flag(credits_left.get("hascredits")), credits_left.get("balance")
    left = _number(balance.strip().removeprefix("$") if isinstance(balance, str) else balance)
    return told if told is not None or left is None else left > 0


def _folded(value: object) -> Mapping[str, object]:
    """Return an object's members by their names without case and underscores; nothing for what is no object."""
    return {name.lower().replace("_", ""): part for name, part in as_object(value).items()}


def _first(fields: JsonObject, *names: str) -> object:
    return next((value for name in names if (value := fields.get(name)) is not None), None)


def _number(value: object) -> float | None:
    """Return a finite number that is not negative, written as a number or as text, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = value.strip().removesuffix("%").strip() if isinstance(value, str) else value
    if isinstance(text, str) and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        number = float(text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None
