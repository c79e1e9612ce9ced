"""A file that was changed elsewhere while it was edited here: both are shown, and the user decides."""

from enum import StrEnum
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.difference import Difference
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.line import Line, Part, Style, line
from hermes_tui.view.moment import Moment


class Choice(StrEnum):
    """What becomes of two edits of one file."""

    THEIRS = "theirs"
    MINE = "mine"
    BOTH = "both"


_LEAVE: Final = "leave"


def _choice(key: str, words: str, act: str) -> Line:
    return (Part(key, Style.KEY, act), Part(f" {words}", act=act))


class ConflictScreen(ModalScreen[Choice | None], Overlay[Choice | None]):
    """Answers with a choice; esc goes on editing. `both` tells whether the edits can be put together."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "choose('theirs')", "Theirs", show=False, priority=True),
        Binding("m", "choose('mine')", "Mine", show=False, priority=True),
        Binding("b", "choose('both')", "Both", show=False, priority=True),
        Binding("escape,ctrl+q", "dismiss(None)", "Go on", show=False, priority=True),
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
    ]

    def __init__(self, theirs: str, mine: str, moment: Moment, *, both: bool) -> None:
        super().__init__()
        self._difference = Difference(theirs, mine, "What differs", "- theirs, + yours")
        self._moment = moment
        self._both = both

    def compose(self) -> ComposeResult:
        """Lay out what differs, and the choices."""
        with Vertical(id="box") as box:
            box.border_title = "Changed elsewhere since you began"
            yield self._difference
            yield Lines(id="choices")

    def on_mount(self) -> None:
        """Show what differs, and what can be done."""
        both = _choice("b", "puts both together", Choice.BOTH) if self._both else line("both changed the same lines")
        theirs = _choice("t", "takes theirs", Choice.THEIRS)
        mine = _choice("m", "keeps yours over theirs", Choice.MINE)
        leave = _choice("esc", "goes on editing", _LEAVE)
        self.query_one("#choices", Lines).draw((theirs, mine, both, leave))
        self._difference.show(self._moment)
        self._difference.focus()

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Do what was clicked."""
        event.stop()
        if event.act == _LEAVE:
            self.dismiss(None)
        else:
            self.action_choose(event.act)

    def action_choose(self, choice: str) -> None:
        """Answer."""
        if choice != Choice.BOTH or self._both:
            self.dismiss(Choice(choice))

    def action_move(self, by: int) -> None:
        """Scroll."""
        self._difference.move(by)
