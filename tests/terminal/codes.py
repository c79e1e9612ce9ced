"""What a program writes to a terminal, taken apart: its control sequences and the text between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hermes_tui.tui.alerting import GIVE_TITLE_BACK, KEEP_TITLE, OFF_PRIMARY_TITLE, TITLE

_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*)?\x18"  # cut off, and ended so
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-Z\\`-~]"
    r"|\x1b"
    r"|[\x00-\x1a\x1c-\x1f\x7f-\x9f]"
)

OURS = re.compile(
    r"\x1b\[[0-9;]*m"  # colours and styles
    r"|\x1b\[[0-9]+;[0-9]+H"  # the cursor's place
    r"|\x1b\[\?(?:25|7|1000|1003|1004|1006|1015|1016|1049|2004|2026|2048)[hl]"  # modes
    r"|\x1b\[\?(?:2026|2048)\$p"  # questions about modes
    r"|\x1b\[>[0-9]+u|\x1b\[<u"  # the keyboard protocol
    r"|\x1b\]22;[a-z-]*\x07"  # the pointer's shape
    rf"|\x1b\[2[23];0t|\x1b\]2;(?:{re.escape(TITLE)}|{re.escape(OFF_PRIMARY_TITLE)})\x1b\\"  # the window's title
    r"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07"  # a copy
    r"|(?:\x1b(?:\[[0-?]*)?)?\x18"  # the end of a picture that a frozen terminal did not take
    r"|[\r\n]"
)
"""Every sequence that the dashboard itself has a use for."""

_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
"""Characters that turn, hide or join what stands beside them."""

_ON_AT_FIRST = {"25", "7"}


def pieces(written: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the text and the control sequences of what was written, each with whether it is a sequence."""
    text, at = written.decode(errors="replace"), 0
    for found in _SEQUENCE.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], False
        yield found.group(), True
        at = found.end()
    if at < len(text):
        yield text[at:], False


def strangers(written: bytes) -> list[str]:
    """Return the sequences that are none of ours, and the text that holds characters nobody sees."""
    return [
        piece
        for piece, is_sequence in pieces(written)
        if (is_sequence and not OURS.fullmatch(piece)) or (not is_sequence and _UNSEEN.search(piece))
    ]


@dataclass
class Left:
    """How a program left its terminal: the modes that differ from the first ones, and what else stayed on."""

    modes: set[str] = field(default_factory=set)
    keyboard: int = 0
    titles: int = 0
    style: str = "\x1b[0m"

    @property
    def is_clean(self) -> bool:
        """Whether the shell finds everything as it was."""
        return not self.modes and self.keyboard == 0 and self.style in ("\x1b[0m", "\x1b[m")


def left(written: bytes) -> Left:
    """Return what the terminal is left with after everything that was written."""
    state = Left()
    for piece, is_sequence in pieces(written):
        if not is_sequence:
            continue
        if mode := re.fullmatch(r"\x1b\[\?([0-9]+)([hl])", piece):
            number, is_on = mode[1], mode[2] == "h"
            (state.modes.discard if is_on == (number in _ON_AT_FIRST) else state.modes.add)(number)
        elif re.fullmatch(r"\x1b\[>[0-9]+u", piece):
            state.keyboard += 1
        elif piece == "\x1b[<u":
            state.keyboard -= 1
        elif piece in (KEEP_TITLE, GIVE_TITLE_BACK):
            state.titles += 1 if piece == KEEP_TITLE else -1
        elif re.fullmatch(r"\x1b\[[0-9;]*m", piece):
            state.style = piece
    return state
