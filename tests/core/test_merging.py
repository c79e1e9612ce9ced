"""Two edits of one text are put together where they do not touch, and never otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.merging import merged

BASE = "one\ntwo\nthree\nfour\nfive\n"


def test_edits_far_apart_are_both_made() -> None:
    assert merged(BASE, BASE.replace("one", "1"), BASE.replace("five", "5\nsix")) == "1\ntwo\nthree\nfour\n5\nsix\n"


def test_the_same_edit_twice_is_made_once() -> None:
    both = BASE.replace("two", "2")
    assert merged(BASE, both, both.replace("five", "5")) == BASE.replace("two", "2").replace("five", "5")


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (BASE.replace("two", "2"), BASE.replace("two", "zwei")),
        (BASE.replace("two\n", ""), BASE.replace("two", "zwei")),
        (BASE + "mine\n", BASE + "theirs\n"),
        (BASE.replace("two", "2"), BASE.replace("three", "3")),
    ],
    ids=["the same line", "a line that one took out", "two lines at one place", "lines side by side"],
)
def test_edits_that_touch_are_left_to_the_user(mine: str, theirs: str) -> None:
    assert merged(BASE, mine, theirs) is None
    assert merged(BASE, theirs, mine) is None


LINES = st.lists(st.sampled_from("abcd"), max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(LINES, LINES)
def test_one_edit_alone_is_itself(base: str, edited: str) -> None:
    assert merged(base, edited, base) == edited
    assert merged(base, base, edited) == edited


@given(LINES, LINES, LINES)
def test_who_is_asked_first_makes_no_difference(base: str, mine: str, theirs: str) -> None:
    assert merged(base, mine, theirs) == merged(base, theirs, mine)
