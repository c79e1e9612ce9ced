"""Holds and waits that no provider gave: they grow from a small base, end, and start anew (M2, M22, C40, C43)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.configuration import Settings
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.leaving import leave_primary
from hermes_tui.core.outcome import request_served
from hermes_tui.core.pool import UsableNow
from hermes_tui.core.session import Session
from hermes_tui.core.turning import backoff_seconds
from tests.core.made import NOW, after, answer, facts, failure, sent, session


def _left(row: Session) -> tuple[Session, float]:
    """Return the session after a limit without a date, and its hold in seconds."""
    away = leave_primary(row, failure(FailureKind.USAGE_LIMIT), "one", UsableNow(), NOW)
    assert away.cooldown is not None
    return away, away.cooldown.until - NOW


def test_c40_the_hold_doubles_with_each_limit_and_starts_anew_after_a_served_request() -> None:
    row, holds = session(), []
    for _ in range(3):
        row, hold = _left(row)
        holds.append(hold)
    known = facts(row)
    home = after(known, request_served(known, sent(), answer(), now=NOW)).sessions["docs"]
    assert home.cooldown is None
    holds.append(_left(home)[1])
    assert holds == [60.0, 120.0, 240.0, 60.0]


@given(st.floats(0, 1, exclude_max=True), st.floats(0.1, 60), st.floats(1, 100))
def test_c43_fifty_waits_grow_from_the_base_to_the_cap_and_no_further(number: float, base: float, times: float) -> None:
    settings = Settings(backoff_base_seconds=base, backoff_cap_seconds=base * times)
    waits = [backoff_seconds(retry, None, settings, lambda: number) for retry in range(51)]
    assert all(settings.backoff_base_seconds <= wait <= settings.backoff_cap_seconds for wait in waits)
    assert all(first <= second for first, second in pairwise(waits))
