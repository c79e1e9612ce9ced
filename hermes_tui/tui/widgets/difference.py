"""In which lines two texts differ."""

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.editing import difference
from hermes_tui.view.line import Body, Row, cut_line
from hermes_tui.view.moment import Moment


class Difference(Panel):
    """The lines that go and come from `theirs` to `mine`, under a title; `note` says what the marks mean."""

    def __init__(self, theirs: str, mine: str, title: str, note: str) -> None:
        super().__init__(id="difference")
        self._rows = difference(theirs, mine)
        self._title, self._note = title, note

    def body(self, moment: Moment, cells: int) -> Body:  # noqa: ARG002 - Panel's
        """Return the lines in which the texts differ."""
        return Body(tuple(Row(cut_line(parts, cells)) for parts in self._rows), self._title, self._note)
