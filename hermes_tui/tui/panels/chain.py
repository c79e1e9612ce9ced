"""Panel 2: the chain of the selected session."""

from typing import ClassVar

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.chain import chain
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment


class ChainPanel(Panel):
    """The routes of the selected session with their states."""

    NUMBER: ClassVar[int] = 2

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the chain depends on."""
        return (moment.facts, moment.standing and moment.standing.state.row)

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the chain."""
        return chain(moment, cells)
