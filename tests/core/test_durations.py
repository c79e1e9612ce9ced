"""Durations as a person writes them."""

import pytest

from hermes_tui.core.durations import seconds, spelled


@pytest.mark.parametrize(
    ("text", "length"), [("30s", 30.0), ("15m", 900.0), ("1h30m", 5400.0), ("1 d", 86400.0), ("1.5h", 5400.0)]
)
def test_a_duration_is_read_as_it_is_written(text: str, length: float) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize("text", ["", "15", "soon", "0s", "15 m m", "-1h", "3651d", 15])
def test_what_is_no_duration_is_refused_with_an_example(text: object) -> None:
    with pytest.raises(ValueError, match=r"must be a duration .*d\""):
        seconds(text)


@pytest.mark.parametrize("length", [1.0, 1.5, 59.0, 900.0, 5400.0, 7200.0, 86400.0, 90061.0])
def test_a_duration_is_spelled_as_it_can_be_read_again(length: float) -> None:
    assert seconds(spelled(length)) == length
