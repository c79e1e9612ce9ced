"""What a turn waits for, until when, and what can be done about it: always in sight below a conversation."""

from collections.abc import Mapping
from typing import Final

from hermes_tui.core.event import AttemptFailed, RetryScheduled
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused
from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import SessionState
from hermes_tui.view.flowing import flowed
from hermes_tui.view.line import Line, Part, Style, cut_line
from hermes_tui.view.past import Turn
from hermes_tui.view.words import countdown, wall

ACTS: Final = (
    ("retry_now", "Retry now"),
    ("use_fallback", "Use the fallback now"),
    ("stop_turn", "Stop"),
)
"""The acts on a turn that waits, by their identity, each with what it is called here."""

ROOMY: Final = 10
"""From so many lines on a panel has room for more than one line of words and one of buttons."""


def waits(state: SessionState) -> bool:
    """Tell whether a session waits: before another attempt, or because no route is left."""
    live = state.live
    pausing = live is not None and live.waiting_until is not None
    return pausing or state.row.phase is Phase.WAITING or _without_route(state)


def waits_until(state: SessionState) -> tuple[float | None, ...]:
    """Return the times that the lines of a wait count down to."""
    live, exhaustion = state.live, state.row.exhaustion
    return (live.waiting_until if live else None, exhaustion.earliest if exhaustion else None)


def _without_route(state: SessionState) -> bool:
    return state.row.exhaustion is not None and state.row.phase is Phase.IDLE


def waiting_lines(
    state: SessionState,
    turn: Turn | None,
    previews: Mapping[str, Preview],
    cells: int,
    now: float,
    keymap: Keymap,
    rows: int,
) -> tuple[Line, ...]:
    """Return what `state` waits for and the buttons, in a panel of `rows` lines; nothing where it does not wait."""
    if not waits(state):
        return ()
    most = 2 if rows >= ROOMY else 1
    told = flowed([Part(_told(state, turn, now), Style.COOLING)], cells)
    if len(told) > most:
        told = [
            *told[: most - 1],
            cut_line(tuple(part for line in told[most - 1 :] for part in (*line, Part(" "))), cells),
        ]
    return (*told, *_buttons(previews, cells, keymap, most))


def _told(state: SessionState, turn: Turn | None, now: float) -> str:
    row, live = state.row, state.live
    if live is not None and live.waiting_until is not None:
        until = live.waiting_until
        return f"Waits {countdown(until, now)} (until {wall(until, now)}) for {row.active}{_attempt(turn)}."
    if row.phase is Phase.WAITING or row.exhaustion is None:
        return f"Waits before {row.active} is tried again."
    earliest = row.exhaustion.earliest
    back = "nobody can say when one returns"
    if earliest is not None:
        back = f"the earliest returns in {countdown(earliest, now)} ({wall(earliest, now)})"
        back = back if earliest > now else f"the earliest is due since {wall(earliest, now)}: prompt again"
    return f"No route could answer at {wall(row.exhaustion.at, now)}; {back}."


def _attempt(turn: Turn | None) -> str:
    """Return which attempt comes and after what: `: attempt 3, after 429 usage limit of codex/oauth-1`."""
    if turn is None:
        return ""
    retry, failure = turn.newest(RetryScheduled), turn.newest(AttemptFailed)
    told = f": attempt {retry.attempt}" if retry is not None else ""
    if failure is None:
        return told
    code = f"{failure.status} " if failure.status is not None else ""
    return f"{told or ':'}, after {code}{failure.kind.words} of {failure.provider}/{failure.credential}"


def _buttons(previews: Mapping[str, Preview], cells: int, keymap: Keymap, most: int) -> list[Line]:
    """Return the acts in at most `most` lines, with why one cannot be done as far as there is room."""
    for reasons in (True, False):
        parts = [
            part for act, label in ACTS for part in _button(act, label, previews.get(act), keymap, reasons=reasons)
        ]
        lines = flowed(parts, cells)
        if len(lines) <= most:
            return lines
    return [cut_line(tuple(parts), cells)]


def _button(act: str, label: str, preview: Preview | None, keymap: Keymap, *, reasons: bool) -> tuple[Part, ...]:
    match preview:
        case Refused(reason=reason):
            why = f": {reason}" if reasons else ""
            return (Part(f"{keymap.word(act)} {label}{why}", Style.MUTED, act), Part("   "))
        case Ready() | Confirm() | None:
            asks = " (asks)" if isinstance(preview, Confirm) else ""
            key = Part(f"{keymap.word(act)} ", Style.KEY, act)
            return (key, Part(label, Style.STRONG, act), Part(asks, Style.MUTED, act), Part("   "))
