"""Text from outside: nothing of it can steer a terminal or hide."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.text import MESSAGE_LIMIT, one_line, plain

BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
ANYTHING = st.text(st.characters(codec=None) | st.sampled_from("\x1b\r\n\t\u202e\u200b\ufeff\x9b\x7f"))


@given(ANYTHING)
def test_plain_text_holds_no_control_and_no_bidirectional_character(text: str) -> None:
    for character in plain(text):
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
        assert unicodedata.bidirectional(character) not in BIDI
        assert character not in "\u200b\u200e\u200f\u061c\ufeff\u2028\u2029"


@given(ANYTHING)
def test_plain_text_is_left_alone(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(ANYTHING, st.integers(1, 20))
def test_a_limit_is_kept(text: str, limit: int) -> None:
    assert len(plain(text, limit)) <= limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with\nlines\tand tabs", "plain, with\nlines\tand tabs"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b\x7f", "a␀b␡"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("abc\u202edef", "abc\ufffddef"),
        ("\x9b31m", "\ufffd31m"),
        ("zero\u200bwidth", "zero\ufffdwidth"),
        ("tag\U000e0041", "tag\ufffd"),
        ("half\ud800", "half\ufffd"),
        ("Grüße, 世界 👍", "Grüße, 世界 👍"),
    ],
)
def test_control_codes_become_pictures_and_hidden_marks_a_replacement(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_what_is_clipped_ends_with_an_ellipsis() -> None:
    assert plain("abcdef", 4) == "abc…"
    assert plain("abcd", 4) == "abcd"


def test_one_line_folds_every_white_space() -> None:
    assert one_line("  a\n\n b\tc\u2028d ") == "a b c d"
    assert len(one_line("x" * 9999)) == MESSAGE_LIMIT
