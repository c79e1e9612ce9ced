"""Panel 6: the events."""

from typing import ClassVar

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment
from hermes_tui.view.timeline import timeline
from hermes_tui.view.words import local


class EventsPanel(Panel):
    """What happened, newest first. The cursor on the newest row follows; anywhere else it stays on its event."""

    NUMBER: ClassVar[int] = 6

    _built: tuple[object, int, str, object] | None = None
    _last: Body = Body((), "Events")

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the timeline; the same object while no event came and the day is the same."""
        now = (moment.snapshot.events, cells, self.sought, local(moment.now).date())
        if self._built is not None and now[0] is self._built[0] and now[1:] == self._built[1:]:
            return self._last
        following = self._index == 0
        self._built, self._last = now, timeline(moment, cells, sought=self.sought)
        if following and self._last.rows:
            self._key = self._last.rows[0].key
        return self._last
