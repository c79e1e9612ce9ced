"""A page of the guided start: its question, and what may be chosen."""

from typing import Final

from textual.geometry import Size
from textual.widget import Widget

from hermes_tui.core.snapshot import Snapshot
from hermes_tui.tui.content import say
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.choosing import Page, page_body, question_lines
from hermes_tui.view.line import Body, Line
from hermes_tui.view.moment import Moment

CHOICES_FIRST: Final = 10
"""So many lines of choices are shown before the notes below them."""

_NOTHING: Final = Moment(Snapshot(0, 0.0, ""), 0.0)
"""No moment: a page does not depend on what happens."""


class Asked(Lines):
    """The question of a page, folded for whatever width there is."""

    def __init__(self, page: Page) -> None:
        super().__init__(id="asked")
        self._page = page

    def put(self, page: Page) -> None:
        """Show the question of `page`."""
        self._page = page
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's
        """Fold the question for `width`, and return the height that it takes."""
        self.draw(question_lines(self._page, max(width, 1)))
        return self.wanted_height


class Choices(Panel):
    """A list with a cursor that stays visible while the text field has the focus."""

    ALWAYS_MARKED = True

    def __init__(self, page: Page) -> None:
        super().__init__(id="offered")
        self._page = page

    def put(self, page: Page) -> None:
        """Show `page`, with the cursor on its first choice."""
        self._page = page
        self._key, self._index, self._top = None, 0, 0
        self.show(_NOTHING)

    def stamp(self, moment: Moment) -> tuple[object, ...]:  # noqa: ARG002 - a page is all that it depends on
        """Return the page."""
        return (self._page,)

    def body(self, moment: Moment, cells: int) -> Body:  # noqa: ARG002 - as above
        """Return the page's lines."""
        return page_body(self._page, cells)

    def _foot(self, height: int) -> tuple[Line, ...]:
        """Return the notes, as far as most choices leave room for them."""
        spare = height - min(len(self._body.rows), CHOICES_FIRST)
        return self._body.foot[: max(spare, 0)]

    def _entitle(self, where: str) -> None:
        """Say in the box around how much there is to scroll through."""
        if isinstance(self.parent, Widget):
            self.parent.border_subtitle = say(where)
