"""The place to type: a prompt for a session, or a filter for a panel."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input

from hermes_tui.tui.content import say

REMEMBERED = 50


class Entry(Input):
    """One line of input that says what it is for in its border, and remembers what was sent."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("up", "recall(-1)", "Earlier", show=False),
        Binding("down", "recall(1)", "Later", show=False),
        Binding("ctrl+q", "quit", "Quit", show=False),
    ]

    class Left(Message):
        """The user left without sending, and may want to quit."""

        def __init__(self, *, quits: bool = False) -> None:
            super().__init__()
            self.quits = quits

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.ascii_only = ascii_only
        self.target = ""
        self._history: dict[str, list[str]] = {}
        self._at = 0

    def open(self, target: str, title: str, value: str = "", suggestions: Sequence[str] = ()) -> None:
        """Open for `target` (a session, or a panel's filter) and take the focus; the right key takes a suggestion."""
        self.target = target
        self.value = value
        self.suggester = SuggestFromList(suggestions) if suggestions else None
        self.border_title = say(title, ascii_only=self.ascii_only)
        self._at = len(self._history.get(target, ()))
        self.display = True
        self.screen.set_focus(self)  # at once, so that the next key of a burst is text already

    def close(self) -> None:
        """Give the room back."""
        self.display = False
        self.value = ""

    def remember(self, text: str) -> None:
        """Keep what was sent to the target, for the keys up and down."""
        told = self._history.setdefault(self.target, [])
        told.append(text)
        del told[:-REMEMBERED]

    def action_recall(self, by: int) -> None:
        """Bring back what was sent earlier."""
        told = self._history.get(self.target, [])
        self._at = min(max(self._at + by, 0), len(told))
        self.value = told[self._at] if self._at < len(told) else ""
        self.cursor_position = len(self.value)

    def action_leave(self) -> None:
        """Leave without sending."""
        self.post_message(self.Left())

    def action_quit(self) -> None:
        """Leave without sending, and quit."""
        self.post_message(self.Left(quits=True))
