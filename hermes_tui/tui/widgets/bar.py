"""Lines across the whole screen: the header, what is wrong, the footer. No bar takes the focus."""

from collections.abc import Callable

from textual.geometry import Size

from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.line import Line
from hermes_tui.view.moment import Moment


class Bar(Lines):
    """Draws what a function of the view returns for a moment and a width; without lines it takes no room."""

    def __init__(
        self,
        make: Callable[[Moment, int], tuple[Line, ...]],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._make = make
        self._moment: Moment | None = None
        self._given_height = 0

    def show(self, moment: Moment) -> None:
        """Show `moment`."""
        self._moment = moment
        if not self.display:
            return
        lines = self._make(moment, self.app.size.width)
        if lines != self.lines:
            self.draw(lines)
        if self.wanted_height != self._given_height and self.styles.is_auto_height:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's
        """Return the height that all lines take at `width`, which may be another than they were drawn for."""
        self._given_height = len(self._make(self._moment, width)) if self._moment is not None else 0
        return self._given_height

    def on_resize(self) -> None:
        """Lay the lines out for the new width."""
        self.show_again()

    def show_again(self) -> None:
        """Show the same moment after something else has changed."""
        if self._moment is not None:
            self.show(self._moment)
