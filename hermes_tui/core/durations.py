"""Durations as a person writes them: `15m`, `1h30m`, `1d`."""

import re
from typing import Final

_UNITS: Final = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_DURATION: Final = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?[smhd])+")
_PIECE: Final = re.compile(r"([\d.]+)([smhd])")
_SHORTEST: Final = 1.0
_LONGEST: Final = 3650 * 86400.0
"""Beyond it a date cannot be told any more."""


def seconds(value: object) -> float:
    """Return a duration such as `15m` or `1h30m` in seconds; ValueError says how to write one."""
    text = value.replace(" ", "").lower() if isinstance(value, str) else ""
    total = (
        sum(float(number) * _UNITS[unit] for number, unit in _PIECE.findall(text)) if _DURATION.fullmatch(text) else 0.0
    )
    if total < _SHORTEST:
        raise ValueError('must be a duration of at least a second, in quotes: "30s", "15m", "1h30m" or "1d"')
    if total > _LONGEST:
        raise ValueError(f'must be a duration of at most ten years: "{spelled(_LONGEST)}"')
    return total


def can_be_written(duration: float) -> bool:
    """Tell whether a person could have written that many seconds; no number at all is none."""
    return _SHORTEST <= duration <= _LONGEST


def spelled(duration: float) -> str:
    """Return a duration in seconds as `seconds` reads it: `1h30m`."""
    pieces = []
    for unit, length in _UNITS.items():
        number, duration = divmod(duration, length) if unit != "s" else (duration, 0.0)
        if number:
            pieces.append(f"{number:g}{unit}")
    return "".join(pieces) or "0s"
