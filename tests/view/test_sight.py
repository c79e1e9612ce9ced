"""What is in sight of a conversation: it stays while text arrives, and nothing else is laid out."""

from dataclasses import replace

from hermes_tui.core.snapshot import Live
from hermes_tui.core.text import plain
from hermes_tui.view.line import Style
from hermes_tui.view.markdown import _settled
from tests.view.talking import NAME, prompt, read, reply, seen, shown, speaking, turns

LONG = "\n\n".join(f"Paragraph {n} of a long answer." for n in range(200))


def test_a_long_conversation_lays_out_only_what_is_in_sight() -> None:
    _settled.cache_clear()
    seen(read(), speaking(turns(300)))
    assert 0 < _settled.cache_info().misses < 40


def test_every_message_can_be_reached() -> None:
    reading, moment = read(), speaking(turns(300))
    assert "Question 299?" in "".join(seen(reading, moment))
    reading.go_first()
    assert "Question 0?" in seen(reading, moment)[1]
    reading.follow()
    seen(reading, moment)
    for _ in range(599):
        reading.step(-1)
    assert "Question 0?" in seen(reading, moment)[1]
    for _ in range(600):
        reading.step(1)
    assert reading.place is None


def test_c138_what_is_in_sight_does_not_move_while_text_arrives_or_messages_are_added() -> None:
    messages = (*turns(20), prompt(40, "And now?", 5.0))
    streaming = [speaking(messages, live=Live(plain(LONG[:end]), 1.0)) for end in range(100, 4000, 130)]
    reading = read()
    seen(reading, streaming[0])
    reading.move(-12)
    before = seen(reading, streaming[0])
    for moment in streaming[1:]:
        assert seen(reading, moment) == before
    done = speaking((*messages, reply(41, LONG, 9.0), prompt(42, "Next?", 10.0)))
    assert seen(reading, done) == before


def test_c138_what_is_in_sight_stays_when_old_messages_fall_away() -> None:
    reading, messages = read(), turns(30)
    seen(reading, speaking(messages))
    reading.move(-20)
    before = seen(reading, speaking(messages))
    assert seen(reading, speaking(messages[10:])) == before


def test_who_follows_sees_the_newest_line_at_every_moment() -> None:
    reading = read()
    for end in range(50, 3000, 300):
        lines = seen(reading, speaking(turns(3), live=Live(plain(LONG[:end]), 1.0)))
        assert lines[-1].endswith("▌")


def test_a_sign_says_how_much_is_new_below_and_going_there_clears_it() -> None:
    reading = read()
    messages = (*turns(9), prompt(18, "And?", 5.0))
    moment = speaking(messages, live=Live(plain(LONG[:400]), 1.0))
    seen(reading, moment)
    reading.move(-5)
    assert shown(reading, moment).subtitle == "G follows · message 20 of 20"
    later = speaking(messages, live=Live(plain(LONG[:790]), 1.0))
    assert shown(reading, later).subtitle.startswith("24 new lines · G follows · message 20")
    more = speaking((*messages, reply(19, LONG, 9.0), prompt(20, "x", 10.0)))
    assert shown(reading, more).subtitle.startswith("1 new message · G follows")
    reading.follow()
    assert "G follows" not in shown(reading, more).subtitle


def test_scrolling_to_the_end_follows_again() -> None:
    reading, moment = read(), speaking(turns(20))
    seen(reading, moment)
    reading.move(-9)
    assert reading.place is not None
    reading.move(9)
    assert reading.place is None


def test_scrolling_a_line_back_and_forth_passes_every_line_once() -> None:
    reading, moment = read(), speaking(turns(12))
    reading.go_first()
    top = [seen(reading, moment)[0]]
    while reading.place is not None:
        reading.move(1)
        top.append(seen(reading, moment)[0])
    back = [seen(reading, moment)[0]]
    while len(back) < len(top):
        reading.move(-1)
        back.append(seen(reading, moment)[0])
    assert back == top[::-1]


def test_another_width_keeps_the_place() -> None:
    reading = read()
    moment = speaking(
        (prompt(0, "?", 1.0), reply(1, LONG.replace("answer", "answer that is much longer than it was"), 2.0))
    )
    seen(reading, moment)
    reading.move(-200)
    first = next(line for line in seen(reading, moment) if "Paragraph" in line).split()[1]
    for cells in (30, 120, 41, 76):
        assert f"Paragraph {first} " in "\n".join(seen(reading, moment, cells)[:4])


def test_a_reply_that_becomes_shorter_is_shown_to_its_end() -> None:
    reading = read()
    messages = (prompt(0, "?", 1.0),)
    seen(reading, speaking(messages, live=Live(plain(LONG), 1.0)))
    reading.move(-3)
    assert seen(reading, speaking(messages, live=Live(plain("Again"), 3.0)))[-1] == "  Again▌"


def test_the_message_that_keys_are_about_is_marked_once_the_reader_has_moved() -> None:
    reading, moment = read(), speaking(turns(9))
    assert not any(line.startswith("›") for line in seen(reading, moment))
    reading.step(-1)
    marked = [line for line in seen(reading, moment) if line.startswith("›")]
    assert len(marked) == 1
    assert marked[0].startswith("› you")


def test_from_inside_a_long_reply_back_is_to_its_own_beginning_first() -> None:
    reading, moment = read(), speaking((prompt(0, "?", 1.0), reply(1, LONG, 2.0)))
    seen(reading, moment)
    reading.step(-1)
    assert seen(reading, moment)[0].startswith("› zai/glm-5")
    reading.step(-1)
    assert seen(reading, moment)[0].startswith("› you")


def search(
    text: str, moment_text: str = "The **cat** sat.\n\nA cat, and another Cat."
) -> tuple[list[str], list[str], str]:
    """Return what is highlighted, what of it is where the reader stands, and the subtitle."""
    reading, moment = read(), speaking(turns(3, moment_text))
    seen(reading, moment)
    reading.seek(text)
    body = shown(reading, moment, room=40)
    parts = [part for row in body.rows for part in row.line]
    there = [part.text for part in parts if part.style is Style.MATCH]
    here = [part.text for part in parts if part.style is Style.MATCH_HERE]
    return there, here, body.subtitle


def test_search_folds_case_passes_over_signs_and_counts_every_place() -> None:
    there, here, told = search("CAT")
    assert told == "9 of 9 · . , next and previous · esc ends"
    assert there == ["cat", "cat", "Cat"] * 2 + ["cat", "cat"]
    assert here == ["Cat"]
    assert search("the cat sat")[2].startswith("3 of 3")
    assert search("cow")[2].startswith("no match")


def test_a_match_that_goes_on_in_the_next_line_is_highlighted_in_both() -> None:
    there, here, _ = search("end begin", "word " * 14 + "**end** begin")
    assert here == ["end", "begin"]
    assert len(there) == 4


def test_next_and_previous_walk_through_all_matches_and_around() -> None:
    reading, moment = read(), speaking(turns(50))
    seen(reading, moment)
    reading.seek("question 7?")
    assert "Question 7?" in "".join(seen(reading, moment))
    reading.seek("question")
    orders = []
    for _ in range(50):
        orders.append(reading.order(reading.matches()))
        reading.next_match(1)
    assert sorted(orders) == list(range(50))
    reading.next_match(-1)
    assert reading.order(reading.matches()) == orders[-1]


def test_search_goes_on_while_the_reply_streams() -> None:
    reading = read()
    messages = (*turns(2), prompt(4, "?", 5.0))
    seen(reading, speaking(messages))
    reading.seek("paragraph 31 of")
    assert shown(reading, speaking(messages)).subtitle.startswith("no match")
    assert shown(reading, speaking(messages, live=Live(plain(LONG), 1.0))).subtitle.startswith("1 of 1")
    reading.next_match(1)
    assert "Paragraph 31 of" in "".join(seen(reading, speaking(messages, live=Live(plain(LONG), 1.0))))


def test_nothing_said_yet_says_the_next_step() -> None:
    moment = speaking(())
    idle = replace(moment.snapshot.sessions[0])
    assert idle.name == NAME
    assert seen(read(), moment) == ["Nothing has been said yet. Press i to write a prompt."]
