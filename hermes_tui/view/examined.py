"""What came of testing a chain that is being edited: a state for each row, and the reasons below the findings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.fitness import Fitness
from hermes_tui.core.route import Link
from hermes_tui.view.cells import fit
from hermes_tui.view.fitness import COOLING, DOUBTFUL, FIT, UNFIT, remark_lines, shown
from hermes_tui.view.line import Line, Part, Row, Style, behind, cut_line
from hermes_tui.view.words import State, countdown, duration

TESTED_CELLS: Final = 20

_STYLES: Final = {FIT: Style.OK, COOLING: Style.COOLING, DOUBTFUL: Style.COOLING, UNFIT: Style.DEAD}


@dataclass(frozen=True, slots=True)
class Result:
    """What came of testing one entry: the entry as it was then, and when that was (epoch seconds)."""

    fitness: Fitness
    link: Link
    at: float

    @property
    def position(self) -> int:
        """Where the entry stood then; 0 is the primary."""
        return self.fitness.position

    def is_about(self, link: Link) -> bool:
        """Tell whether it holds for an entry: the same route, and still as usable as configured."""
        return self.link.route == link.route and (self.link.fault is None) == (link.fault is None)


@dataclass(frozen=True, slots=True)
class Examined:
    """The newest test of a chain: what came so far, and whether more is to come."""

    results: tuple[Result, ...] = ()
    runs: bool = False

    def of(self, position: int, links: Sequence[Link]) -> tuple[Result | None, bool]:
        """Return what is known of the entry at a position, and whether that still holds.

        An entry keeps its result wherever it is moved; one that was changed shows the old result as old.
        """
        here = [one for one in self.results if one.is_about(links[position])]
        if here:
            return next((one for one in here if one.position == position), here[0]), True
        new = [at for at, link in enumerate(links) if not any(one.is_about(link) for one in self.results)]
        gone = sorted((one for one in self.results if not any(map(one.is_about, links))), key=lambda one: one.position)
        return dict(zip(new, gone, strict=False)).get(position), False


def state_parts(examined: Examined, position: int, links: Sequence[Link], now: float) -> Line | None:
    """Return the result of an entry in `TESTED_CELLS` cells, None where there is none and none to come."""
    result, holds = examined.of(position, links)
    if examined.runs and not holds:
        asking = State.PROBING.value
        return (Part(fit(f"{asking.glyph} ASKING", TESTED_CELLS), asking.style),)
    if result is None:
        return None
    found = shown(result.fitness, offline=False)
    word = f"{found.mark} {found.word}"
    if not holds:
        return (Part(fit(f"{word} {duration(now - result.at)}", TESTED_CELLS), Style.MUTED),)
    until = result.fitness.returns_at
    left = f" {countdown(until, now)}" if until is not None else ""
    return (Part(fit(f"{word}{left}", TESTED_CELLS), _STYLES[found]),)


def result_rows(examined: Examined, links: Sequence[Link], now: float, cells: int) -> Iterator[Row]:
    """Yield the reasons of every result, the primary first."""
    if not examined.results and not examined.runs:
        return
    still = "asking" if examined.runs else "no prompt was sent"
    yield Row(cut_line((Part("Test: ", Style.STRONG), Part(still, Style.MUTED)), cells))
    for one in sorted(examined.results, key=lambda one: one.position):
        found = shown(one.fitness, offline=False)
        places = [at for at, link in enumerate(links) if one.is_about(link)]
        holds, position = bool(places), one.position if one.position in places or not places else places[0]
        style = _STYLES[found] if holds else Style.MUTED
        age = "" if holds else f", {duration(now - one.at)} ago, before it was changed"
        told = f"{position} {one.fitness.route}  {found.word}{age}"
        yield from map(Row, behind(Part(f"{found.mark} ", style), told, cells, style))
        for text in remark_lines(one.fitness, now):
            yield from map(Row, behind(Part("  "), text, cells, Style.PLAIN if holds else Style.MUTED))
