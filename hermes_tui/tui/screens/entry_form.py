"""The form for one entry of a chain: its fields as they are written, with what each may take below it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.editing import Entry, Notation
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.tui.content import say
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.tui.widgets.offer_list import OfferList
from hermes_tui.view.line import Line, Part, Style
from hermes_tui.view.offering import Offer, address_offers, matching, mode_offers
from hermes_tui.view.words import count, sentence

OWN: Final = "the provider's own"

HINTS: Final = {
    "model": "the model's name at that provider",
    "base_url": OWN,
    "api_mode": OWN,
    "context_length": "tokens; unknown",
}

NAMES: Final = tuple(field.name for field in fields(Entry))

NEEDED: Final = ("provider", "model")

KEYS: Final[tuple[Line, ...]] = (
    (Part("enter", Style.KEY, "next"), Part(" next  ", act="next"), Part("down", Style.KEY), Part(" chooses")),
    (Part("ctrl+l", Style.KEY, "list"), Part(" lists the provider's models, no token", act="list")),
    (
        Part("ctrl+s", Style.KEY, "finish"),
        Part(" put it into the text  ", act="finish"),
        Part("esc", Style.KEY, "leave"),
        Part(" leave it", act="leave"),
    ),
)


@dataclass(frozen=True, slots=True)
class Offering:
    """Where offers come from: providers, the models of one (with what its server lists), and that list itself.

    `ask` asks the server of an entry; None where nobody can be asked. It raises HermesTuiError with the reason.
    `notation` says how the file is written that the entry goes into.
    """

    providers: tuple[Offer, ...]
    models: Callable[[str, Catalogue | None], tuple[Offer, ...]]
    ask: Callable[[Entry], Awaitable[Catalogue]] | None
    notation: Notation

    def hint(self, field: str) -> str:
        """Return what an empty field means, or what it takes."""
        own = {"provider": str(self.notation.provider), "api_key": str(self.notation.api_key)}
        return own[field] if field in own else HINTS[field]


class EntryForm(ModalScreen[None], Overlay[None]):
    """Asks for an entry; `take` puts it into the text, or says why not, and then the form stays as it is."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (24, "-high")]  # noqa: RUF012 - Textual's name and type
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("ctrl+q", "dismiss(None)", "Leave", show=False),
        Binding("ctrl+s", "finish", "Done", show=False, priority=True),
        Binding("ctrl+l", "list", "List models", show=False, priority=True),
        # At once, so that the next key of a burst (a slow line delivers them so) goes to the next field already.
        Binding("enter", "next", "Next field", show=False, priority=True),
        # Before the box takes them to scroll.
        Binding("down", "mark(1)", "Next offer", show=False, priority=True),
        Binding("up", "mark(-1)", "Offer before", show=False, priority=True),
    ]

    def __init__(
        self,
        title: str,
        entry: Entry,
        offering: Offering,
        take: Callable[[Entry], str | None],
    ) -> None:
        super().__init__()
        self._title = say(title)
        self._entry, self._offering, self._take = entry, offering, take
        self._listed: dict[str, Catalogue] = {}
        self._untouched: str | None = None
        """The value that the focused field had when it got the focus, or was given by an offer."""

    def compose(self) -> ComposeResult:
        """Lay out a line for each field, with its offers below."""
        with Vertical(id="box") as box:
            box.border_title = self._title
            with VerticalScroll(id="fields", can_focus=False):
                for name in NAMES:
                    value = getattr(self._entry, name)
                    with Horizontal(classes="field"):
                        yield Label(say(name))
                        yield Input(
                            "" if value is None else str(value),
                            placeholder=self._offering.hint(name),
                            id=name,
                            compact=True,
                        )
                    yield OfferList(name)
            yield Static("", id="fault")
            yield Lines(id="form-keys")

    def on_mount(self) -> None:
        """Begin with the first field."""
        self.query_one("#form-keys", Lines).draw(KEYS)
        self._explain_provider()
        self.field("provider").focus()

    def field(self, name: str) -> Input:
        """Return the input of a field."""
        return self.query_one(f"#{name}", Input)

    def _value(self, name: str) -> str:
        return self.field(name).value.strip()

    # What is offered

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the offers of the field that has the focus, and those of no other."""
        if isinstance(event.widget, Input):
            self._untouched = event.widget.value
            self._offer()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what fields left empty mean at the provider that is written, and offer what matches."""
        event.stop()
        if event.input.id == "provider":
            self._explain_provider()
        if event.input is self.focused:
            self._offer()

    def _explain_provider(self) -> None:
        known = KNOWN_PROVIDERS.get(self._value("provider"))
        self.field("base_url").placeholder = (known.base_url or "needed: every customer has another") if known else OWN
        self.field("api_mode").placeholder = known.api_mode.value if known else OWN

    def _offer(self) -> None:
        """Show what the focused field may take, once it was touched; what an entry needs is offered at once."""
        focused = self.focused
        for offers in self.query(OfferList):
            value = self.field(offers.field).value
            touched = value != self._untouched if value else offers.field in NEEDED
            wanted = focused is not None and focused.id == offers.field and touched
            offers.show(matching(self._offers(offers.field), value) if wanted else ())
        self.call_after_refresh(self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        field = self.focused
        if isinstance(field, Input):
            offers = self.query_one(f"#{field.id}-offers", OfferList)
            if offers.display:
                offers.scroll_visible(animate=False)
            field.scroll_visible(animate=False)

    def _offers(self, field: str) -> tuple[Offer, ...]:
        provider = self._value("provider")
        match field:
            case "provider":
                return self._offering.providers
            case "model":
                return self._offering.models(provider, self._listed.get(provider))
            case "base_url":
                return address_offers(provider)
            case "api_mode":
                return mode_offers(provider)
            case _:
                return ()

    @property
    def _open(self) -> OfferList | None:
        """The list that is shown."""
        return next((offers for offers in self.query(OfferList) if offers.display), None)

    def action_mark(self, by: int) -> None:
        """Walk through the offers; where there are none, through the fields."""
        offers = self._open
        if offers is None and by > 0 and isinstance(self.focused, Input) and self._offers(self.focused.id or ""):
            self._untouched = None
            self.query_one(f"#{self.focused.id}-offers", OfferList).show(self._offers(self.focused.id or ""))
            offers = self._open
        if offers is not None and (by > 0 or offers.marked is not None):
            offers.move(by)
        elif by > 0:
            self.focus_next()
        else:
            self.focus_previous()

    def on_offer_list_taken(self, event: OfferList.Taken) -> None:
        """Take the offer that was clicked, and go on."""
        event.stop()
        self._fill(event.field, event.offer)
        self.set_focus(self.field(event.field))
        self.focus_next()

    def _fill(self, name: str, offer: Offer) -> None:
        """Write an offer into its field; a model brings its window with it where none is written."""
        self._untouched = offer.value
        field = self.field(name)
        field.value = offer.value
        field.cursor_position = len(offer.value)
        if offer.window is not None and not self._value("context_length"):
            self.field("context_length").value = str(offer.window)

    # The provider's own list

    def action_list(self) -> None:
        """Ask the server of the entry for its models, which costs no token."""
        ask, provider = self._offering.ask, self._value("provider")
        if ask is None or not provider:
            self._say("there is nobody to ask here" if provider else "name the provider first")
            return
        self._say(f"asking {provider} for its models …")
        self.run_worker(self._list(ask, provider), name="list", group="list", exclusive=True, exit_on_error=False)

    async def _list(self, ask: Callable[[Entry], Awaitable[Catalogue]], provider: str) -> None:
        value = self._value
        entry = Entry(provider, value("model"), value("base_url"), value("api_mode"), api_key=value("api_key"))
        try:
            listed = await ask(entry)
        except HermesTuiError as error:
            self._say(sentence(str(error)))
            return
        self._listed[provider] = listed
        self._say(f"{provider} lists {count(len(listed.windows), 'model')}")
        self.field("model").focus()
        self._untouched = None
        self._offer()

    # The end

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Do what was clicked."""
        event.stop()
        match event.act:
            case "next":
                self.action_next()
            case "list":
                self.action_list()
            case "finish":
                self.action_finish()
            case _:
                self.dismiss()

    def action_leave(self) -> None:
        """Leave the offers, or the form."""
        offers = self._open
        if offers is not None and offers.marked is not None:
            offers.show(())
        else:
            self.dismiss()

    def action_next(self) -> None:
        """Take the marked offer, and go on to the next field, or finish."""
        self._take_marked()
        if self.focused is not None and self.focused.id == NAMES[-1]:
            self.action_finish()
        else:
            self.focus_next()

    def _take_marked(self) -> None:
        offers = self._open
        if offers is not None and offers.marked is not None:
            self._fill(offers.field, offers.marked)

    def action_finish(self) -> None:
        """Take the marked offer, and answer once the fields have taken what was typed before."""
        self._take_marked()
        self.call_after_refresh(self._finish)

    def _finish(self) -> None:
        """Put the entry into the text, or say which field cannot be."""
        values = {name: self._value(name) for name in NAMES}
        length = values.pop("context_length")
        if length and not (length.isdecimal() and int(length) > 0):
            self._complain("context_length", "context_length must be a whole number of tokens above 0")
            return
        for name in NEEDED:
            if not values[name]:
                self._complain(name, f"an entry needs a {name}")
                return
        fault = self._take(Entry(**values, context_length=int(length) if length else None))
        if fault is None:
            self.dismiss()
        else:
            self._say(fault)

    def _complain(self, field: str, what: str) -> None:
        self._say(what)
        self.field(field).focus()

    def _say(self, what: str) -> None:
        self.query_one("#fault", Static).update(say(what))
