"""One reading of a refusal: what must hold, and what it then means."""

import re
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.failure import FailureKind, Scope

HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Rule:
    """One reading of a refusal.

    `code` must match a whole structured code (as `body.as_code` spells it), `phrase` any part of the text, which is
    in lower case. `statuses` None means any; a None among them means a refusal without a status (in a stream).
    `with_reset` asks for a reset to be given, or not to be; `names_model` that the text names the requested model;
    `plan_full` that the headers say that a plan's window is full. Waits shorter than `believes_from_seconds` are not
    believed: they speak of another limit. `of_a_day` tells that it is a day's quota, which some providers renew at a
    known hour.
    """

    kind: FailureKind
    scope: Scope
    code: re.Pattern[str] | None = None
    phrase: re.Pattern[str] | None = None
    statuses: frozenset[int | None] | None = None
    with_reset: bool | None = None
    names_model: bool = False
    plan_full: bool = False
    believes_from_seconds: float = 0.0
    of_a_day: bool = False


def any_of(*statuses: int | None) -> frozenset[int | None]:
    """Return the statuses of a rule; None among them is a refusal without one."""
    return frozenset(statuses)


def matching(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern that any of the alternatives satisfies."""
    return re.compile("|".join(alternatives))
