"""The first line: is anything wrong? And below it, only when needed, why the numbers may be old."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import PurePath

from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import Narrated
from hermes_tui.view.asking import asking_notices
from hermes_tui.view.credentials import banner, tally
from hermes_tui.view.diagnosing import CODE_WORDS
from hermes_tui.view.empty import abandoned, engine_stopped, no_configuration
from hermes_tui.view.line import Line, Part, Style, cut_line, joined, line, line_width, text_of, wrapped
from hermes_tui.view.moment import Moment
from hermes_tui.view.words import clock, count, duration


def header(moment: Moment, cells: int) -> Line:
    """Return the first line in `cells` cells: health, credentials, configuration, time; the longest that fits."""
    for pieces in _wordings(moment):
        parts = (Part(" "), *joined(pieces, " │ "))
        if line_width(parts) <= cells:
            return parts
    return cut_line(parts, cells)


def _wordings(moment: Moment) -> Iterator[list[Line]]:
    """Yield what the first line may say, the longest first."""
    frozen = [_frozen(moment)] if moment.frozen_for is not None else []
    config, time = _configuration(moment), (Part(clock(moment.now), Style.MUTED),)
    frozen += [*_asking(moment), *_silent(moment), *_reading(moment)]
    yield [*frozen, _health(moment), tally(moment), config, time]
    short = _health(moment, short=True)
    yield [*frozen, short, tally(moment), config, time]
    marks = tally(moment, words=False)
    yield [*frozen, short, marks, _configuration(moment, short=True), time]
    yield [*frozen, short, marks, time]
    yield [*frozen, short, marks]
    yield [*frozen, short, time]


def _frozen(moment: Moment) -> Line:
    return (Part(f"FROZEN {duration(moment.frozen_for or 0.0)}", Style.ALERT),)


def _asking(moment: Moment) -> list[Line]:
    number = sum(standing.state.question is not None for place in moment.everywhere for standing in place.standings)
    return [(Part(f"{count(number, 'session asks', 'sessions ask')} you", Style.ALERT),)] if number else []


def _silent(moment: Moment) -> list[Line]:
    states = (standing.state for place in moment.everywhere for standing in place.standings)
    number = len({(state.source, state.owner) for state in states if state.silence is not None})
    told = count(number, "process does not answer", "processes do not answer")
    return [(Part(told, Style.ALERT),)] if number else []


def _reading(moment: Moment) -> list[Line]:
    return [(Part(f"reading {place.reads} ...", Style.PROBING),) for place in moment.everywhere if place.reads]


def _health(moment: Moment, *, short: bool = False) -> Line:
    off = [code for place in moment.everywhere for code in place.off]
    number = sum(len(place.standings) for place in moment.everywhere)
    if not number:
        return (Part("no sessions", Style.MUTED),)
    if not off:
        return (Part("✓ ", Style.OK), Part("all on their primary" if not short else "all well"))
    worst = _worst(off)
    if short:
        return (Part(f"! {len(off)}/{number} off", Style.STRONG), Part(f" ({worst})" if worst else ""))
    told = f"{len(off)} of {count(number, 'session')} off their primary"
    return (Part("! ", Style.DEAD), Part(told), Part(f" ({worst})" if worst else ""))


_WORST_FIRST = (
    Code.CHAIN_EXHAUSTED,
    Code.CREDENTIAL_DEAD,
    Code.CONFIGURATION_FAULT,
    Code.OUT_OF_CREDIT,
    Code.LYING_PROBE,
    Code.PRIMARY_FORGOTTEN,
    Code.LIFT_NOT_SAVED,
    Code.COOLDOWN_IN_MEMORY,
    Code.CREDENTIAL_NOT_TRIED,
    Code.PROBE_BLIND,
    Code.PRIMARY_FAILING,
)


def _worst(codes: Sequence[Code]) -> str:
    code = next((code for code in _WORST_FIRST if code in codes), None)
    return f"{codes.count(code)} {CODE_WORDS[code][0].lower()}" if code is not None else ""


def _configuration(moment: Moment, *, short: bool = False) -> Line:
    configuration = moment.facts.configuration
    if configuration is None:
        return (Part("no configuration", Style.MUTED),)
    name = PurePath(configuration.origin).name or "configuration"
    if moment.snapshot.problem and moment.snapshot.edit_mends:
        since = "" if short else f" using {clock(configuration.loaded_at)}"
        return (Part(f"{name} "), Part("✗", Style.DEAD), Part(since, Style.MUTED))
    if configuration.warnings:
        warnings = count(len(configuration.warnings), "warning")
        return (Part(f"{name} "), Part("!" if short else f"! {warnings}", Style.COOLING))
    return (Part(f"{name} "), Part("✓", Style.OK))


def caption(moment: Moment, cells: int) -> tuple[Line, ...]:
    """Return what a demo says happens now, on a line that needs no room where there is no demo."""
    told = next((event.text for _, event in reversed(moment.snapshot.events) if isinstance(event, Narrated)), None)
    return tuple((Part(" "), *parts) for parts in wrapped(told or "", cells - 1, Style.STRONG) if told is not None)


def notice_lines(moment: Moment, cells: int) -> tuple[Line, ...]:
    """Return what stands below the header, folded: what a demo says, and why the numbers may be old."""
    told = (wrapped(text_of(parts).strip(), cells - 1, parts[0].style) for parts in notices(moment))
    return (*caption(moment, cells), *((Part(" "), *parts) for parts in chain.from_iterable(told)))


def notices(moment: Moment) -> tuple[Line, ...]:
    """Return the full-width lines below the header, of each source the gravest first; none while all is well."""
    return tuple(
        line(f" {place.source + ': ' if moment.beside else ''}{text}", style)
        for place in moment.everywhere
        for text, style in _notices(place)
    )


def _notices(moment: Moment) -> Iterator[tuple[str, Style]]:
    snapshot, found = moment.snapshot, False
    yield from ((told, Style.ALERT) for told in asking_notices(moment))
    if snapshot.engine_stopped or moment.fault:
        why, found = moment.fault or snapshot.problem or "unknown", True
        yield engine_stopped(why.rstrip("."), clock(snapshot.at), moment.keymap), Style.ALERT
    if snapshot.problem and not snapshot.engine_stopped:
        found = True
        shows = f"  {moment.keymap.word('edit_chain')} shows it." if snapshot.edit_mends else ""
        yield f"{snapshot.problem}{shows}", Style.DEAD
    if snapshot.locked:
        found = True
        yield snapshot.locked, Style.COOLING
    if snapshot.read_only:
        found = True
        yield f"Read only: {snapshot.read_only}", Style.COOLING
    if nobodys := [state.name for state in snapshot.sessions if state.abandoned]:
        yield abandoned(nobodys, moment.keymap), Style.COOLING
    if snapshot.facts.configuration is None and not found:
        yield no_configuration(moment.keymap), Style.COOLING
    benched = banner(moment)
    if benched is not None:
        yield benched
