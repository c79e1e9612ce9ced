"""What an agent asks its user, and waits for: nothing is ever answered by itself."""

from typing import Final

from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

NOTHING: Final = PlainText("")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that may be chosen: what is sent, and what a person reads."""

    id: str
    words: PlainText


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `key` tells it from every other of its session. `about` is what it is about: a command, say.

    One of `answers` may be chosen, the last one where the user does not care; with `takes_text` any other text will do.
    """

    key: str
    text: PlainText
    about: PlainText = NOTHING
    answers: tuple[Answer, ...] = ()
    takes_text: bool = False
