"""Names of sessions: which may be given, and why not the others."""

import pytest

from hermes_tui.core.naming import NAME_LIMIT, free_name, name_fault


@pytest.mark.parametrize("name", ["docs", "nightly docs 2", "Überprüfung", "a/b:c", "x" * NAME_LIMIT, "日報"])
def test_a_name_that_can_be_read_may_be_given(name: str) -> None:
    assert name_fault(name) is None


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "a session needs a name: type one"),
        ("  ", "a session needs a name: type one"),
        ("x" * 83, "the name has 83 characters: take out 3"),
        ("a\u202eb", "the name holds a character that cannot be seen (U+202E): take it out"),
        ("a\x1b[2Jb", "the name holds a character that cannot be seen (U+001B): take it out"),
        ("a\nb", "the name holds a character that cannot be seen (U+000A): take it out"),
        ("a  b", "the name holds more space than one between its words: take it out"),
        ("-docs", "a command line takes a name that begins with - for an option: begin with a letter"),
    ],
)
def test_a_name_that_cannot_be_given_says_why_and_what_to_do(name: str, fault: str) -> None:
    assert name_fault(name) == fault


def test_a_free_name_follows_the_session_that_it_is_to_be_like() -> None:
    assert free_name(None, ()) == "session-1"
    assert free_name(None, ("session-1", "session-2")) == "session-3"
    assert free_name("docs", ("docs",)) == "docs-2"
    assert free_name("docs-2", ("docs", "docs-2")) == "docs-3"
    assert len(free_name("x" * NAME_LIMIT, ())) == NAME_LIMIT
