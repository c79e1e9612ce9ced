"""Which panels a terminal of a size shows."""

from enum import Enum
from typing import Final

LEAST: Final = (48, 14)
"""Below this width and height no panel has room."""

STACKED: Final = (72, 22)
"""From this width and height on three panels are stacked; below, all but the focused one are lines."""

TALL: Final = (72, 44)
"""From this width and height on five panels are stacked."""

BESIDE: Final = (110, 34)
"""From this width and height on all six panels stand beside each other."""

EVENTS_BELOW: Final = 18
"""From this height on a screen of lines has room for the events below its panel."""

EVERY: Final = (1, 2, 3, 4, 5, 6)
LEFT: Final = (2, 3)
TABS: Final = (4, 5, 6)
EVENTS: Final = 6
FOLDED: Final = (1, 2, 3, EVENTS)
"""The panels that a screen of lines shows as lines of their own."""


class Layout(Enum):
    """How the main screen is divided; the value is its class in the style sheet."""

    SIX = "-six"
    FIVE = "-five"
    THREE = "-three"
    SLIM = "-slim"
    ONE = "-one"
    NONE = "-none"

    @property
    def joins_chain(self) -> bool:
        """Whether the chain stands in the way back's panel, of a few lines."""
        return self in (Layout.FIVE, Layout.THREE)


def layout_of(width: int, height: int, *, zoomed: bool = False) -> Layout:
    """Return the layout of a terminal; a zoomed panel has the screen for itself."""

    def holds(least: tuple[int, int]) -> bool:
        return width >= least[0] and height >= least[1]

    if not holds(LEAST):
        return Layout.NONE
    if zoomed:
        return Layout.ONE
    if holds(BESIDE):
        return Layout.SIX
    if holds(TALL):
        return Layout.FIVE
    return Layout.THREE if holds(STACKED) else Layout.SLIM


def visible(layout: Layout, focused: int, tab: int, height: int) -> frozenset[int]:
    """Return the numbers of the panels that show: `tab` is the one of 4, 5 and 6 that is open where they share."""
    match layout:
        case Layout.SIX:
            return frozenset(EVERY)
        case Layout.FIVE:
            return frozenset((1, 3, *TABS))
        case Layout.THREE:
            return frozenset((1, 3, tab))
        case Layout.SLIM:
            return frozenset((focused, EVENTS) if height >= EVENTS_BELOW else (focused,))
        case Layout.ONE:
            return frozenset((focused,))
        case Layout.NONE:
            return frozenset()


def home_of(number: int, layout: Layout) -> int:
    """Return the panel that shows what panel `number` is about: stacked, the chain is in the way back's."""
    return 3 if number == 2 and layout.joins_chain else number


def neighbour(number: int, by: int, layout: Layout) -> int:
    """Return the panel that tab goes to from panel `number`."""
    reachable = [one for one in EVERY if home_of(one, layout) == one]
    at = reachable.index(number) if number in reachable else 0
    return reachable[(at + by) % len(reachable)]
