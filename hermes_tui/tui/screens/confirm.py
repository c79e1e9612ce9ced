"""A question before an act: it names the object, says what is likely to happen, and no is the safe answer."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from hermes_tui.tui.content import say
from hermes_tui.tui.screens.overlay import Overlay


class ConfirmScreen(ModalScreen[bool], Overlay[bool]):
    """Answers True for y, False for n and esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", show=False, priority=True),
        Binding("n,escape,q,ctrl+q", "answer(False)", "No", show=False, priority=True),
        Binding("left,right,up,down,h,l", "other", "Other button", show=False),
    ]

    def __init__(self, question: str, effect: str, *, yes: str = "Do it", no: str = "Leave it") -> None:
        super().__init__()
        self._question, self._effect = say(question), say(effect)
        self._yes, self._no = yes, no

    def compose(self) -> ComposeResult:
        """Lay out the question, its effect and the two answers."""
        with Vertical(id="box") as box:
            box.border_title = "Confirm"
            yield Static(self._question, id="question")
            yield Static(self._effect, id="effect")
            with Horizontal(id="answers"):
                yield Button(say(f"n  {self._no}"), id="no")
                yield Button(say(f"y  {self._yes}"), id="yes")

    def on_mount(self) -> None:
        """Put the focus on the safe answer."""
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        """Answer by key."""
        self.dismiss(yes)

    def action_other(self) -> None:
        """Move to the other answer."""
        self.focus_next()
