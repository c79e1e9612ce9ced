"""A form about a session: what it would do is said while it is filled in, and what is wrong keeps it open."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label, Static

from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.preview import Refused
from hermes_tui.core.source import Source
from hermes_tui.tui.content import say
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.writing_area import WritingArea
from hermes_tui.view.cells import even
from hermes_tui.view.session_forms import LIKE, UNDER_WAY, Field, FieldFault, Form, FormCommand
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp


class SessionForm(ModalScreen[None], Overlay[None]):
    """Asks for the fields of `form` and does what they say; esc leaves. `on_done` is told the command that was done."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 - Textual's name and type
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+q", "leave", "Leave", show=False),
        # At once, so that the next key of a burst (a slow line delivers them so) goes to the next field already.
        Binding("ctrl+s", "finish", "Done", show=False, priority=True),
        Binding("enter", "next", "Next field", show=False, priority=True),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("up", "app.focus_previous", "Field before", show=False),
    ]

    def __init__(self, app: "HermesApp", source: Source, form: Form, on_done: Callable[[FormCommand], None]) -> None:
        super().__init__()
        self._program, self._source = app, source
        self._form = form
        self._on_done = on_done
        self._doing = False
        self._written = {field.name: field.value for field in form.fields}
        """What the form itself put into its fields: what the user has changed is left alone."""
        self._inputs = {field.name: self._input(field) for field in form.fields}

    def _input(self, field: Field) -> Input | WritingArea:
        if field.several_lines:
            return WritingArea(field.value, placeholder=field.hint)
        suggester = SuggestFromList(field.known, case_sensitive=False) if field.known else None
        return Input(field.value, placeholder=even(field.hint), suggester=suggester, compact=True)

    def compose(self) -> ComposeResult:
        """Lay out a line for each field."""
        with VerticalScroll(id="box", can_focus=False) as box:
            box.border_title = say(self._form.title)
            for name, place in self._inputs.items():
                with Horizontal(classes="field"):
                    yield Label(say(name))
                    yield place
            yield Static("", id="effect")
            keys = f"enter next field · right completes · ctrl+s {self._form.done} · esc leaves"
            yield Static(say(keys), id="keys")

    def on_mount(self) -> None:
        """Begin with the first field."""
        next(iter(self._inputs.values())).focus()
        self._review()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what would be done now; who is to be like another one is proposed what that one does."""
        event.stop()
        if event.input is self._inputs.get(LIKE):
            self._propose(event.value.strip())
        self._review()

    def on_text_area_changed(self, event: WritingArea.Changed) -> None:
        """Say what would be done now."""
        event.stop()
        self._review()

    def _propose(self, like: str) -> None:
        for name, value in self._form.proposed(like).items():
            if self._value(name) == self._written[name]:
                self._written[name] = value
                place = self._inputs[name]
                if isinstance(place, Input):
                    place.value = value
                else:
                    place.write(value)

    def _value(self, name: str) -> str:
        place = self._inputs[name]
        return place.value if isinstance(place, Input) else place.text

    def _review(self) -> FormCommand | None:
        """Say what would be done, or what is in the way; return the command where nothing is, not even another."""
        if self._doing:
            return None
        wanted = self._form.read({name: self._value(name) for name in self._inputs})
        if isinstance(wanted, FieldFault):
            self._say(wanted.text, fault=True)
            return None
        answer = self._source.preview(wanted)
        if isinstance(answer, Refused):
            self._say(sentence(answer.reason, wanted.session), fault=True)
            return None
        self._say(answer.effect, fault=False)
        return wanted

    def _say(self, text: str, *, fault: bool) -> None:
        effect = self.query_one("#effect", Static)
        effect.set_class(fault, "-fault")
        effect.update(say(text))

    def action_leave(self) -> None:
        """Leave; what is under way goes on."""
        if self._doing:
            self._program.tell(f"{self._form.title}: it goes on, and could not be called back any more.")
        self.dismiss(None)

    def action_next(self) -> None:
        """Go on to the next field, or finish."""
        if self.focused is list(self._inputs.values())[-1]:
            self.action_finish()
        else:
            self.focus_next()

    def action_finish(self) -> None:
        """Do it once the fields have taken what was typed before."""
        self._finish_after(*self._inputs.values())

    def _finish_after(self, *places: Input | WritingArea) -> None:
        """Finish once each of `places` has worked off its keys, which a burst has handed to it all at once."""
        if places:
            places[0].call_later(self._finish_after, *places[1:])
        else:
            self._finish()

    def _finish(self) -> None:
        command = self._review()
        if command is not None:
            self._doing = True
            self._say(UNDER_WAY, fault=False)
            self._program.run_worker(self._do(command), name=self._form.title, group="act", exit_on_error=False)

    async def _do(self, command: FormCommand) -> None:
        app = self._program
        try:
            effect = await self._source.execute(command)
        except HermesTuiError as error:
            self._doing = False
            if self.is_attached:
                self._say(sentence(str(error), command.session), fault=True)
            else:
                app.tell(sentence(str(error), command.session), grave=True)
            return
        if self.is_attached:
            self.dismiss(None)
        app.tell(sentence(effect, command.session))
        app.done(command)
        self._on_done(command)
