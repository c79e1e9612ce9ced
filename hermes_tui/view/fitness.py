"""Whether each route of a chain can serve: lines for people and screen readers, and a document for scripts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hermes_tui.core.fitness import Fitness
from hermes_tui.core.remark import Gravity, Remark
from hermes_tui.view.status import SCHEMA_VERSION, Document
from hermes_tui.view.words import count, wall


class Shown(NamedTuple):
    """How the state of a route is shown: a mark, the word of its line, and its name in the sum and the document."""

    mark: str
    word: str
    name: str


FIT: Final = Shown("✓", "CAN SERVE", "can serve")
NOT_ASKED: Final = Shown("-", "NOT ASKED", "not asked")
COOLING: Final = Shown("◐", "COOLING", "cooling")
DOUBTFUL: Final = Shown("!", "IN DOUBT", "in doubt")
UNFIT: Final = Shown("✗", "CANNOT SERVE", "cannot serve")

_MARKS: Final = {Gravity.NOTE: "-", Gravity.DOUBT: DOUBTFUL.mark, Gravity.FAULT: UNFIT.mark}


def shown(fitness: Fitness, *, offline: bool) -> Shown:
    """Return how a route's fitness is shown; one that only cools down has a word of its own (M7).

    Where nobody was asked, a route of which nothing bad is known is that, and not one that can serve.
    """
    if fitness.returns_at is not None:
        return COOLING
    fit = NOT_ASKED if offline else FIT
    return {Gravity.NOTE: fit, Gravity.DOUBT: DOUBTFUL, Gravity.FAULT: UNFIT}[fitness.gravity]


def fitness_lines(found: Sequence[Fitness], origin: str, now: float, *, offline: bool) -> str:
    """Return a line for each route with what there is to say of it below, the gravest first, and the sum."""
    routes = (line for one in found for line in _lines(one, now, offline=offline))
    lines = [origin, *routes, _sum(found, offline=offline)]
    return "".join(f"{line}\n" for line in lines)


def _lines(fitness: Fitness, now: float, *, offline: bool) -> Iterator[str]:
    mark, word, _ = shown(fitness, offline=offline)
    yield f"{mark} {fitness.position} {fitness.route}  {word}"
    yield from (f"    {text}" for text in remark_lines(fitness, now))


def remark_lines(fitness: Fitness, now: float) -> Iterator[str]:
    """Yield what there is to say of a route, each with its mark, the gravest first."""
    for remark in _in_order(fitness):
        yield f"{_MARKS[remark.gravity]} {_told(remark, now)}"


def _in_order(fitness: Fitness) -> list[Remark]:
    return sorted(fitness.remarks, key=lambda remark: -remark.gravity)


def _told(remark: Remark, now: float) -> str:
    whose = f"{remark.credential}: " if remark.credential is not None else ""
    if remark.until is None:
        return f"{whose}{remark.what}"
    return f"{whose}cooling until {wall(remark.until, now, assumed=remark.approximate)}: {remark.what}"


def _sum(found: Sequence[Fitness], *, offline: bool) -> str:
    counted = Counter(shown(one, offline=offline).name for one in found)
    told = ", ".join(f"{number} {name}" for name, number in counted.items())
    cost = "nothing was sent" if offline else "no prompt was sent"
    return f"{count(len(found), 'route')}: {told}; {cost}."


def fitness_document(
    found: Sequence[Fitness], origin: str, session: str | None, now: float, *, offline: bool
) -> Document:
    """Return what `fallback test --json` says. Times are epoch seconds or None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "time": now,
        "configuration": origin,
        "session": session,
        "offline": offline,
        "routes": [_document(one, offline=offline) for one in found],
    }


def _document(fitness: Fitness, *, offline: bool) -> Document:
    route = fitness.route
    return {
        "position": fitness.position,
        "provider": route.provider,
        "model": route.model,
        "base_url": route.base_url,
        "api_mode": route.api_mode.value,
        "state": shown(fitness, offline=offline).name.replace(" ", "_"),
        "returns_at": fitness.returns_at,
        "remarks": [
            {
                "gravity": remark.gravity.name.lower(),
                "by": remark.by.value,
                "credential": remark.credential,
                "text": remark.what,
                "until": remark.until,
                "approximate": remark.approximate,
            }
            for remark in _in_order(fitness)
        ],
    }
