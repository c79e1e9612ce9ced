"""Markdown as lines: readable, within its cells, nothing lost, and the same whether it comes at once or in pieces."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.core.text import plain
from hermes_tui.view.line import Line, Style, text_of
from hermes_tui.view.markdown import code_blocks, fresh_lines, segment_lines
from hermes_tui.view.segments import MOST_CHARACTERS, Growing, Kind, pieces_of, typed_pieces

MOST_SECONDS = 2.0
"""Ten times what the slowest takes: what doubles with each character takes hours."""

WORDS = ["one", "two words", "日本語の名前", "e\u0301clair", "👍 up", "[/]", "[@click=app.quit]x", "a_b_c", "x" * 50]
BITS = [
    *WORDS,
    *(
        "# ",
        "### ",
        "- ",
        "  - ",
        "* ",
        "1. ",
        "27) ",
        "> ",
        "- [x] ",
        "    ",
        "\t",
        "```",
        "```python\n",
        "~~~",
        "---",
    ),
    *("| a | b |", "|---|--:|", "| c |", "|", "**", "*", "_", "`", "<b>", "![p](u)", "[t](http://x.y)", "<http://a.b>"),
    *("\n", "\n", "\n", "\n\n", "\n\n\n", " ", "=", "#", "\\", "def f(x): return 'y'", '"""'),
]
MARKDOWN = st.lists(st.sampled_from(BITS), max_size=40).map("".join)


def laid(text: str, cells: int = 60) -> list[Line]:
    """Return a whole text in lines."""
    return [line for piece in pieces_of(plain(text)) for line in segment_lines(piece.segment, cells)]


def texts(text: str, cells: int = 60) -> list[str]:
    """Return a whole text in lines of plain text."""
    return [text_of(line) for line in laid(text, cells)]


def styled(text: str, words: str) -> Style:
    """Return the style of the part that is `words`."""
    return next(part.style for line in laid(text) for part in line if part.text.strip() == words)


def test_headings_emphasis_code_and_links_have_styles_of_their_own() -> None:
    source = "# Head\n\nSome **bold** and *soft* `code` [text](http://a.b/c?d) end"
    assert texts(source) == ["Head", "", "Some bold and soft code text (http://a.b/c?d) end"]
    assert styled(source, "Head") is Style.HEADING
    assert styled(source, "bold") is Style.STRONG
    assert styled(source, "soft") is Style.EMPHASIS
    assert styled(source, "code") is Style.CODE
    assert styled(source, "text") is Style.LINK
    assert styled(source, "(http://a.b/c?d)") is Style.MUTED


def test_lists_nest_keep_their_numbers_and_show_tasks() -> None:
    assert texts("- one\n  - inner\n    and more\n- [x] done\n- [ ] open\n\n7. seven\n8. eight") == [
        "- one",
        "  - inner",
        "    and more",
        "- [x] done",
        "- [ ] open",
        "",
        "7. seven",
        "8. eight",
    ]


def test_a_long_item_goes_on_below_its_own_text() -> None:
    assert texts("- alpha beta gamma delta", 14) == ["- alpha beta", "  gamma delta"]


def test_quotations_rules_and_raw_html_are_plain_to_see() -> None:
    assert texts("> quoted\n> more\n\n---\n\n<b>raw</b>", 10) == ["> quoted", "> more", "", "─" * 10, "", "<b>raw</b>"]


def test_a_table_is_aligned_by_cells_and_keeps_what_stands_beyond_its_columns() -> None:
    assert texts("| a | n |\n|---|--:|\n| 日本 | 7 |\n| x | 1234 | more |") == [
        "a        n",
        "────  ────  ────",
        "日本     7",
        "x     1234  more",
    ]


def test_a_wide_table_folds_its_cells_and_one_without_room_is_told_row_by_row() -> None:
    wide = "| name | what it does |\n|---|---|\n| probe | asks the usage endpoint without a prompt |"
    assert texts(wide, 30) == [
        "name   what it does",
        "─────  " + "─" * 23,
        "probe  asks the usage endpoint",
        "       without a prompt",
    ]
    assert texts(wide, 11)[1:] == [
        "name: probe",
        "what it",
        "does: asks",
        "the usage",
        "endpoint",
        "without a",
        "prompt",
    ]


def test_code_is_coloured_named_folded_behind_a_mark_and_copied_whole() -> None:
    source = "Do:\n```python\ndef long_name(argument): return 'a string'  # why\n```\nend"
    assert texts(source, 30) == [
        "Do:",
        "│ python",
        "│ def long_name(argument): ret",
        "│ » urn 'a string'  # why",
        "end",
    ]
    assert styled(source, "def") is Style.KEYWORD
    assert styled(source, "# why") is Style.COMMENT
    assert code_blocks(source, pieces_of(source)) == ("def long_name(argument): return 'a string'  # why",)


def test_code_in_a_list_is_code_too() -> None:
    source = "1. Run\n   ```sh\n   ls -l\n   ```\n2. Look"
    assert texts(source) == ["1. Run", "   │ sh", "   │ ls -l", "2. Look"]
    assert code_blocks(source, pieces_of(source)) == ("ls -l\n",)


def test_code_of_a_language_that_nobody_knows_and_data_in_one_long_line_are_shown_as_they_are() -> None:
    assert texts("```nonsense\nx = [1]\n```") == ["│ nonsense", "│ x = [1]"]
    data = "{" + "1," * 3000 + "}"
    assert "".join(line.removeprefix("│ ").removeprefix("» ") for line in texts(f"```json\n{data}\n```")[1:]) == data


def test_c133_entities_and_escaped_addresses_cannot_bring_control_codes_back() -> None:
    for source in (
        "&#27;[2J",
        "&#x9b;2J",
        "&#8238;abc",
        "<http://a/%1b%5d0;x>",
        "[a](http://b/%1b)",
        "`&#27;`",
        "| &#8238; |\n|-|",
    ):
        shown = "".join(texts(source))
        assert shown == plain(shown)
        assert "\n" not in shown


def test_what_was_typed_shows_as_typed() -> None:
    (piece,) = typed_pieces("# not a head\n**stars**")
    assert piece.segment.kind is Kind.TYPED
    assert [text_of(line) for line in segment_lines(piece.segment, 40)] == ["# not a head", "**stars**"]


@given(MARKDOWN, st.integers(20, 90))
def test_any_text_lays_out_within_its_cells_and_loses_no_letter(text: str, cells: int) -> None:
    shown = texts(text, cells)
    assert all(cell_len(line) <= cells for line in shown)
    letters = Counter(letter for letter in "".join(shown) if letter.isalnum())
    assert not Counter(letter for letter in plain(text) if letter.isalnum()) - letters


@given(st.text(st.characters(exclude_categories=("Cs", "Cn", "Co")), max_size=300), st.integers(10, 40))
def test_c132_whatever_is_sent_is_laid_out_within_its_cells(text: str, cells: int) -> None:
    assert all(cell_len(line) <= cells for line in texts(text, cells))


@given(MARKDOWN, st.lists(st.integers(1, 60), max_size=20))
def test_what_comes_in_pieces_ends_as_what_comes_at_once(text: str, sizes: list[int]) -> None:
    growing, at = Growing(), 0
    for size in sizes:
        at += size
        growing.grow(text[:at])
    growing.grow(text, finished=True)
    assert growing.pieces == pieces_of(text)


@given(MARKDOWN, st.integers(1, 40))
def test_what_is_settled_is_the_same_objects_ever_after(text: str, size: int) -> None:
    growing = Growing()
    before: tuple[object, ...] = ()
    for at in range(size, len(text), size):
        growing.grow(text[:at])
        settled = growing._settled
        assert all(one is other for one, other in zip(before, settled, strict=False))
        before = tuple(settled)


@pytest.mark.parametrize(
    "line", ["word " * 20 + "\n", "x" * 300, "- item\n  - inner\n", "| a | b |\n", "日本", "`" * 7 + "\n"]
)
def test_no_segment_is_longer_than_its_bound_whatever_comes(line: str) -> None:
    source = line * (40_000 // len(line))
    for head in ("", "```\n", "| a | b |\n|---|---|\n", "- list\n"):
        assert max(len(piece.segment.source) for piece in pieces_of(head + source)) <= 2 * MOST_CHARACTERS


@pytest.mark.parametrize(
    "bit", ["[", "![", "*a ", "`a``b", "> ", "- ", "<http://a", "&#1", "|", "~", "```" + " " * 3990 + "`\n"]
)
def test_no_segment_of_what_is_made_to_be_slow_takes_long(bit: str) -> None:
    for piece in pieces_of(plain(bit * (20_000 // len(bit)))):
        begun = time.process_time()
        lines = fresh_lines(piece.segment, 76)
        assert time.process_time() - begun < MOST_SECONDS
        assert all(cell_len(text_of(line)) <= 76 for line in lines)


def test_a_text_that_is_not_what_was_there_with_more_begins_anew() -> None:
    growing = Growing()
    growing.grow("one\n\ntwo\n\nthree")
    growing.grow("another\n\ntext")
    assert [piece.segment.source for piece in growing.pieces] == ["another", "text"]


def shapes(text: str) -> list[list[str]]:
    """Return what is shown after each letter of a reply that streams."""
    growing, found = Growing(), []
    for end in range(1, len(text) + 1):
        growing.grow(text[:end])
        found.append([text_of(line) for piece in growing.pieces for line in fresh_lines(piece.segment, 40)])
    return found


def test_an_open_fence_is_code_from_its_first_letter_on_and_its_name_comes_at_once() -> None:
    for lines in shapes("```python\nx = 1\n```\nend"):
        assert not any("`" in line for line in lines)
        assert lines[:1] in ([], ["│ python"])


def test_half_a_table_is_a_table_from_its_head_on() -> None:
    after_head = len("| a | b |\n")
    for lines in shapes("| a | b |\n|---|---|\n| 1 | 2 |\n")[after_head:]:
        assert lines[0] == "a  b"
        assert "|" not in "".join(lines)


def test_emphasis_and_code_are_what_they_will_be_before_they_are_closed() -> None:
    for lines in shapes("Some **bold words** and `code` end")[8:]:
        assert "`" not in lines[0]
        assert "**bold" not in lines[0]


def test_a_line_that_may_become_a_list_or_a_rule_is_not_shown_as_text_before() -> None:
    seen = [lines[-1] for lines in shapes("text\n\n- item\n\n---\n") if len(lines) > 1]
    assert set(seen) <= {"", *("- item"[:end] for end in range(3, 7)), "─" * 40}
