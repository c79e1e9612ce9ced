"""Changes are shown at most ten times a second, and less often where showing them takes long."""

import pytest

from hermes_tui.tui.app import FLUSH_SECONDS, FLUSH_SHARE, TICK_SECONDS, pause_after


@pytest.mark.parametrize(
    ("took", "pause"),
    [
        (0.0, FLUSH_SECONDS),
        (FLUSH_SECONDS * FLUSH_SHARE, FLUSH_SECONDS),
        (0.02, 0.02 / FLUSH_SHARE),
        (10.0, TICK_SECONDS),
    ],
    ids=["at once", "just in time", "slow", "very slow"],
)
def test_a_flush_that_takes_long_is_followed_by_a_longer_pause(took: float, pause: float) -> None:
    assert pause_after(took) == pytest.approx(pause)
