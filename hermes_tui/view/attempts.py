"""The way a turn went, quietly: one line where all went wrong once, every request on demand."""

from collections.abc import Iterable, Iterator
from typing import Final

from hermes_tui.core.event import (
    AttemptAbandoned,
    AttemptFailed,
    ConversationCompacted,
    Event,
    FallbackActivated,
    FallbackSkipped,
    PrimaryRestored,
    SealedHistoryDropped,
    SessionInterrupted,
    TurnFailed,
)
from hermes_tui.core.keymap import Keymap
from hermes_tui.view.event_words import tell
from hermes_tui.view.flowing import flowed
from hermes_tui.view.line import ARROW, TIMES, Line, Part, Style
from hermes_tui.view.past import Past, Turn
from hermes_tui.view.words import count, wall

TIME_CELLS: Final = 10
TOPIC_CELLS: Final = 8
LEAST_CELLS: Final = 16
NOT_KEPT: Final = "What it had written is not kept."


def turn_lines(turn: Turn, past: Past, cells: int, now: float, keymap: Keymap, *, unfolded: bool) -> list[Line]:
    """Return what is to be said between a prompt and its reply: in short, or every request where `unfolded`."""
    if unfolded:
        key = Part(keymap.word("unfold"), Style.KEY, "unfold")
        head = (Part("Every request · ", Style.MUTED), key, Part(" folds", Style.MUTED, "unfold"))
        return [head, *request_lines(turn, cells, now)]
    lines = _quiet((f"Back on {event.provider}/{event.model}." for event in turn.of(PrimaryRestored)), cells)
    summary = _summary(turn)
    times = past.alike(turn) if summary else 0
    if times:
        many = f" {TIMES}{times}" if times > 1 else ""
        parts = [Part(f"{summary}{many}", Style.COOLING, "unfold"), Part(" · ", Style.MUTED)]
        parts += [Part(keymap.word("unfold"), Style.KEY, "unfold"), Part(" shows all", Style.MUTED, "unfold")]
        lines += flowed(parts, cells)
    return [*lines, *_quiet(_notes(turn), cells), *_ended(turn, cells, now)]


def _quiet(texts: Iterable[str], cells: int) -> list[Line]:
    return [line for text in texts for line in flowed([Part(text, Style.MUTED)], cells)]


def _summary(turn: Turn) -> str:
    """Return a walk along the chain in one line, empty where the first request was answered."""
    hops = [event for event in turn.events if isinstance(event, FallbackActivated)]
    failed, passed = len(turn.of(AttemptFailed)), len(turn.of(FallbackSkipped))
    told = [count(failed, "request") + " failed"] if failed > len(hops) else []
    told += [count(passed, "entry", "entries") + " skipped"] if passed else []
    if hops:
        way = f"{hops[0].left} {ARROW} {hops[-1].provider}/{hops[-1].model}: {hops[0].reason}"
        return "; ".join((way, *told))
    return ", ".join(told)


def _notes(turn: Turn) -> Iterator[str]:
    for event in turn.events:
        match event:
            case ConversationCompacted():
                yield f"{count(event.left_out, 'older message')} left out so that the conversation fits."
            case SealedHistoryDropped():
                what = count(event.messages, "message")
                yield f"The sealed parts of {what} were dropped: {event.provider}/{event.model} does not accept them."
            case AttemptAbandoned() if not turn.of(SessionInterrupted):
                yield f"{event.provider}/{event.model} was left after {event.latency:.1f} s. {NOT_KEPT}"


def _ended(turn: Turn, cells: int, now: float) -> list[Line]:
    """Return how a turn without a reply ended."""
    for event in turn.events:
        if isinstance(event, TurnFailed):
            earliest = f" Earliest return {wall(event.earliest, now)}." if event.earliest is not None else ""
            return flowed(
                [Part("Failed ", Style.DEAD), Part(f"{wall(event.time, now)}: {event.error}{earliest}")], cells
            )
        if isinstance(event, SessionInterrupted):
            stopped = Part(f" {wall(event.time, now)}: {event.why}. What was written by then is not kept.")
            return flowed([Part("Stopped", Style.COOLING), stopped], cells)
    return []


def request_lines(turn: Turn, cells: int, now: float) -> list[Line]:
    """Return everything that a turn went through: each request, what came of it, waits, switches and skips."""
    if not turn.events:
        return [(Part("Nothing else is known of this turn.", Style.MUTED),)]
    return [line for event in turn.events for line in _event(event, cells, now)]


def _event(event: Event, cells: int, now: float) -> list[Line]:
    told = tell(event)
    text = told.text.removeprefix(f"{event.session} ").removeprefix(f"{event.session}: ")
    before = TIME_CELLS + TOPIC_CELLS
    if cells - before < LEAST_CELLS:
        before = 0
    first, *rest = flowed([Part(text)], cells - before)
    head = [Part(wall(event.time, now).ljust(TIME_CELLS), Style.MUTED), Part(told.topic.ljust(TOPIC_CELLS), told.style)]
    if not before:
        return [tuple(head), first, *rest]
    return [(*head, *first), *((Part(" " * before), *more) for more in rest)]
