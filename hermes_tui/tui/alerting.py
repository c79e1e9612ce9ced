"""What makes a terminal call its user: its bell, and a notification on the desktop where it knows how."""

from collections.abc import Mapping
from typing import Final

from hermes_tui.core.text import one_line

BELL: Final = "\a"
_TITLE: Final = "hermes-tui"


def notification(text: str, environ: Mapping[str, str]) -> str:
    """Return what makes the terminal of `environ` show `text` on the desktop; nothing in the text steers it.

    Most take OSC 9, which has no title; a number at its beginning would be a command, so our name stands there.
    rxvt and those built on VTE take OSC 777.
    """
    safe = one_line(text)
    if environ.get("VTE_VERSION") or environ.get("TERM", "").startswith("rxvt"):
        return f"\x1b]777;notify;{_TITLE};{safe}\x1b\\"
    return f"\x1b]9;{_TITLE}: {safe}\x1b\\"
