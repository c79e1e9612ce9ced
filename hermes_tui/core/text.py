"""Text from outside, made safe once, where it enters.

Models, providers, files and session names are hostile: control codes steer terminals, bidirectional marks reorder
what a person reads. Everything that is shown or stored passes `plain`; the type tells that it did.
"""

import re
from typing import Final, NewType

PlainText = NewType("PlainText", str)
"""Text without anything that could steer a terminal; only `plain` makes it."""

MESSAGE_LIMIT: Final = 500
"""Characters kept of a provider's message."""

HIDDEN: Final = "\ufffd"
"""Stands for what nobody would see."""

_KEPT = "\n\t"
_HIDDEN = re.compile(
    "[\u0080-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if chr(code) not in _KEPT} | {0x7F: 0x2421}
_NEEDS_WORK = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def plain(text: str, limit: int | None = None) -> PlainText:
    """Return `text` with control codes as visible pictures and invisible marks as U+FFFD.

    Newlines and tabs stay; `limit` clips to that many characters and ends with an ellipsis.
    """
    if limit is not None and len(text) > limit:
        text = text[: max(limit - 1, 0)] + "…"
    if text.isascii() and not _NEEDS_WORK.search(text):
        return PlainText(text)
    return PlainText(_HIDDEN.sub(HIDDEN, text.replace("\r\n", "\n")).translate(_PICTURES))


def one_line(text: str, limit: int = MESSAGE_LIMIT) -> PlainText:
    """Return `text` made plain, with runs of white space folded into single spaces."""
    return plain(" ".join(text.split()), limit)
