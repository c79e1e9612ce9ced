"""Durations as people write them in scenario files: 90s, 5m, 1h30m, 2d."""

import re
from typing import Annotated, Final

from pydantic import BeforeValidator

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_WHOLE: Final = re.compile(rf"(?:{_PART.pattern})+")


def parse_duration(text: object) -> float:
    """Return the seconds that `text` names; a number is taken as seconds. ValueError says what is accepted."""
    if isinstance(text, int | float) and not isinstance(text, bool) and 0 <= text < float("inf"):
        return float(text)
    if isinstance(text, str) and _WHOLE.fullmatch(folded := text.replace(" ", "")):
        return sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(folded))
    raise ValueError(f"{text!r} is not a duration: write it like 90s, 5m, 1h30m or 2d")


Seconds = Annotated[float, BeforeValidator(parse_duration)]
"""Seconds, written as a duration."""
