"""The question before a file that another program runs by is saved: its lines that change, and what that won't do."""

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.core.preview import Confirm
from hermes_tui.tui.content import say
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.difference import Difference
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.line import Part, Style
from hermes_tui.view.moment import Moment

_CHOICES: Final = (
    (Part("y", Style.KEY, "yes"), Part(" saves it", act="yes")),
    (Part("n", Style.KEY, "no"), Part(" goes on editing", act="no")),
)


class SavingScreen(ModalScreen[bool], Overlay[bool]):
    """Answers True for y, False for n and esc. `file` and `text` are what differs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", show=False, priority=True),
        Binding("n,escape,q,ctrl+q", "answer(False)", "No", show=False, priority=True),
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
    ]

    def __init__(self, asked: Confirm, file: str, text: str, moment: Moment) -> None:
        super().__init__()
        self._asked, self._moment = asked, moment
        self._difference = Difference(file, text, "What changes in the file", "- goes, + comes")

    def compose(self) -> ComposeResult:
        """Lay out what changes, what that does and does not do, and the answers."""
        with Vertical(id="box") as box:
            box.border_title = say(self._asked.question)
            yield self._difference
            yield Static(say(self._asked.effect), id="effect")
            yield Lines(id="choices")

    def on_mount(self) -> None:
        """Show what changes."""
        self.query_one("#choices", Lines).draw(_CHOICES)
        self._difference.show(self._moment)
        self._difference.focus()

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Do what was clicked."""
        event.stop()
        self.action_answer(event.act == "yes")

    def action_answer(self, yes: bool) -> None:
        """Answer."""
        self.dismiss(yes)

    def action_move(self, by: int) -> None:
        """Scroll."""
        self._difference.move(by)
