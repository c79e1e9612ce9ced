"""What a session asks its user: in a notice, below its conversation, and as a page to answer on."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from hermes_tui.core.keymap import Keymap
from hermes_tui.core.question import Question
from hermes_tui.core.text import one_line
from hermes_tui.view.line import EMPTY, Body, Line, Part, Row, Style, filled, wrapped
from hermes_tui.view.moment import Moment

OWN_WORDS: Final = "\0own words"
"""Stands for the answer that opens a line for one of the user's own."""


class Offered(NamedTuple):
    """The key of a line of an answer; a long one has several."""

    id: str
    line: int = 0


_NOTICE_LIMIT: Final = 160
_FOOT_LINES: Final = 4
_INDENT: Final = 2
"""Blanks before the second and later lines of an answer."""


def asking_notices(moment: Moment) -> Iterator[str]:
    """Yield a sentence for each session of the moment that waits for an answer, with the key that gives one."""
    for standing in moment.standings:
        question = standing.state.question
        if question is not None:
            asked = one_line(f"{question.text} {question.about}", _NOTICE_LIMIT)
            yield f"{standing.state.name} asks: {asked}  Press {moment.keymap.word('prompt')} on it to answer."


def asking_lines(question: Question | None, cells: int, keymap: Keymap) -> tuple[Line, ...]:
    """Return what stands below the conversation of a session that asks; all of it is on the page."""
    if question is None:
        return ()
    key = (Part(f"{keymap.word('prompt')} ", Style.KEY, "prompt"), Part("Answer", Style.STRONG, "prompt"))
    told = [*wrapped(question.text, cells, Style.ALERT), *wrapped(question.about, cells)]
    return (key, *told[:_FOOT_LINES])


def answers_body(session: str, question: Question, cells: int) -> Body:
    """Return the page: the question, all of what it is about, and the answers, the careful one last.

    Every line has a key, so that a long command can be read to its end; only an answer's is an `Offered`.
    """
    about = [line for text in question.about.splitlines() for line in wrapped(text, cells)]
    texts = [*wrapped(question.text, cells, Style.STRONG), EMPTY, *about, *((EMPTY,) if about else ())]
    rows = [Row(line, at) for at, line in enumerate(texts)]
    own = ((OWN_WORDS, "Another answer, in your own words"),) if question.takes_text else ()
    answers = [(answer.id, str(answer.words)) for answer in question.answers]
    for id_, words in (*answers[:-1], *own, *answers[-1:]):
        lines = wrapped(words, cells - 1, indent=_INDENT)
        rows += (Row(filled((Part(" "), *line), cells), Offered(id_, at)) for at, line in enumerate(lines))
    return Body(tuple(rows), f"{session} asks")


def answers_keys(*, reads_on: bool) -> str:
    """Return what the keys do on the page; enter `reads_on` where not all has been seen yet."""
    return f"enter {'reads on' if reads_on else 'answers'} · esc leaves it open"


def careful(question: Question) -> str:
    """Return the answer that may be given unread, and that a page which shows all of itself begins on."""
    return question.answers[-1].id if question.answers else OWN_WORDS
