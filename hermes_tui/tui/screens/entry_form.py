"""The form for one entry of a chain: its fields as they are written, each of them optional but the first two."""

from dataclasses import fields
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label, Static

from hermes_tui.core.editing import Entry
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.route import ApiMode
from hermes_tui.tui.content import say

OWN: Final = "the provider's own"

HINTS: Final = {
    "provider": "as in [providers.NAME], or one that is known",
    "model": "the model's name at that provider",
    "base_url": OWN,
    "api_mode": OWN,
    "context_length": "tokens; unknown",
    "api_key": "the pool's; or ${NAME}, env:NAME, file:PATH",
}


class EntryForm(ModalScreen[Entry | None]):
    """Asks for an entry; esc leaves without one. `known` offers values for a field, `entry` is what stands there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+q", "dismiss(None)", "Leave", show=False),
        Binding("ctrl+s", "finish", "Done", show=False, priority=True),
        # At once, so that the next key of a burst (a slow line delivers them so) goes to the next field already.
        Binding("enter", "next", "Next field", show=False, priority=True),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("up", "app.focus_previous", "Field before", show=False),
    ]

    def __init__(
        self, title: str, entry: Entry, known: dict[str, tuple[str, ...]], *, ascii_only: bool = False
    ) -> None:
        super().__init__()
        self._title = say(title, ascii_only=ascii_only)
        self._entry = entry
        addresses = tuple(provider.address for provider in KNOWN_PROVIDERS.values())
        self._known = {"api_mode": tuple(ApiMode), "base_url": addresses, **known}

    def compose(self) -> ComposeResult:
        """Lay out a line for each field."""
        with VerticalScroll(id="box", can_focus=False) as box:
            box.border_title = self._title
            for field in fields(Entry):
                value, known = getattr(self._entry, field.name), self._known.get(field.name)
                suggester = SuggestFromList(known) if known else None
                with Horizontal(classes="field"):
                    yield Label(say(field.name))
                    yield Input(
                        "" if value is None else str(value),
                        placeholder=HINTS[field.name],
                        id=field.name,
                        suggester=suggester,
                        compact=True,
                    )
            yield Static("", id="fault")
            yield Static(say("enter goes on, ctrl+s puts it into the text, esc leaves it"), id="keys")

    def on_mount(self) -> None:
        """Begin with the first field."""
        self.query_one("#provider").focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what the fields that are left empty mean at the provider that is written."""
        if event.input.id == "provider":
            known = KNOWN_PROVIDERS.get(event.value.strip())
            address = self.query_one("#base_url", Input)
            address.placeholder = (known.base_url or "needed: every customer has another") if known else OWN
            address.suggester = SuggestFromList((*([known.address] if known else []), *self._known["base_url"]))
            self.query_one("#api_mode", Input).placeholder = known.api_mode.value if known else OWN

    def action_next(self) -> None:
        """Go on to the next field, or finish."""
        if self.focused is not None and self.focused.id == fields(Entry)[-1].name:
            self.action_finish()
        else:
            self.focus_next()

    def action_finish(self) -> None:
        """Answer once the fields have taken what was typed before."""
        self.call_after_refresh(self._finish)

    def _finish(self) -> None:
        """Answer with the entry, or say which field cannot be."""
        values = {field.name: self.query_one(f"#{field.name}", Input).value.strip() for field in fields(Entry)}
        length = values.pop("context_length")
        if length and not (length.isdecimal() and int(length) > 0):
            self._complain("context_length", "context_length must be a whole number of tokens above 0")
            return
        for name in ("provider", "model"):
            if not values[name]:
                self._complain(name, f"an entry needs a {name}")
                return
        self.dismiss(Entry(**values, context_length=int(length) if length else None))

    def _complain(self, field: str, what: str) -> None:
        self.query_one("#fault", Static).update(say(what))
        self.query_one(f"#{field}").focus()
