"""The form for a new session: its name, and its first prompt."""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from hermes_tui.tui.content import say


class Wish(NamedTuple):
    """What the user filled in; an empty prompt starts no turn."""

    name: str
    prompt: str


class NewSessionScreen(ModalScreen[Wish | None]):
    """Asks for a name and a first prompt; esc leaves without a session."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+q", "leave", "Leave", show=False)]

    def __init__(self, hint: str, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._hint = say(hint, ascii_only=ascii_only)

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        with Vertical(id="box") as box:
            box.border_title = "New session"
            yield Static(self._hint, id="effect")
            yield Input(placeholder="name", id="name")
            yield Input(placeholder="first prompt (may stay empty)", id="first-prompt")
            yield Static(say("enter goes on, esc leaves"), id="keys")

    def on_mount(self) -> None:
        """Begin with the name."""
        self.query_one("#name").focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the prompt, then finish."""
        event.stop()
        if event.input.id == "name":
            self.query_one("#first-prompt").focus()
            return
        name = self.query_one("#name", Input).value.strip()
        self.dismiss(Wish(name, event.value.strip()))

    def action_leave(self) -> None:
        """Leave without a session."""
        self.dismiss(None)
