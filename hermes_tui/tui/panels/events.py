"""Panel 6: the events."""

from typing import ClassVar

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.events import events
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment, of_source


class EventsPanel(Panel):
    """What happened, newest first. The cursor on the newest row follows; anywhere else it stays on its event."""

    NUMBER: ClassVar[int] = 6

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._source = ""

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the events depend on."""
        return (moment.snapshot.events, of_source(moment))

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the events; a cursor on the newest row goes with the newest."""
        following = self._index == 0 or self._source != moment.source
        self._source = moment.source
        told = events(moment, cells, sought=self.sought)
        if following and told.rows:
            self._key = told.rows[0].key
        return told
