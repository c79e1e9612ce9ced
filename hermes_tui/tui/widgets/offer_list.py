"""What a field may take, as a list below it: walked through with the arrows, taken with a key or a click."""

from textual import events
from textual.message import Message

from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.line import Style, line
from hermes_tui.view.offering import Offer, offer_lines

MOST_ROWS = 5


class OfferList(Lines):
    """Shows a few offers at a time; without any it takes no room. It never takes the focus."""

    ALLOW_SELECT = False

    class Taken(Message):
        """An offer was clicked."""

        def __init__(self, field: str, offer: Offer) -> None:
            super().__init__()
            self.field, self.offer = field, offer

    def __init__(self, field: str) -> None:
        super().__init__(id=f"{field}-offers")
        self.field = field
        self._offers: tuple[Offer, ...] = ()
        self._index: int | None = None
        self._top = 0
        self.display = False

    @property
    def marked(self) -> Offer | None:
        """The offer that the arrows have reached, None while they have not been used."""
        return self._offers[self._index] if self._index is not None else None

    def show(self, offers: tuple[Offer, ...]) -> None:
        """Show `offers`, none of them marked."""
        if offers != self._offers or self._index is not None:
            self._offers, self._index, self._top = offers, None, 0
        self.display = bool(offers)
        self._draw()

    def move(self, by: int) -> None:
        """Move the mark; above the first offer there is none."""
        at = (-1 if self._index is None else self._index) + by
        self._index = None if at < 0 else min(at, len(self._offers) - 1)
        self._draw()

    def _draw(self) -> None:
        at = self._index or 0
        self._top = min(max(self._top, at - MOST_ROWS + 1), at)
        shown = self._offers[self._top : self._top + MOST_ROWS]
        more = len(self._offers) - len(shown)
        told = (line(f"{self._top + 1}-{self._top + len(shown)} of {len(self._offers)}", Style.MUTED),) if more else ()
        lines = (*offer_lines(shown, self.size.width or self.app.size.width), *told)
        resized = len(lines) != len(self.lines)
        self.draw(lines, None if self._index is None else self._index - self._top)
        if resized:
            self.refresh(layout=True)

    def on_resize(self) -> None:
        """Lay the offers out for the new width."""
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Take the offer under the mouse."""
        offset = event.get_content_offset(self)
        index = self._top + offset.y if offset is not None else -1
        if offset is not None and offset.y < MOST_ROWS and 0 <= index < len(self._offers):
            event.stop()
            self.post_message(self.Taken(self.field, self._offers[index]))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move down."""
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move up."""
        event.stop()
        self.move(-1)
