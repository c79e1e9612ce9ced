"""A screen over the dashboard, which leaves once."""

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType


class Overlay(Screen[ScreenResultType]):
    """A screen that ignores being dismissed while another is in front, or when it has gone already.

    A burst of keys has it leave twice: its second answer would be given to nobody, and take away what lies below.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with `result`, once."""
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)
