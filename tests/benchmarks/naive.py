"""The dashboard as it is written first: a table whose cells are updated, and a log that is written, at every event."""

from collections.abc import Callable, Coroutine, Sequence
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.widgets import DataTable, Footer, Header, RichLog, Static

from hermes_tui.core.event import Event
from hermes_tui.core.session import Session
from hermes_tui.view.event_words import tell
from hermes_tui.view.words import countdown, wall

COLUMNS: Final = ("session", "turn", "in use", "pos", "since", "next change")


class NaiveApp(App[None]):
    """A table of sessions that count down, a log of events, and the name of the session under the cursor."""

    CSS: ClassVar[str] = "DataTable, RichLog { height: 1fr; }"

    def __init__(
        self,
        sessions: Sequence[Session],
        now: Callable[[], float],
        start: Callable[["NaiveApp"], Coroutine[object, object, None]],
    ) -> None:
        super().__init__()
        self._sessions, self._now, self._start = sessions, now, start
        self._table: DataTable[str] = DataTable(cursor_type="row")
        self._lines = RichLog(max_lines=500)
        self._chosen = Static(markup=False)

    def compose(self) -> ComposeResult:
        """Lay all out below each other."""
        yield Header()
        yield self._chosen
        yield self._table
        yield self._lines
        yield Footer()

    def on_mount(self) -> None:
        """Fill the table and begin."""
        for column in COLUMNS:
            self._table.add_column(column, key=column)
        for session in self._sessions:
            left = session.departure.at if session.departure else self._now()
            cells = (str(session.phase), str(session.active), str(session.position), wall(left, self._now()), "")
            self._table.add_row(session.name, *cells, key=session.name)
        self._table.focus()
        self.set_interval(1.0, self._count_down)
        self.run_worker(self._start(self))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Name the session under the cursor."""
        self._chosen.update(f"› {event.row_key.value}")

    def happen(self, happening: tuple[Session, Event]) -> None:
        """Show what happened."""
        session, event = happening
        told = tell(event)
        self._table.update_cell(session.name, "turn", str(session.phase))
        self._lines.write(f"{wall(event.time, self._now())} {told.topic} {told.text}")

    def _count_down(self) -> None:
        for session in self._sessions:
            until = session.cooldown.until if session.cooldown else self._now()
            self._table.update_cell(session.name, "next change", countdown(until, self._now()))
