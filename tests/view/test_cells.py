"""Text measured in cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import wcwidth

from hermes_tui.core.text import plain
from hermes_tui.view.cells import clean, cut, cut_name, fit, shortened, width, wrap

HOSTILE = [
    "日本語の名前",
    "👩‍👩‍👧‍👦 family",
    "❤️ heart",
    "e\u0301\u0301\u0301clair",
    "🇩🇪 flag",
    "👍🏽 thumb",
    "[/]",
    "a\tb\nc",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("cells", range(12))
def test_c142_cut_text_fits_and_padded_text_fills_its_cells_exactly(text: str, cells: int) -> None:
    safe = plain(text)
    assert cell_len(cut(safe, cells)) <= cells
    assert cell_len(fit(safe, cells)) == cells


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"))))
def test_our_width_is_the_width_that_the_screen_counts_with(text: str) -> None:
    safe = clean(plain(text))
    assert width(safe) == cell_len(safe)


@given(st.text(alphabet="ab 日é\n", max_size=80), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_no_letter(text: str, cells: int) -> None:
    lines = wrap(text, cells)
    assert all(width(line) <= cells for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_wrap_narrower_than_a_wide_character_ends() -> None:
    assert wrap("日本", 1) == ["日", "本"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one two", "one two"),
        ("file one: line 14 names no such key; remove it", "file one:\nline 14\n…\nremove it"),
        ("a" * 60, f"{'a' * 10}\n{'a' * 10}\n…\n{'a' * 10}"),
    ],
)
def test_of_a_text_that_takes_too_many_lines_the_beginning_and_the_end_are_shown(text: str, shown: str) -> None:
    assert shortened(text, 10, 4) == shown


def test_the_provider_is_cut_before_the_model() -> None:
    assert cut_name("openai-codex/gpt-5", 14) == "openai-…/gpt-5"
    assert cut_name("zai/glm-5", 14) == "zai/glm-5"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("🇩🇪 flag", "DE flag"), ("❤️ heart", "❤ heart"), ("👍🏽 thumb", "👍 thumb"), ("日本", "日本"), ("plain", "plain")],
)
def test_c142_what_terminals_give_different_widths_is_not_drawn(text: str, shown: str) -> None:
    assert clean(text) == shown
    assert wrap(text, 40) == [shown]


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"))))
def test_c142_our_width_is_that_of_the_tables_that_terminals_are_made_from(text: str) -> None:
    assert width(clean(plain(text))) == sum(max(wcwidth(letter), 0) for letter in clean(plain(text)))
