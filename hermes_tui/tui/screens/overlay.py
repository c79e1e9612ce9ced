"""A screen over the dashboard, which leaves once."""

from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import Screen, ScreenResultType


class Overlay(Screen[ScreenResultType]):
    """A screen that ignores being dismissed while another is in front, or when it has gone already.

    A burst of keys has it leave twice: its second answer would be given to nobody, and take away what lies below.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # At once, so that the next key of a burst goes to what has the focus then.
        Binding("tab", "app.focus_next", "Next", show=False, priority=True),
        Binding("shift+tab", "app.focus_previous", "Previous", show=False, priority=True),
    ]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with `result`, once."""
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)
