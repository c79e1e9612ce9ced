"""Where a refusal says when it ends, in order of trust (M14).

An absolute time in the body, then a wait in the body, then the windows in provider headers (the latest among those
that are full), then `Retry-After`, then a sentence.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.failure import Reset
from hermes_tui.providers.body import ErrorBody
from hermes_tui.providers.resets import read_text, read_time, read_wait

_ABSOLUTE: Final = frozenset(
    ["resetsat", "resetat", "resettime", "resetstime", "quotaresettimestamp", "xratelimitreset", "nextresettime"]
)
_RELATIVE: Final = {
    "resetsinseconds": 1.0,
    "resetsin": 1.0,
    "resetafterseconds": 1.0,
    "retryafter": 1.0,
    "retryafterseconds": 1.0,
    "retrydelay": 1.0,
    "quotaresetdelay": 1.0,
    "retryafterms": 0.001,
}


@dataclass(frozen=True, slots=True)
class WindowHeaders:
    """A family of headers that describe quota windows.

    `reset` matches the header that ends a window `w`; `measure` names the one beside it that tells how used up it
    is, and `is_full` reads that. Without the measure the window counts as full: nothing says otherwise.
    """

    reset: re.Pattern[str]
    measure: str
    is_full: Callable[[str], bool]


def _spent(text: str) -> bool:
    number = _number(text)
    return number is not None and number >= 100


def _none_left(text: str) -> bool:
    number = _number(text)
    return number is not None and number <= 0


def _rejected(text: str) -> bool:
    return text.strip().lower() == "rejected"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_FAMILIES: Final = (
    WindowHeaders(re.compile(r"x-codex-(?P<w>.+)-reset-(?:at|after-seconds)"), "x-codex-{w}-used-percent", _spent),
    WindowHeaders(
        re.compile(r"anthropic-ratelimit-(?P<w>unified(?:-(?!overage)[a-z0-9_]+)?)-reset"),
        "anthropic-ratelimit-{w}-status",
        _rejected,
    ),
    WindowHeaders(
        re.compile(r"anthropic-ratelimit-(?P<w>(?:input-|output-)?tokens|requests)-reset"),
        "anthropic-ratelimit-{w}-remaining",
        _none_left,
    ),
    WindowHeaders(re.compile(r"x-ratelimit-reset(?P<w>(?:-[a-z0-9\-]+)?)"), "x-ratelimit-remaining{w}", _none_left),
    WindowHeaders(re.compile(r"ratelimit-reset(?P<w>)"), "ratelimit-remaining", _none_left),
)


def find_reset(headers: Mapping[str, str], body: ErrorBody, *, now: float) -> Reset | None:
    """Return when the limit ends, from the best source that can be read; header names in lower case."""
    return (
        _latest(_fields(body, now, absolute=True))
        or _latest(_fields(body, now, absolute=False))
        or _latest(_windows(headers, now))
        or retry_after(headers, now=now)
        or _spoken(body, now)
    )


def retry_after(headers: Mapping[str, str], *, now: float) -> Reset | None:
    """Return the end of the wait that `retry-after-ms` or `Retry-After` asks for; the former outranks (C30)."""
    precise = headers.get("retry-after-ms")
    found = read_time(precise, now=now, unit=0.001) if precise else None
    return found or read_wait(headers.get("retry-after", ""), now=now, date=headers.get("date"))


def _fields(body: ErrorBody, now: float, *, absolute: bool) -> Iterable[Reset | None]:
    for node in body.nodes:
        for key, value in node.items():
            name = key.lower().replace("_", "").replace("-", "")
            if absolute and name in _ABSOLUTE:
                yield read_time(value, now=now)
            elif not absolute and name in _RELATIVE:
                yield read_time(value, now=now, unit=_RELATIVE[name])


def _windows(headers: Mapping[str, str], now: float) -> Iterable[Reset | None]:
    for name, value in headers.items():
        for family in _FAMILIES:
            found = family.reset.fullmatch(name)
            if found is None:
                continue
            measure = headers.get(family.measure.format(w=found["w"]))
            if value.strip() != "0" and (measure is None or family.is_full(measure)):  # 0 is a placeholder
                yield read_time(value, now=now)


def _spoken(body: ErrorBody, now: float) -> Reset | None:
    return next((found for text in body.messages if (found := read_text(text, now=now))), None)


def _latest(resets: Iterable[Reset | None]) -> Reset | None:
    return max((reset for reset in resets if reset), key=lambda reset: reset.at, default=None)
