"""What was said in a session: the end of it, in order, safe to show."""

import json
from pathlib import Path

import pytest

from hermes_tui.core.errors import StateError, StateLockedError
from hermes_tui.core.session import Role
from hermes_tui.hermes.database import Database
from hermes_tui.hermes.messages import TEXT_LIMIT, Spoken, Transcript, Transcripts, shown, transcript, words_of
from tests.hermes.state.homes import Writer, by_hermes, change, said, session


def read(home: Path, session_id: str = "s1", most: int = 200) -> Transcript:
    return transcript(Database(home / "state.db"), session_id, most)


def test_the_newest_messages_stand_in_the_order_in_which_they_were_said(any_home: Path) -> None:
    change(any_home, session("s1", 1.0), session("s2", 1.0), said("s2", "user", "elsewhere", 1.0))
    change(any_home, *(said("s1", "user", f"message {number}", 10.0 + number) for number in range(5)))

    found = read(any_home, most=2)

    assert [(one.role, one.text, one.at) for one in found.messages] == [
        ("user", "message 3", 13.0),
        ("user", "message 4", 14.0),
    ]
    assert found.earlier == 3


def test_messages_of_one_moment_keep_their_order(any_home: Path) -> None:
    change(any_home, session("s1", 1.0), *(said("s1", "user", f"{number}", 10.0) for number in range(3)))

    assert [one.text for one in read(any_home).messages] == ["0", "1", "2"]


def test_what_was_taken_back_is_not_shown_and_what_was_compacted_is(any_home: Path) -> None:
    change(
        any_home,
        session("s1", 1.0),
        said("s1", "user", "compacted", 1.0, active=0, compacted=1),
        said("s1", "user", "taken back", 2.0, active=0),
        said("s1", "user", "here", 3.0),
    )

    found = read(any_home)

    assert [one.text for one in found.messages] == ["compacted", "here"]
    assert found.earlier == 1


def test_a_call_of_tools_names_them_and_an_answer_names_its_own(any_home: Path) -> None:
    calls = json.dumps([{"function": {"name": "read_file"}}, {"function": {"name": "search"}}, "odd", {"function": 4}])
    change(
        any_home,
        session("s1", 1.0),
        said("s1", "assistant", None, 1.0, tool_calls=calls),
        said("s1", "tool", "found it", 2.0, tool_name="search"),
    )

    called, answer = read(any_home).messages

    assert (called.text, called.tools) == ("", ("read_file", "search"))
    assert (answer.text, answer.tools) == ("found it", ("search",))


@pytest.mark.parametrize(("display", "text"), [('{"interrupted": true}', "It is\n(stopped here)"), ("[half", "It is")])
def test_a_reply_that_was_stopped_says_so_below_what_had_been_said(home: Path, display: str, text: str) -> None:
    change(home, session("s1", 1.0), said("s1", "assistant", "It is", 1.0, display_metadata=display))

    (message,) = shown(read(home), "one")

    assert message.text == text
    assert words_of(message) == "It is"


def test_a_message_in_parts_shows_its_text_and_a_word_for_the_rest(any_home: Path) -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url"}, "and", 5, {"text": "this"}]
    change(any_home, session("s1", 1.0), said("s1", "user", "\x00json:" + json.dumps(parts), 1.0))

    assert [one.text for one in read(any_home).messages] == ["Look:\n(image_url)\nand\n\nthis"]


@pytest.mark.parametrize("content", ["\x00json:{half", "\x00json:" + "[" * 100_000, "\x00json:7"])
def test_parts_that_cannot_be_read_are_shown_as_they_are(home: Path, content: str) -> None:
    change(home, session("s1", 1.0), said("s1", "user", content, 1.0))

    (message,) = read(home).messages

    assert "\x00" not in message.text
    assert message.text


def test_hostile_text_is_plain_bounded_and_without_keys(home: Path) -> None:
    key = "sk-" + "a1b2c3d4" * 4
    change(
        home,
        session("s1", 1.0),
        said("s1", "user", f"use {key}\nnow \x1b]0;x\x07 " + "word " * 10_000, 1.0),
        said("s1", "to\x1bol", b"\xff\xfe", 2.0, tool_calls="{half"),
        said("s1", "user", "x" * 9_000 + key, 3.0),
    )
    change(home, "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', 'odd', 'noon')")

    *_, odd = found = read(home).messages

    assert found[0].text.startswith("use <redacted>\nnow ␛]0;x␇ word")
    assert all(len(message.text) <= TEXT_LIMIT + 20 and key not in message.text for message in found)
    assert (found[1].role, found[1].text, found[1].tools) == ("to␛ol", "", ())
    assert odd == Spoken(4, "user", odd.text, None)
    assert odd.text == "odd"


def test_a_panel_shows_what_was_said_and_which_tools_were_called(home: Path) -> None:
    calls = json.dumps([{"function": {"name": "search"}}])
    change(
        home,
        session("s1", 1.0),
        said("s1", "user", "Find it", 1.0),
        said("s1", "assistant", "Let me see.", 2.0, tool_calls=calls),
        said("s1", "assistant", None, 3.0, tool_calls=calls),
        said("s1", "tool", "all of it", 4.0, tool_name="search"),
        said("s1", "assistant", "", 5.0),
        said("s1", "assistant", "Here.", 6.0),
        said("s1", "user", "without a time", "noon"),
    )

    messages = shown(read(home), "s1")

    assert [(one.role, one.text, one.at) for one in messages] == [
        (Role.USER, "Find it", 1.0),
        (Role.ASSISTANT, "Let me see.\n(calls search)", 2.0),
        (Role.ASSISTANT, "(calls search)", 3.0),
        (Role.ASSISTANT, "Here.", 6.0),
    ]
    assert {one.session for one in messages} == {"s1"}
    assert [one.number for one in messages] == sorted(one.number for one in messages)


def test_a_session_that_is_not_there_has_no_messages(any_home: Path) -> None:
    assert read(any_home, "nobody") == Transcript()


def test_a_locked_database_is_told_apart_from_one_that_cannot_be_read(home: Path, tmp_path: Path) -> None:
    change(home, session("s1", 1.0))
    with Writer(home, "keep it to itself"), pytest.raises(StateLockedError, match="locked"):
        read(home)

    with pytest.raises(StateError, match="is not there"):
        read(tmp_path / "elsewhere")

    change(home, "DROP TABLE messages")
    with pytest.raises(StateError, match="no messages"):
        read(home)


BY_HERMES = """
import sys
from pathlib import Path
from hermes_state import SessionDB
database = SessionDB(Path(sys.argv[1]) / "state.db")
database.create_session("s1", "cli")
parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {}}]
database.append_message("s1", "user", parts)
database.append_message("s1", "assistant", tool_calls=[{"id": "c", "type": "function",
                                                        "function": {"name": "look", "arguments": "{}"}}])
database.append_message("s1", "tool", "a cat", tool_name="look", tool_call_id="c")
database.append_message("s1", "assistant", "A cat.")
database.close()
"""


@pytest.mark.parametrize("version", ["19", "22"])
def test_what_the_real_hermes_wrote_is_read(tmp_path: Path, version: str) -> None:
    by_hermes(version, tmp_path, BY_HERMES)

    assert [(one.role, one.text, one.tools) for one in read(tmp_path).messages] == [
        ("user", "What is this?\n(image_url)", ()),
        ("assistant", "", ("look",)),
        ("tool", "a cat", ("look",)),
        ("assistant", "A cat.", ()),
    ]


def test_a_session_that_is_read_again_has_its_old_messages_and_the_new_ones(home: Path) -> None:
    change(home, session("s1", 1.0), said("s1", "user", "one", 2.0), said("s1", "user", "two", 3.0))
    transcripts = Transcripts(Database(home / "state.db"))
    before = transcripts.read("s1").messages

    change(home, "UPDATE messages SET content = 'other' WHERE content = 'one'", said("s1", "assistant", "three", 4.0))
    after = transcripts.read("s1").messages

    assert [message.text for message in after] == ["other", "two", "three"]
    assert after[1] is before[1]
