"""A conversation in a real terminal, over the simulator: what was said, how turns went, and words that are found."""

from tests.terminal.conftest import Open


def test_a_conversation_is_read_unfolded_searched_and_opened_as_a_page(terminal: Open) -> None:
    screen = terminal(80, 24, "demo", "--speed", "90")
    screen.shows("nightly-docs", "review")
    screen.press("1jk5z")
    screen.shows("› nightly-docs", "you · ", "› backup/small: 429 usage limit", "o shows all")
    screen.press("go")
    screen.shows("Every request · o folds", "asks openai-codex/gpt-5.5 with work, attempt 1")
    screen.press("o/summarise\r")
    screen.shows("1 of ", "next and previous", "Summarise what changed")
    screen.press("\x1b")
    screen.until(lambda text: "next and previous" not in text, "the search has ended")
    screen.press("\r")
    screen.shows("Message 1 of ", "Turn 1, since", "esc closes")
    screen.press("\x1b")
    screen.until(lambda text: "esc closes" not in text, "the page is closed")
    screen.press("G")
    screen.until(lambda text: "G follows" not in text, "the newest line is followed")
    assert screen.leave() == 0
    assert b"\x1b]8;" not in screen.written
