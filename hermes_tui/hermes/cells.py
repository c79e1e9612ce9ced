"""What a file of a home holds in one place, believed no further than its kind: any value may stand anywhere."""

import functools
import math
from typing import Final

from hermes_tui.core.secret import without_keys
from hermes_tui.core.text import PlainText, one_line

NAME_LIMIT: Final = 200
"""Characters kept of an id or a name."""


def name(value: object) -> str:
    """Return an id or a name on one line, empty where there is none."""
    return _name(value) if isinstance(value, str) else ""


def line(value: object) -> PlainText:
    """Return a sentence on one line without keys and tokens, empty where there is none."""
    return one_line(_bounded(value, NAME_LIMIT)) if isinstance(value, str) else PlainText("")


def passage(value: object, limit: int) -> PlainText:
    """Return text of several lines without keys and tokens, at most about `limit` characters of it."""
    return _bounded(value, limit) if isinstance(value, str) else PlainText("")


def number(value: object) -> float | None:
    """Return a finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def moment(value: object) -> float | None:
    """Return epoch seconds that a clock can show, None for anything else."""
    found = number(value)
    return found if found is not None and 0 < found < _END_OF_TIME else None


def count(value: object) -> int:
    """Return how many, 0 where nobody says."""
    return max(value, 0) if isinstance(value, int) else 0


_END_OF_TIME: Final = 253_370_764_800.0
"""The year 9999: east of Greenwich its last day is in another that no clock here can show."""


@functools.lru_cache(maxsize=4_096)  # the same few stand in every row, and every row is read again
def _name(text: str) -> str:
    return one_line(text, NAME_LIMIT)


def _bounded(text: str, limit: int) -> PlainText:
    """Cut at a space before keys are looked for, so that no half of one is left at the cut."""
    if len(text) > limit:
        text = (text[:limit].rpartition(" ")[0] or "(a long text)") + " …"
    return without_keys(text)
