"""What makes a terminal call its user: its bell, a notification where it knows how, and a sign in its title.

All that is written here is made of constants and of text without control codes.
"""

from collections.abc import Mapping
from typing import Final

from hermes_tui.core.text import one_line

BELL: Final = "\a"
_NAME: Final = "hermes-tui"

TITLE: Final = _NAME
OFF_PRIMARY_TITLE: Final = f"{_NAME}: off primary"
"""The window's title while any session is off its primary: tmux shows it in its status line."""

ASKS_TITLE: Final = f"{_NAME}: asks you"
"""The window's title while any session waits for an answer, wherever the others are."""

KEEP_TITLE: Final = "\x1b[22;0t"
GIVE_TITLE_BACK: Final = "\x1b[23;0t"

_WITHOUT_OSC: Final = ("linux", "dumb")
"""Values of TERM whose terminals print such sequences as text."""


def notification(text: str, environ: Mapping[str, str]) -> str:
    """Return what makes the terminal of `environ` show `text` on the desktop; nothing in the text steers it.

    Most take OSC 9, which has no title; a number at its beginning would be a command, so our name stands there.
    rxvt and those built on VTE take OSC 777. tmux and screen hand it on to the terminal behind them, tmux where its
    `allow-passthrough` is on.
    """
    safe, term = one_line(text), environ.get("TERM", "")
    if term in _WITHOUT_OSC:
        return ""
    if environ.get("VTE_VERSION") or term.startswith("rxvt"):
        asked = f"\x1b]777;notify;{_NAME};{safe}"
    else:
        asked = f"\x1b]9;{_NAME}: {safe}"
    if environ.get("TMUX"):
        return f"\x1bPtmux;\x1b{asked}\a\x1b\\"
    if environ.get("STY"):
        return f"\x1bP{asked}\a\x1b\\"
    return f"{asked}\x1b\\"


def titled(title: str, environ: Mapping[str, str]) -> str:
    """Return what gives the terminal of `environ` one of the titles above."""
    return "" if environ.get("TERM", "") in _WITHOUT_OSC else f"\x1b]2;{title}\x1b\\"
