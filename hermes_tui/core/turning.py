"""What to do after a failed request: one pure function, and the state of the turn that it reads (M2 ... M9)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hermes_tui.core.configuration import OnRefusal, Settings
from hermes_tui.core.credential import Failed, TokenKey
from hermes_tui.core.failure import Failure, FailureKind
from hermes_tui.core.route import Route
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

MAX_COMPRESSION_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class TurnState:
    """What one turn has been through on its current route. `deadline` is in epoch seconds.

    `failed` are tokens that failed in this turn, `tried` the routes it has used, `cut_after` the text after which the
    current one cut its last reply off, `cut_again` whether it did so twice. `keys_read` tells that the turn has read
    its keys again.
    """

    deadline: float
    retry_count: int = 0
    compression_attempts: int = 0
    primary_recovery_attempted: bool = False
    failed: frozenset[Failed] = frozenset()
    tried: tuple[Route, ...] = ()
    cut_after: str = ""
    cut_again: bool = False
    keys_read: bool = False

    def on_new_route(self, route: Route) -> "TurnState":
        """Return the state after a switch: every counter of the old route is gone (M6)."""
        return replace(
            self,
            retry_count=0,
            compression_attempts=0,
            primary_recovery_attempted=False,
            tried=(*self.tried, route),
            cut_after="",
            cut_again=False,
        )

    def without(self, failed: frozenset[Failed]) -> "TurnState":
        """Return the state after a rotation away from `failed`: the next credential has its own attempts."""
        return replace(self, failed=self.failed | failed, retry_count=0)

    def failed_for(self, model: str) -> frozenset[TokenKey]:
        """Return the tokens that need not be tried for `model` in this turn (M18)."""
        return frozenset(token for token, of in self.failed if of in (None, model))


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
class Unseal:
    """Drop the sealed history that the provider does not accept, and try again; where none was sent, go on (M12)."""


@dataclass(frozen=True, slots=True)
class NextRoute:
    """Go on along the chain."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Fail the turn now, for a reason that no other route would change."""


Step = Retry | RecoverPrimary | Rotate | Compact | Unseal | NextRoute | GiveUp


def understood(failure: Failure, received: str, state: TurnState) -> tuple[Failure, TurnState]:
    """Return what a failure is in the light of the one before it, and the state that remembers it.

    A reply that is cut off twice after the same text was not lost on the way: a filter ends it, and would again (C25).
    """
    cut = received if failure.kind is FailureKind.INVALID_RESPONSE else ""
    again = bool(cut) and cut == state.cut_after
    if again:
        message = PlainText(f"twice cut off at the same place, as an output filter does ({failure.message})")
        failure = replace(failure, message=message)
    return failure, replace(state, cut_after=cut, cut_again=again)


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
        return GiveUp()
    if kind is FailureKind.REFUSED and settings.on_refusal is OnRefusal.STOP:
        return GiveUp()
    if kind is FailureKind.CONTEXT_OVERFLOW and state.compression_attempts < MAX_COMPRESSION_ATTEMPTS:
        return Compact()
    if kind is FailureKind.FOREIGN_HISTORY:
        return Unseal()
    if kind.benches:
        near = _near_reset(failure, settings, now) if on_primary and _attempts_left(state, settings) else None
        return Rotate() if near is None else Retry(near)
    if not kind.is_retryable or state.cut_again:
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
