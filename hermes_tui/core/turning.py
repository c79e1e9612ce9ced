"""What to do after a failed request: one pure function, and the state of the turn that it reads (M2 ... M9)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hermes_tui.core.configuration import OnRefusal, Settings
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.failure import Failure, FailureKind
from hermes_tui.core.route import Route
from hermes_tui.core.text import PlainText

MAX_COMPRESSION_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class TurnState:
    """What one turn has been through on its current route. `deadline` is in epoch seconds.

    `failed` are credentials that failed in this turn, `tried` the routes it has used.
    """

    deadline: float
    retry_count: int = 0
    compression_attempts: int = 0
    primary_recovery_attempted: bool = False
    failed: frozenset[CredentialKey] = frozenset()
    tried: tuple[Route, ...] = ()

    def on_new_route(self, route: Route) -> "TurnState":
        """Return the state after a switch: every counter of the old route is gone (M6)."""
        return replace(
            self,
            retry_count=0,
            compression_attempts=0,
            primary_recovery_attempted=False,
            tried=(*self.tried, route),
        )

    def without(self, key: CredentialKey) -> "TurnState":
        """Return the state after a rotation away from `key`: the next credential has its own attempts."""
        return replace(self, failed=self.failed | {key}, retry_count=0)


@dataclass(frozen=True, slots=True)
class Retry:
    """Try the same route again after `seconds`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RecoverPrimary:
    """Rebuild the primary's client and connections, and try once more (M3)."""


@dataclass(frozen=True, slots=True)
class Rotate:
    """Try the next credential of the same pool."""


@dataclass(frozen=True, slots=True)
class Compact:
    """Leave older messages out, and try again."""


@dataclass(frozen=True, slots=True)
class NextRoute:
    """Go on along the chain."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Fail the turn now, with a reason that no other route would change."""

    error: PlainText


Step = Retry | RecoverPrimary | Rotate | Compact | NextRoute | GiveUp


def after_failure(
    failure: Failure,
    state: TurnState,
    settings: Settings,
    *,
    on_primary: bool,
    now: float,
    dice: Callable[[], float],
) -> Step:
    """Decide the step after `failure`. `dice` returns a number in [0, 1), for the jitter of waits."""
    step = _by_kind(failure, state, settings, on_primary=on_primary, now=now, dice=dice)
    if isinstance(step, Retry) and now + step.seconds >= state.deadline:
        return NextRoute()
    return step


def _by_kind(
    failure: Failure,
    state: TurnState,
    settings: Settings,
    *,
    on_primary: bool,
    now: float,
    dice: Callable[[], float],
) -> Step:
    kind = failure.kind
    if kind is FailureKind.BAD_REQUEST:
        return GiveUp(PlainText(f"The provider refused the request: {failure.message}"))
    if kind is FailureKind.REFUSED and settings.on_refusal is OnRefusal.STOP:
        return GiveUp(PlainText(f"The provider refused the content: {failure.message}"))
    if kind is FailureKind.CONTEXT_OVERFLOW and state.compression_attempts < MAX_COMPRESSION_ATTEMPTS:
        return Compact()
    if kind.benches:
        near = _near_reset(failure, settings, now) if on_primary and _attempts_left(state, settings) else None
        return Rotate() if near is None else Retry(near)
    if not kind.is_retryable:
        return NextRoute()
    if _attempts_left(state, settings):
        return Retry(backoff_seconds(state.retry_count, failure.retry_after, settings, dice))
    if on_primary and kind.is_transport and not state.primary_recovery_attempted:
        return RecoverPrimary()
    return NextRoute()


def _attempts_left(state: TurnState, settings: Settings) -> bool:
    return state.retry_count + 1 < settings.max_retries


def _near_reset(failure: Failure, settings: Settings, now: float) -> float | None:
    """Return the seconds to a limit's reset that is near enough to wait for on the primary (M5)."""
    if failure.reset is None or not failure.kind.is_limit:
        return None
    wait = max(failure.reset.at - now, 1.0)
    return wait if wait <= settings.min_switch_reset_seconds else None


def backoff_seconds(retry: int, retry_after: float | None, settings: Settings, dice: Callable[[], float]) -> float:
    """Return the wait before retry number `retry` (from 0): exponential with jitter, within base and cap (M2).

    A provider's `retry_after` (seconds) within that range is taken at its word.
    """
    base, cap = settings.backoff_base_seconds, settings.backoff_cap_seconds
    if retry_after is not None and base <= retry_after <= cap:
        return retry_after
    steady = base * 2.0 ** min(retry, 32)
    return min(cap, max(base, steady * (0.75 + 0.5 * dice())))
