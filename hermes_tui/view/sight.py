"""What is in sight of a long text: a place in it is held, and only what is around that place is laid out."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, Protocol

from hermes_tui.view.line import Line


class Spot(NamedTuple):
    """A part of the text: a message by its number, and a part of it by its order."""

    message: int
    part: int


class Place(NamedTuple):
    """A line of a spot. `of` is how many lines the spot had, so that the place is found again at another width."""

    spot: Spot
    line: int
    of: int


class Text(Protocol):
    """Parts one after another, each laid out when it is asked for."""

    def first(self) -> Spot | None:
        """Return the first part, None where there is none."""

    def last(self) -> Spot | None:
        """Return the last part."""

    def after(self, spot: Spot) -> Spot | None:
        """Return the part after `spot`."""

    def before(self, spot: Spot) -> Spot | None:
        """Return the part before `spot`."""

    def nearest(self, spot: Spot) -> Spot | None:
        """Return `spot` where it still exists, else a neighbour."""

    def lines(self, spot: Spot) -> tuple[Line, ...]:
        """Return the lines of a part."""


class Sight(NamedTuple):
    """The lines in sight with their places, and whether nothing is below them."""

    lines: tuple[tuple[Place, Line], ...]
    at_end: bool


def _forward(text: Text, place: Place) -> Iterator[tuple[Place, Line]]:
    spot: Spot | None = place.spot
    begin = place.line
    while spot is not None:
        lines = text.lines(spot)
        for at in range(begin, len(lines)):
            yield Place(spot, at, len(lines)), lines[at]
        begin, spot = 0, text.after(spot)


def _backward(text: Text, spot: Spot | None, end: int | None = None) -> Iterator[tuple[Place, Line]]:
    """Yield lines from before line `end` of `spot` upwards; without `end` from its last line."""
    while spot is not None:
        lines = text.lines(spot)
        for at in reversed(range(len(lines) if end is None else min(end, len(lines)))):
            yield Place(spot, at, len(lines)), lines[at]
        end, spot = None, text.before(spot)


def found_again(text: Text, place: Place) -> Place | None:
    """Return where a place is now that its part has another number of lines, or is gone."""
    spot = text.nearest(place.spot)
    if spot is None:
        return None
    count = len(text.lines(spot))
    if spot != place.spot:
        return Place(spot, 0, count)
    line = place.line if count == place.of else place.line * count // max(place.of, 1)
    return Place(spot, min(line, max(count - 1, 0)), count)


def sight(text: Text, place: Place | None, room: int) -> Sight:
    """Return `room` lines from `place` on; from None, and where the end is nearer than that, the last ones."""
    if place is not None:
        ahead = _forward(text, place)
        lines = list(islice(ahead, room))
        if len(lines) == room:
            return Sight(tuple(lines), next(ahead, None) is None)
    lines = list(islice(_backward(text, text.last()), room))
    return Sight(tuple(reversed(lines)), at_end=True)


def moved(text: Text, place: Place, by: int) -> Place:
    """Return the place so many lines on, or back, as far as there are any."""
    steps = _forward(text, place) if by >= 0 else _backward(text, place.spot, place.line)
    reached = place
    for step, _ in islice(steps, by + 1 if by >= 0 else -by):
        reached = step
    return reached


def lines_after(text: Text, place: Place, most: int) -> int:
    """Return how many lines there are after `place`, counted up to `most`."""
    return max(sum(1 for _ in islice(_forward(text, place), most + 1)) - 1, 0)
