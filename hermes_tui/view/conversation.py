"""Panel 5: what a session says, streaming, with the route that answers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from hermes_tui.core.session import Message, Phase, Role
from hermes_tui.core.snapshot import SessionState
from hermes_tui.view import empty
from hermes_tui.view.cells import cut, wrap
from hermes_tui.view.line import Body, Line, Part, Row, Style, line
from hermes_tui.view.moment import Moment, Standing
from hermes_tui.view.words import countdown, wall

SPEAKER_CELLS: Final = 10
LINES_KEPT: Final = 500
STREAM_KEPT: Final = 4000
"""Characters of a streaming reply that are laid out; the start of a longer one is in the conversation later."""


def conversation(moment: Moment, cells: int) -> Body:
    """Return the panel of the selected session's conversation, the newest line last."""
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Conversation")
    state = standing.state
    lines = _said(state.messages, cells)
    lines += _live(state, cells, moment.now)
    lines += [line(f"{what}", Style.PROBING) for what in state.pending]
    lines = lines or [line(empty.no_conversation(moment.keymap), Style.MUTED)]
    rows = tuple(Row(part) for part in lines[-LINES_KEPT:])
    dates = (state.live.waiting_until,) if state.live else ()
    return Body(rows, state.name, _answering(standing, moment.now), follow=True, dates=dates)


def _said(messages: Sequence[Message], cells: int) -> list[Line]:
    blocks: list[tuple[Line, ...]] = []
    total = 0
    for message in reversed(messages):
        block = _block(_speaker(message.role, message.route), message.text, message.role is Role.USER, cells)
        blocks.append(block)
        total += len(block)
        if total > LINES_KEPT:
            break
    return [part for block in reversed(blocks) for part in block]


def _speaker(role: Role, route: str | None) -> str:
    if role is Role.USER:
        return "you"
    return route.rpartition("/")[2] if route else "model"


@lru_cache(maxsize=512)
def _block(speaker: str, text: str, by_user: bool, cells: int) -> tuple[Line, ...]:
    style = Style.YOU if by_user else Style.STRONG
    first, *rest = wrap(text, max(cells - SPEAKER_CELLS, 8)) or [""]
    name = cut(speaker, SPEAKER_CELLS - 1).ljust(SPEAKER_CELLS)
    return ((Part(name, style), Part(first)), *((Part(" " * SPEAKER_CELLS), Part(piece)) for piece in rest))


def _live(state: SessionState, cells: int, now: float) -> list[Line]:
    live, row = state.live, state.row
    if live is None:
        return []
    if live.waiting_until is not None:
        left = countdown(live.waiting_until, now)
        return [line(f"Waits {left} before {row.active} is tried again; w retries now.", Style.COOLING)]
    if row.phase is Phase.IDLE and not live.text:
        return []
    text = f"{live.text[-STREAM_KEPT:]}▌" if live.text else "…"
    return [*_block(row.active.model, text, False, cells)]


def _answering(standing: Standing, now: float) -> str:
    row, live = standing.state.row, standing.state.live
    if live is not None and live.waiting_until is not None:
        return f"{row.active}, waits until {wall(live.waiting_until, now)}"
    if row.phase is not Phase.IDLE:
        return f"{row.active}, live"
    return f"next: {row.active}"
