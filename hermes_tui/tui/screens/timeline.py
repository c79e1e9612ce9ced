"""The timeline: a session's course as a picture or as text, over the journal, going with the clock."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from hermes_tui.core.chronicle import Chronicle
from hermes_tui.core.course import Course
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.event import Event, SessionRenamed
from hermes_tui.core.keymap import DEFAULT
from hermes_tui.core.session import Session
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.keys_bar import KeysBar
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.course import moments, picture_cells, pictured, timeline_keys, waiting, worded
from hermes_tui.view.line import Body, Line, Row
from hermes_tui.view.looking import SPANS, Looking, first_look
from hermes_tui.view.moment import Moment

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp


class TimelinePanel(Panel):
    """The picture or the text of one session; below the picture every session, whose cursor chooses."""

    def __init__(self, session: str) -> None:
        super().__init__(id="timeline")
        self.session = session
        self.chronicle: Chronicle | None = None
        self.fault: str | None = None
        self.looking: Looking | None = None
        self.as_text = False
        self.seen = 0
        self.on_marked = self._chosen

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the timeline depends on; now moves once a second."""
        what = (self.session, self.as_text, self.looking, self.size.height)
        return (moment.facts, self.chronicle, self.fault, self.seen, *what, int(moment.now))

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the timeline, or why there is none yet."""
        course = self.course(moment)
        if course is None or self.chronicle is None:
            return waiting(self.session, self.fault, cells)
        if self.as_text:
            return worded(course, cells)
        sessions = {state.name: state.row for state in moment.snapshot.sessions}
        size = (cells, self.size.height)
        return pictured(course, self._row(moment), sessions, self.chronicle, self.look(course), size)

    def course(self, moment: Moment) -> Course | None:
        """Return the course of the session at `moment`, None while the journal has not been read."""
        if self.chronicle is None:
            return None
        return self.chronicle.course(moment.facts, self._row(moment), moment.now)

    def look(self, course: Course) -> Looking:
        """Return how it is looked at; at first everything is in sight, up to a week."""
        if self.looking is None:
            self.looking = first_look(course.since, course.until)
        return self.looking

    def _told(self, row: Row) -> Line:
        """Return a row as it is: a band that moved aside is no news."""
        return row.line

    def _row(self, moment: Moment) -> Session:
        state = moment.snapshot.session(self.session) or moment.snapshot.sessions[0]
        self.session = state.name
        return state.row

    def _chosen(self, _: Panel) -> None:
        self.session = str(self.key)
        self.show_again()


class TimelineScreen(Overlay[str | None]):
    """Reads the journal once, then follows the moments; esc goes back, enter to the session that is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+q", "close", "Close", show=False, priority=True),
        Binding(",".join(DEFAULT["timeline"]), "close", "Close", show=False, priority=True, id="timeline"),
        Binding("enter", "choose", "Go to the session", show=False),
        Binding("left,h", "mark(-1)", "Mark before", show=False),
        Binding("right,l", "mark(1)", "Next mark", show=False),
        Binding("left_square_bracket,shift+left", "pan(-1)", "Earlier", show=False),
        Binding("right_square_bracket,shift+right", "pan(1)", "Later", show=False),
        Binding("plus,equals_sign", "zoom(1)", "Nearer", show=False),
        Binding("minus,underscore", "zoom(-1)", "Farther", show=False),
        Binding("0,home", "now", "Now", show=False),
        Binding("t", "switch", "Picture or text", show=False),
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
    ]

    def __init__(self, app: "HermesApp", moment: Moment, session: str) -> None:
        super().__init__()
        self._app, self._moment = app, moment
        self._panel = TimelinePanel(session)
        self._keys = KeysBar(lambda _, cells: (timeline_keys(cells, as_text=self._panel.as_text),), id="timeline-keys")

    def compose(self) -> ComposeResult:
        """Lay the timeline over the whole screen."""
        yield self._panel
        yield self._keys

    def on_mount(self) -> None:
        """Read the journal while the screen says so."""
        self._panel.focus()
        self.show(self._moment)
        self._read()

    def _read(self) -> None:
        self.run_worker(self._load(), name="timeline", group="timeline", exclusive=True, exit_on_error=False)

    async def _load(self) -> None:
        """Fold the journal; what the snapshot held before is in it, what comes later is taken from the snapshots."""
        snapshot = self._app.source.snapshot()
        seen = snapshot.events[-1][0] if snapshot.events else 0
        try:
            told = await self._app.source.history(None, self._moment.now - SPANS[-1])
        except HermesTuiError as error:
            self._panel.fault = str(error)
        else:
            chronicle = Chronicle()
            await asyncio.to_thread(chronicle.add, [event for _, event in told])
            self._panel.chronicle = chronicle
            self._panel.seen = max(seen, told[-1][0] if told else 0)
        self._panel.show_again()
        self._panel.mark(self._panel.session)

    def show(self, moment: Moment) -> None:
        """Show `moment`, with what its events tell beyond what is known."""
        if not moment.snapshot.sessions:
            return
        self._moment = moment
        self._take(moment.snapshot.events)
        self._panel.show(moment)
        self._keys.show(moment)

    def _take(self, events: Sequence[tuple[int, Event]]) -> None:
        """Take note of the events that are new.

        Where some may be missing, or earlier ones are read under another name now, the journal is read again.
        """
        panel = self._panel
        if panel.chronicle is None or not events or events[-1][0] <= panel.seen:
            return
        new = [event for number, event in events if number > panel.seen]
        if events[0][0] > panel.seen + 1 or any(isinstance(event, SessionRenamed) for event in new):
            panel.chronicle = None
            self._read()
            return
        panel.chronicle.add(new)
        panel.seen = events[-1][0]

    # What the user does

    def _look(self, looking: Looking) -> None:
        self._panel.looking = looking
        self._panel.show_again()

    def action_mark(self, by: int) -> None:
        """Move the cursor to the next mark, or the one before."""
        course = self._panel.course(self._moment)
        if course is not None:
            cells = picture_cells(self._panel.size.width)
            self._look(self._panel.look(course).moved(by, moments(course), course.until, cells))

    def action_pan(self, by: int) -> None:
        """Show earlier or later time."""
        if self._panel.looking is not None:
            self._look(self._panel.looking.panned(by, self._moment.now))

    def action_zoom(self, by: int) -> None:
        """Show less time, or more."""
        if self._panel.looking is not None:
            self._look(self._panel.looking.zoomed(by, self._moment.now))

    def action_now(self) -> None:
        """Go with the clock again."""
        if self._panel.looking is not None:
            self._look(self._panel.looking.home())

    def action_switch(self) -> None:
        """Show the same as text, or as a picture again."""
        self._panel.as_text = not self._panel.as_text
        self._panel.show_again()
        self._keys.show_again()

    def action_move(self, by: int) -> None:
        """Choose the next session; scroll the text."""
        self._panel.move(by)

    def action_page(self, by: int) -> None:
        """Move by pages."""
        self._panel.move(by * self._panel.page())

    def action_choose(self) -> None:
        """Go to the session that is shown."""
        self.dismiss(self._panel.session)

    def action_close(self) -> None:
        """Go back to the dashboard as it was."""
        self.dismiss(None)
