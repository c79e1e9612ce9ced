"""Compaction: a conversation that fits, without asking a model (M9)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.compaction import DEFAULT_WINDOW_TOKENS, budget, compact, conversation_tokens, tokens_of
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from tests.core.made import NOW


def _talk(*texts: str) -> tuple[Message, ...]:
    """Return a conversation of turns: the user first, then by turns."""
    roles = (Role.USER, Role.ASSISTANT)
    return tuple(Message("docs", n, roles[n % 2], PlainText(text), NOW) for n, text in enumerate(texts))


def test_m9_a_token_is_taken_as_three_bytes_rounded_up() -> None:
    assert [tokens_of(text) for text in ("", "a", "abc", "abcd", "é世")] == [0, 1, 1, 2, 2]


def test_m9_the_system_prompt_counts() -> None:
    assert conversation_tokens("abc", _talk("abcdef", "abc")) == 4
    assert conversation_tokens(None, ()) == 0


def test_m9_what_fits_stays_whole() -> None:
    talk = _talk("one", "two", "three")
    kept = compact(talk, budget_tokens=100)
    assert (kept.messages, kept.left_out) == (talk, 0)


def test_m9_the_first_and_the_newest_stay_and_a_line_counts_the_rest() -> None:
    talk = _talk("first", "x" * 300, "y" * 300, "z" * 300, "newest")
    kept = compact(talk, budget_tokens=10)
    assert [message.number for message in kept.messages] == [0, 4]
    assert kept.left_out == 3
    assert kept.messages[0].text == "first\n\n[3 earlier messages are left out here to fit the model's window.]"


def test_m9_the_newest_message_stays_whatever_its_size() -> None:
    kept = compact(_talk("first", "x", "y" * 3000), budget_tokens=5)
    assert [message.number for message in kept.messages] == [0, 2]


def test_m9_what_is_kept_never_begins_with_a_reply_to_a_missing_question() -> None:
    talk = _talk("first", "x" * 300, "y" * 300, "short", "newest")
    kept = compact(talk, budget_tokens=10)
    assert [message.role for message in kept.messages] == [Role.USER, Role.USER]


def test_m9_the_line_that_counts_what_is_left_out_fits_too() -> None:
    kept = compact(_talk("first", "x" * 30, "y" * 30, "z" * 30, "w" * 30, "newest"), budget_tokens=50)
    assert kept.left_out == 3
    assert conversation_tokens(None, kept.messages) <= 50


def test_m9_a_single_message_cannot_be_made_smaller() -> None:
    talk = _talk("x" * 900)
    assert compact(talk, budget_tokens=1).messages == talk
    assert compact((), budget_tokens=1).messages == ()


def test_m9_each_attempt_halves_the_window_or_the_conversation() -> None:
    assert [budget(1000, attempt, 5000) for attempt in (1, 2, 3)] == [500, 250, 125]
    assert [budget(1000, attempt, 800) for attempt in (1, 2, 3)] == [400, 200, 100]
    assert budget(None, 1, 10 * DEFAULT_WINDOW_TOKENS) == DEFAULT_WINDOW_TOKENS // 2


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=60), max_size=12), st.integers(0, 200))
def test_m9_a_compacted_conversation_fits_or_is_the_first_and_the_newest(texts: list[str], tokens: int) -> None:
    talk = _talk(*texts)
    kept = compact(talk, budget_tokens=tokens)
    own = (replace(kept.messages[0], text=talk[0].text), *kept.messages[1:]) if talk else ()
    assert conversation_tokens(None, kept.messages) <= tokens or len(own) <= 2
    assert kept.left_out + len(kept.messages) == len(talk)
    assert own == (*talk[:1], *talk[len(talk) - len(own) + 1 :])
