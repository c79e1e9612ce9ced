"""The place to type a word: a filter for a panel, or the model that a session switches to."""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input

from hermes_tui.tui.content import say

NOWHERE: Final = "nowhere"
"""What a line is written for that nobody reads."""


class Entry(Input):
    """One line of input that says what it is for in its border."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("ctrl+q", "quit", "Quit", show=False),
    ]

    class Left(Message):
        """The user left without sending, and may want to quit."""

        def __init__(self, *, quits: bool = False) -> None:
            super().__init__()
            self.quits = quits

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.target = ""

    def open(self, target: str, title: str, value: str = "", suggestions: Sequence[str] = ()) -> None:
        """Open for `target` (a session's model, a panel's filter) and take the focus; right takes a suggestion."""
        self.target = target
        self.value = value
        self.suggester = SuggestFromList(suggestions) if suggestions else None
        self.border_title = say(title)
        self.display = True
        self.screen.set_focus(self)  # at once, so that the next key of a burst is text already

    def close(self) -> None:
        """Give the room back."""
        self.display = False
        self.value = ""

    def action_leave(self) -> None:
        """Leave without sending."""
        self.post_message(self.Left())

    def action_quit(self) -> None:
        """Leave without sending, and quit."""
        self.post_message(self.Left(quits=True))
