"""Changes are shown at most ten times a second, and less often where showing them takes long."""

import pytest

from hermes_tui.tui.app import FLUSH_SHARE, TICK_SECONDS, pause_after


@pytest.mark.parametrize(
    ("took", "pause"),
    [(0.0, 0.1), (0.1 * FLUSH_SHARE, 0.1), (0.015, 0.015 / FLUSH_SHARE), (10.0, TICK_SECONDS)],
    ids=["at once", "just in time", "slow", "very slow"],
)
def test_a_flush_that_takes_long_is_followed_by_a_longer_pause(took: float, pause: float) -> None:
    assert pause_after(took, 10) == pytest.approx(pause)


@pytest.mark.parametrize(("updates", "pause"), [(1, 1.0), (2, 0.5), (10, 0.1)])
def test_a_slow_line_is_given_fewer_updates(updates: int, pause: float) -> None:
    assert pause_after(0.0, updates) == pytest.approx(pause)
