"""Names of sessions: which ones a person may give, and which one is free."""

from collections.abc import Container
from itertools import count
from typing import Final

from hermes_tui.core.text import PlainText, one_line, plain

NAME_LIMIT: Final = 80
"""Characters of a session's or credential's name."""


def name_fault(name: str) -> PlainText | None:
    """Return why a session cannot have the name, and what to do; None where it can."""
    if not name.strip():
        return PlainText("a session needs a name: type one")
    if len(name) > NAME_LIMIT:
        return PlainText(f"the name has {len(name)} characters: take out {len(name) - NAME_LIMIT}")
    hidden = next((letter for letter in name if letter in "\n\t" or plain(letter) != letter), None)
    if hidden is not None:
        return PlainText(f"the name holds a character that cannot be seen (U+{ord(hidden):04X}): take it out")
    if one_line(name) != name:
        return PlainText("the name holds more space than one between its words: take it out")
    if name.startswith("-"):
        return PlainText("a command line takes a name that begins with - for an option: begin with a letter")
    return None


def free_name(like: str | None, taken: Container[str]) -> str:
    """Return a name that is not `taken`: after the session that it is to be like, where there is one."""
    stem, _, number = (like or "session").rpartition("-")
    stem = stem if stem and number.isdecimal() else like or "session"
    first = 2 if like else 1
    names = (f"{stem[: NAME_LIMIT - len(end)]}{end}" for at in count(first) for end in (f"-{at}",))
    return next(name for name in names if name not in taken)
