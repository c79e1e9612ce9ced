"""The first start: a page that explains the program, and the next step as a key."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from hermes_tui.tui.base import BaseApp
from hermes_tui.tui.content import say
from hermes_tui.tui.themes import Look
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.view.welcome import Step, welcome


class _Page(Lines):
    def __init__(self, path: str, *, ascii_only: bool) -> None:
        super().__init__(id="welcome", ascii_only=ascii_only)
        self._path = path

    def on_resize(self) -> None:
        """Fold the page for the new width."""
        self.draw(welcome(self._path, max(self.size.width, 1)))
        self.refresh(layout=True)


class WelcomeApp(BaseApp[Step]):
    """Returns the step that the user chose, None for none."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(step.value, f"choose('{step.value}')", step.name, show=False) for step in Step),
        Binding("escape,ctrl+q,ctrl+c", "choose('q')", "Leave", show=False, priority=True),
    ]

    def __init__(self, path: str, *, look: Look) -> None:
        super().__init__(look)
        self._path = path

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        with Vertical(id="box") as box:
            box.border_title = say("hermes-tui")
            yield _Page(self._path, ascii_only=self.look.ascii)

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Take the step that was clicked."""
        event.stop()
        self.exit(Step(event.act))

    def action_choose(self, step: str) -> None:
        """Take a step."""
        self.exit(Step(step))
