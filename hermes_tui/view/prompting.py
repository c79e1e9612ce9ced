"""What stands around the place to write to a session: whom it is for, when it is sent, and the keys."""

from typing import Final

from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import SessionState
from hermes_tui.view.cells import width
from hermes_tui.view.words import count

_KEYS: Final = ("enter sends", "esc leaves", "ctrl+j new line", "↑↓ earlier")
_BORDER_CELLS: Final = 6
"""What a border takes beside the text that stands in it."""


def prompt_keys(cells: int) -> str:
    """Return what the keys do, as many of them as a box of `cells` columns has room for."""
    said, *more = _KEYS
    for one in more:
        longer = f"{said} · {one}"
        if width(longer) + _BORDER_CELLS > cells:
            break
        said = longer
    return said


def prompt_title(session: str, state: SessionState | None, why_not: str | None = None) -> str:
    """Return whom a prompt is for, and that it waits where a turn runs, or `why_not` where it cannot be sent."""
    if state is None:
        return f"Prompt {session} · it is not listed any more"
    if why_not is not None:
        return f"Prompt {session} · sends nothing: {why_not}"
    if state.row.phase is Phase.IDLE:
        return f"Prompt {session}"
    queued = state.live.queued if state.live else 0
    behind = f", behind {count(queued, 'other')}" if queued else ""
    return f"Prompt {session} · queued until its turn ends{behind}"
