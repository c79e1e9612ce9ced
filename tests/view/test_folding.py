"""Lines on a terminal that is narrower than they are."""

import pytest

from hermes_tui.view.cells import width
from hermes_tui.view.folding import folded

URL = "generativelanguage.googleapis.com/generate_content_free_tier_requests,"


@pytest.mark.parametrize(
    ("line", "cells", "pieces"),
    [
        ("short", 40, ["short"]),
        ("a  b  the last column is long enough to be folded here", 40, None),
        (
            "  name  429  what it is, in more words than fit",
            40,
            ["  name  429  what it is, in more words", " " * 13 + "than fit"],
        ),
        ("    ! main: cooling until 12:00:00: 429 out of credit", 40, None),
        ("  entry 1 openai/gpt: skipped 12:00: cooling", 30, ["  entry 1 openai/gpt: skipped", "    12:00: cooling"]),
        ("a sentence that is longer than the line", 30, ["a sentence that is longer than", "    the line"]),
        ("-----  -----------------------------", 24, ["-----  -----------------"]),
        ("漢字漢字漢字 漢字漢字漢字漢字 漢字", 24, ["漢字漢字漢字", "    漢字漢字漢字漢字", "    漢字"]),
    ],
)
def test_a_line_is_folded_between_words_below_where_its_text_began(
    line: str, cells: int, pieces: list[str] | None
) -> None:
    told = folded(f"{line}\n", cells).splitlines()
    if pieces is not None:
        assert told == pieces
    assert max(map(width, told)) <= cells
    assert "".join(told).replace(" ", "") == line.replace(" ", "")[: len("".join(told).replace(" ", ""))]


def test_a_word_that_fits_on_a_line_of_its_own_is_never_broken() -> None:
    told = folded(f"gemini/main: 429 usage limit: Quota exceeded for metric: {URL} limit: 250\n", 80).splitlines()
    assert f"    {URL}" in told


def test_no_word_is_lost_where_the_terminal_has_no_width_at_all() -> None:
    line = "    - one two three four five six seven"
    assert folded(f"{line}\n", 1).split() == line.split()


def test_a_column_too_narrow_for_words_goes_on_below_its_row() -> None:
    told = folded(f"{'x' * 30}  the reason why it does not serve\n", 40).splitlines()
    assert told[1].startswith("    ")
    assert told[1].strip()[0] != "x"
    assert len(told) == 2
