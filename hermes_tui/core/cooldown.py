"""Cooldowns: beliefs about when a credential may be tried again, each with its source (M14 ... M16)."""

from dataclasses import replace
from enum import StrEnum
from typing import Final

from hermes_tui.core.failure import Failure, FailureKind, ResetSource
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

FLOOR_SECONDS: Final = 1.0
HORIZON_SECONDS: Final = 35 * 86400.0
AUTH_SECONDS: Final = 300.0
LIMIT_SECONDS: Final = 3600.0
SOLE_THROTTLE_SECONDS: Final = 60.0


class Said(StrEnum):
    """Who said when a cooldown ends."""

    PROVIDER = "provider"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Cooldown:
    """A credential is not tried before `until` (epoch seconds), because of `reason`.

    `source` is who said so and `said_in` where, None where that is not known; `approximate` marks a date whose zone
    was assumed or that was cut at the horizon. `since` is when this bench began, `last_at` the newest failure that
    confirmed it, and `session` the one whose request met that. `code` is the HTTP status.
    """

    since: float
    until: float
    source: Said
    reason: FailureKind
    code: int | None
    message: PlainText
    session: str
    last_at: float
    approximate: bool = False
    said_in: ResetSource | None = None

    @property
    def doubt(self) -> int:
        """How far from the best source its date is (M16): 0 for a date in the answer itself, most where assumed."""
        if self.source is Said.ASSUMED:
            return len(ResetSource) + 1
        return len(ResetSource) if self.said_in is None else list(ResetSource).index(self.said_in)

    def ahead(self, now: float) -> bool:
        """Tell whether the date still lies ahead."""
        return self.until > now


def cooldown_after(failure: Failure, *, now: float, session: str, sole: bool) -> Cooldown:
    """Return the cooldown that a benching `failure` arms (M14, M15).

    `sole` says that the pool has no other live credential: a passing throttle then costs a minute, not an hour.
    """
    reset = failure.reset
    if reset is not None:
        until = min(max(reset.at, now + FLOOR_SECONDS), now + HORIZON_SECONDS)
        source, approximate = Said.PROVIDER, reset.approximate or until < reset.at
    else:
        until, source, approximate = now + _assumed_seconds(failure, sole=sole), Said.ASSUMED, True
    return Cooldown(
        since=now,
        until=until,
        source=source,
        reason=failure.kind,
        code=failure.status,
        message=failure.message,
        session=session,
        last_at=now,
        approximate=approximate,
        said_in=reset.source if reset is not None else None,
    )


def _assumed_seconds(failure: Failure, *, sole: bool) -> float:
    if failure.kind in (FailureKind.AUTH, FailureKind.AUTH_REVOKED):
        return AUTH_SECONDS
    if failure.kind is FailureKind.RATE_LIMIT and sole:
        return SOLE_THROTTLE_SECONDS
    return LIMIT_SECONDS


def merged(known: Cooldown | None, new: Cooldown, now: float) -> Cooldown:
    """Return what is believed after `new` (M16): the later date with its reason.

    A worse source moves no date that a better one gave for the same reason, and an assumption none that was given.
    """
    if known is None or not known.ahead(now):
        return new
    surer = known.doubt < new.doubt and (new.source is Said.ASSUMED or new.reason is known.reason)
    if surer or known.until >= new.until:
        return replace(known, last_at=new.last_at, session=new.session)
    return replace(new, since=known.since)
