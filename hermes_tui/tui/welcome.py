"""The guided start on the screen: a box with a question, a field where something is typed, and what may be chosen."""

from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from hermes_tui.core.beginning import FirstFile
from hermes_tui.core.errors import told
from hermes_tui.core.secret import without_any
from hermes_tui.core.text import one_line, plain
from hermes_tui.tui.base import BaseApp
from hermes_tui.tui.content import say
from hermes_tui.tui.dialogue import Asking, Dialogue, Outcome
from hermes_tui.tui.themes import Look
from hermes_tui.tui.widgets.choices import Asked, Choices
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.tui.widgets.panel import MOVES
from hermes_tui.view.choosing import keys_line

if TYPE_CHECKING:
    from hermes_tui.tui.widgets.code_area import CodeArea

LOW: Final = 22
"""Lines below which the box has no empty ones inside its border."""


class _Field(Input):
    """The text field. A secret is drawn with a sign that every terminal has; nothing that is typed steers one."""

    @property
    def _value(self) -> Text:
        shown = "*" * len(self.value) if self.password else plain(self.value)
        return Text(shown, no_wrap=True, overflow="ignore", end="")


class WelcomeApp(BaseApp[Outcome]):
    """Leads to a first configuration; returns what the user wants then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Choose", show=False),
        Binding("escape", "before", "Back", show=False),
        Binding("ctrl+q,ctrl+c", "leave", "Leave", show=False, priority=True),
        *MOVES,
    ]

    def __init__(self, file: FirstFile, *, look: Look) -> None:
        super().__init__(look)
        self._dialogue = Dialogue(file, self._turn)
        self._page = self._dialogue.page
        self._box = Vertical(id="box")
        self._question = Asked(self._page)
        self._field = _Field(id="field", compact=True)
        self._choices = Choices(self._page)
        self._file: CodeArea | None = None
        self._keys = Lines(id="keys-line")

    def compose(self) -> ComposeResult:
        """Lay out the question, the field, the choices and the keys."""
        with self._box:
            yield self._question
            yield self._field
            yield self._choices
            yield self._keys

    def on_mount(self) -> None:
        """Show the first page."""
        super().on_mount()
        self._turn()

    def on_resize(self, event: events.Resize) -> None:
        """Leave out empty lines where a low terminal has none to spare."""
        self._box.set_class(event.size.height < LOW, "-low")

    # What is shown

    def _turn(self) -> None:
        """Turn to the page of the question that is asked now, or leave."""
        if self._dialogue.outcome is not None:
            self.exit(self._dialogue.outcome)
            return
        before, self._page = self._page, self._dialogue.page
        field, page = self._field, self._page
        field.display, field.placeholder, field.password = bool(page.field), page.field, page.secret
        if (before.title, before.field) != (page.title, page.field):
            field.value = ""
        self.screen.set_focus(field if page.field else self._choices)
        self._show_file(page.text)
        self._choices.put(page)
        self._draw()

    def _draw(self) -> None:
        self._box.border_title = say(self._page.title)
        self._question.put(self._page)
        self._keys.draw((keys_line(self._page, can_go_back=self._dialogue.can_go_back),))

    def _show_file(self, text: str) -> None:
        """Show the file between the question and the choices, or nothing there."""
        self._box.set_class(bool(text), "-reading")
        if text and self._file is None:
            from hermes_tui.tui.widgets.code_area import CodeArea  # noqa: PLC0415 - 30 ms, on the last page only

            self._file = CodeArea("toml", id="file")
            self._file.read_only, self._file.can_focus = True, False
            self._file.soft_wrap, self._file.show_line_numbers = True, False
            self._box.mount(self._file, after=self._question)
        if self._file is not None:
            self._file.display = bool(text)
            if self._file.text != text:
                self._file.load_text(text)

    # What the user does

    def _choose(self, choice: str) -> None:
        asking = self._dialogue.choose(choice)
        self._turn()
        if asking is not None:
            self.run_worker(self._wait(asking), group="asking", exclusive=True, exit_on_error=False)

    async def _wait(self, asking: Asking) -> None:
        await asking()
        self._turn()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say what went wrong while something was asked; nothing else ends."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self._dialogue.say(one_line(without_any(told(event.worker.error)), 200))
            self._turn()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what fits to what is typed."""
        event.stop()
        self._dialogue.type(event.value)
        self._page = self._dialogue.page
        self._choices.put(self._page)
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the choice under the cursor."""
        event.stop()
        self.action_enter()

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Take what was clicked: a choice, or one of the keys below."""
        event.stop()
        match event.act:
            case "enter":
                self.action_enter()
            case "esc":
                self.action_before()
            case "ctrl+q":
                self.action_leave()
            case "pgdn pgup":
                self.action_page(1)
            case choice:
                self._choose(choice)

    def on_key(self, event: events.Key) -> None:
        """Take the choice whose letter was pressed, unless something is being typed."""
        letters = {choice.letter: choice.id for choice in self._page.choices if choice.letter}
        if not self._page.field and event.character in letters:
            event.stop()
            self._choose(letters[event.character])

    def action_enter(self) -> None:
        """Take the choice under the cursor."""
        if isinstance(self._choices.key, str):
            self._choose(self._choices.key)

    def action_before(self) -> None:
        """Go back to the question before; what was being asked is not waited for."""
        self.workers.cancel_group(self, "asking")
        self._dialogue.back()
        self._turn()

    def action_leave(self) -> None:
        """Leave without a configuration."""
        self.exit(Outcome.LEAVE)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self._choices.move(by)

    def action_page(self, by: int) -> None:
        """Turn a page of the file where it is shown, else of the choices."""
        if not self._page.text:
            self._choices.move(by * self._choices.page())
        elif self._file is not None:
            self._file.scroll_relative(y=by * max(self._file.size.height - 1, 1), animate=False)
