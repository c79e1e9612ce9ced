"""Escape codes in a paste press no keys (C133)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.tui.pasting import PasteGuard

BEGIN, END = "\x1b[200~", "\x1b[201~"


def test_c133_an_escape_code_in_a_paste_is_a_picture_and_keys_around_it_are_left_alone() -> None:
    sent = f"\x1b[A{BEGIN}x\x1b[2J\x1bq{END}\x1b[B\x1b"
    assert PasteGuard().guarded(sent) == f"\x1b[A{BEGIN}x␛[2J␛q{END}\x1b[B\x1b"


@given(st.lists(st.sampled_from([BEGIN, END, "\x1b", "\x1b[", "200~", "[201~", "a", "q"])), st.data())
def test_a_paste_that_comes_in_pieces_is_guarded_as_a_whole(parts: list[str], data: st.DataObject) -> None:
    sent = "".join(parts) + END  # an end lets go of what may be held back
    cuts = sorted(data.draw(st.sets(st.integers(0, len(sent)))))
    pieces = [sent[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    guard = PasteGuard()
    assert "".join(map(guard.guarded, pieces)) == PasteGuard().guarded(sent)


@pytest.mark.parametrize("key", ["\x1b", "\x1b[", "\x1bO"])
def test_a_key_outside_of_a_paste_is_never_held_back(key: str) -> None:
    guard = PasteGuard()
    assert guard.guarded(f"{BEGIN}a{END}{key}").endswith(key)
    assert guard.guarded(key) == key
