"""Panel 1: the sessions."""

from typing import ClassVar

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment
from hermes_tui.view.sessions import SORTS, sessions


class SessionsPanel(Panel):
    """Every session; its cursor drives the chain, the way back and the conversation."""

    NUMBER: ClassVar[int] = 1
    SORTS: ClassVar[tuple[str, ...]] = SORTS

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.with_archived = False

    def turn_archived(self) -> None:
        """Show the archived sessions too, or hide them again."""
        self.with_archived = not self.with_archived
        self.show_again()

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the rows depend on."""
        told = (
            part
            for place in moment.everywhere
            for part in (place.standings, place.off, place.snapshot.left_out, place.snapshot.notes)
        )
        return (moment.source, moment.selection, moment.keymap, self.with_archived, *told)

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the sessions, filtered and sorted as the user asked."""
        return sessions(
            moment,
            cells,
            sought=self.sought,
            sort=self.sort,
            reverse=self.reverse,
            with_archived=self.with_archived,
        )
