"""Panel 6: what happened, newest first; repetitions collapse into one line with a counter (M48)."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple

from hermes_tui.core.event import Event
from hermes_tui.view import empty
from hermes_tui.view.cells import clean
from hermes_tui.view.event_words import Told, tell
from hermes_tui.view.line import TIMES, Body, Line, Part, Row, Style, cut_line, line, wrapped
from hermes_tui.view.moment import Moment, of_source
from hermes_tui.view.past import COLLAPSE_SECONDS
from hermes_tui.view.words import wall

TOPIC_CELLS: Final = 8
TIME_CELLS: Final = 10
SHOWN: Final = 300


class Entry(NamedTuple):
    """One line of the panel: the newest of its like, its journal number, and how often it happened."""

    number: int
    event: Event
    told: Told
    times: int = 1


@lru_cache(maxsize=2048)
def _told(event: Event) -> Told:
    return tell(event)


def entries(journal: Sequence[tuple[int, Event]]) -> tuple[Entry, ...]:
    """Return what happened, newest first, with what repeats within five minutes counted on its newest line."""
    found: list[tuple[int, Event, Told]] = []
    times: list[int] = []
    at: dict[tuple[str, str], int] = {}
    for number, event in reversed(journal):
        told = _told(event)
        if told.quiet:
            continue
        key = (told.topic, told.same)
        index = at.get(key) if told.same else None
        if index is not None and found[index][1].time - event.time <= COLLAPSE_SECONDS:
            times[index] += 1
            continue
        at[key] = len(found)
        found.append((number, event, told))
        times.append(1)
        if len(found) >= SHOWN:
            break
    return tuple(Entry(*entry, count) for entry, count in zip(found, times, strict=True))


def events(moment: Moment, cells: int, *, sought: str = "") -> Body:
    """Return the panel of the events in `cells` columns, filtered by `sought`."""
    told, title = entries(moment.snapshot.events), f"Events{of_source(moment)}"
    chosen = [entry for entry in told if not sought or _matches(entry, sought)]
    if not chosen:
        text = empty.nothing_matches("event", sought) if told else _none_yet(moment)
        return Body((Row(line(text, Style.MUTED)),), title)
    rows = tuple(
        Row(partial(_cut, entry, moment.now, cells), entry.number, made_of=(entry.event, entry.times))
        for entry in chosen
    )
    return Body(rows, title, "newest first", dates=())


def _none_yet(moment: Moment) -> str:
    configuration = moment.facts.configuration
    return empty.no_events(wall(configuration.loaded_at if configuration else moment.snapshot.at, moment.now))


def _matches(entry: Entry, sought: str) -> bool:
    return sought.casefold() in f"{entry.told.topic} {entry.told.text}".casefold()


def _cut(entry: Entry, now: float, cells: int) -> Line:
    return cut_line(_line(entry, now), cells)


def _line(entry: Entry, now: float) -> Line:
    times = (Part(f"{TIMES}{entry.times} ", Style.STRONG),) if entry.times > 1 else ()
    return (
        Part(wall(entry.event.time, now).ljust(TIME_CELLS), Style.MUTED),
        Part(entry.told.topic.ljust(TOPIC_CELLS), entry.told.style),
        *times,
        Part(clean(entry.told.text)),
    )


def newest_line(moment: Moment, cells: int) -> Line:
    """Return what happened last, in at most `cells` cells."""
    told = entries(moment.snapshot.events)
    return _cut(told[0], moment.now, cells) if told else line(_none_yet(moment), Style.MUTED)


def event_detail(number: int, moment: Moment, cells: int) -> Body:
    """Return an event with its whole text."""
    entry = next((entry for entry in entries(moment.snapshot.events) if entry.number == number), None)
    if entry is None:
        return Body((), "Event")
    lines = [
        line(f"{wall(entry.event.time, moment.now)}  {entry.event.type}", Style.MUTED),
        *wrapped(entry.told.text, cells),
    ]
    if entry.times > 1:
        lines.append(line(f"{entry.times} times within the last minutes", Style.MUTED))
    return Body(tuple(Row(part) for part in lines), "Event", "esc closes")
