"""When Hermes itself tries a credential again: by the date of its provider, else by its own rules."""

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from hermes_tui.core.values import dataclass
from hermes_tui.hermes.values import Release

EXHAUSTED: Final = "exhausted"
DEAD: Final = "dead"

LATEST: Final = 253_370_764_800.0
"""The begin of the year 9999: a later date is told as this one."""

_MILLISECONDS: Final = 1e12
"""A number above this counts milliseconds, as Hermes reads it."""


def moment(value: object) -> float | None:
    """Return a date of the files in epoch seconds: written in seconds, in milliseconds or as ISO 8601; else None.

    An ISO date without a zone is in the local one, as Hermes takes it.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return LATEST
    except ValueError:
        return _iso(str(value))
    if math.isnan(seconds) or seconds <= 0:
        return None
    return min(seconds / 1000 if seconds > _MILLISECONDS else seconds, LATEST)


def _iso(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


@dataclass(frozen=True, slots=True)
class CooldownRules:
    """How long a release benches a credential whose provider gave no date, in seconds.

    `sole_seconds` is for the only credential of a pool that is not dead, while it is merely throttled: not refused, and
    not out of money. None says that a release makes no such exception.
    """

    refused_seconds: float = 300.0
    exhausted_seconds: float = 3600.0
    sole_seconds: float | None = 60.0

    def seconds(self, code: object, reason: object, *, sole: bool) -> float:
        """Return how long the answer `code` benches, with what Hermes made of it (`failure_reason`)."""
        if code == 401:
            return self.refused_seconds
        if self.sole_seconds is None:
            return self.exhausted_seconds
        unverified = reason == "billing_unverified" and code != 402
        billing = reason == "billing" or code == 402
        return self.sole_seconds if unverified or (sole and not billing) else self.exhausted_seconds


RULES: Final = CooldownRules()
OLD_RULES: Final = CooldownRules(sole_seconds=None)

_OLD: Final = (0, 19)


def rules_of(release: Release | None) -> CooldownRules:
    """Return the rules of `release`: up to 0.19 a sole credential waits like any other; None stands for the newest."""
    numbers = re.match(r"(\d+)\.(\d+)", release.version) if release is not None else None
    is_old = numbers is not None and (int(numbers[1]), int(numbers[2])) <= _OLD
    return OLD_RULES if is_old else RULES


def benched_until(row: Mapping[str, object], rules: CooldownRules, *, sole: bool) -> float | None:
    """Return when the cooldown of a pool's row ends; it may have ended already.

    None where it has none: what is dead never comes back by itself, and what names no time is tried at once.
    """
    if row.get("last_status") != EXHAUSTED:
        return None
    if (reset_at := moment(row.get("last_error_reset_at"))) is not None:
        return reset_at
    status_at = moment(row.get("last_status_at"))
    if status_at is None:
        return None
    return status_at + rules.seconds(row.get("last_error_code"), row.get("failure_reason"), sole=sole)


def is_sole(rows: list[Mapping[str, object]]) -> bool:
    """Tell whether a pool has nothing to rotate to: at most one of its rows is not dead."""
    return sum(row.get("last_status") != DEAD for row in rows) <= 1
