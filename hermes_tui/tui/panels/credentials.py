"""Panel 4: the credentials."""

from typing import ClassVar

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.credentials import SORTS, credentials
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment, of_source


class CredentialsPanel(Panel):
    """Every credential; its cursor says which one is probed or cleared."""

    NUMBER: ClassVar[int] = 4
    SORTS: ClassVar[tuple[str, ...]] = SORTS

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the rows depend on."""
        return (moment.known, moment.selection, of_source(moment))

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the credentials, filtered and sorted as the user asked."""
        return credentials(moment, cells, sought=self.sought, sort=self.sort, reverse=self.reverse)
