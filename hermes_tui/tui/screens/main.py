"""The dashboard: header, six panels, footer; the session cursor drives the chain, the way back and the conversation."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input

from hermes_tui.core.acts import Command
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.event import Event
from hermes_tui.core.plans import archived
from hermes_tui.core.preview import Preview
from hermes_tui.tui.bindings import table_bindings
from hermes_tui.tui.content import tabs
from hermes_tui.tui.layout import (
    EVENTS,
    EVERY,
    FOLDED,
    LEAST,
    LEFT,
    TABS,
    Layout,
    home_of,
    layout_of,
    neighbour,
    visible,
)
from hermes_tui.tui.opening import Opening
from hermes_tui.tui.painting import SparingCompositor
from hermes_tui.tui.panels.chain import ChainPanel
from hermes_tui.tui.panels.conversation import ConversationPanel
from hermes_tui.tui.panels.credentials import CredentialsPanel
from hermes_tui.tui.panels.events import EventsPanel
from hermes_tui.tui.panels.sessions import SessionsPanel
from hermes_tui.tui.panels.way_back import WayBackPanel
from hermes_tui.tui.prompting import Prompting
from hermes_tui.tui.screens.deeds import Deeds
from hermes_tui.tui.widgets.bar import Bar
from hermes_tui.tui.widgets.entry import NOWHERE, Entry
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.empty import too_small
from hermes_tui.view.folded import PANEL_ACT, folded, selected_line, status_lines
from hermes_tui.view.footer import footer
from hermes_tui.view.header import header, notice_lines
from hermes_tui.view.line import Line, Style, wrapped
from hermes_tui.view.moment import Moment, Named, Selection, blamed_credential, kept_credential, selection_for
from hermes_tui.view.wayback import compact_way_back, tight_way_back, way_back_body

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp
    from hermes_tui.tui.widgets.prompt_box import PromptBox

WAYS_BACK: Final = {
    Layout.FIVE: compact_way_back,
    Layout.THREE: compact_way_back,
    Layout.SLIM: tight_way_back,
}
"""How the way back is told where it has not a column of its own."""

TAB_NAMES: Final = {4: "Credentials", 5: "Reply", 6: "Events"}


class MainScreen(Screen[None]):
    """Shows the moments of the sources, and hands the user's wishes to its deeds."""

    BINDINGS: ClassVar[list[BindingType]] = table_bindings()

    def __init__(self, app: "HermesApp") -> None:
        super().__init__()
        self._compositor = SparingCompositor()
        self._program = app
        self._header = Bar(lambda moment, cells: (header(moment, cells),), id="header")
        self._notices = Bar(notice_lines, id="notices")
        self._footer = Bar(lambda moment, cells: (footer(cells, moment.keymap),), id="footer")
        self._small = Bar(self._too_small, id="small")
        self._chosen = Bar(lambda moment, cells: (selected_line(moment, cells),), id="chosen")
        self._folded = {number: self._fold(number) for number in FOLDED}
        self.entry = Entry(id="entry")
        self.prompting = Prompting(app, self)
        self.way_back = WayBackPanel(self._preview, id="way-back")
        self.sessions = SessionsPanel(id="sessions")
        self.conversation = ConversationPanel(self._preview, self._history, id="conversation")
        self.panels: dict[int, Panel] = {
            1: self.sessions,
            2: ChainPanel(id="chain"),
            3: self.way_back,
            4: CredentialsPanel(id="credentials"),
            5: self.conversation,
            6: EventsPanel(id="events"),
        }
        for panel in self.panels.values():
            panel.on_marked = self._marked
        self._left = Vertical(self._folded[2], self.panels[2], self._folded[3], self.panels[3], id="left")
        self._right = Vertical(self.panels[4], self.panels[5], self.panels[6], id="right")
        self._body = Vertical(self._left, self._right, id="body")
        self.layout_now = Layout.SIX
        self.zoomed = False
        self.focused_panel = 1
        self._tab = 4
        self.selection = Selection()
        self.moment: Moment | None = None
        self.place = 0
        """Which of the app's sources the selected session is of."""
        self.deeds = Deeds(app, self)
        self._moments: Sequence[Moment] = ()
        self._steered = False
        self._opening = Opening(app, self._show_soon)
        self._shows_soon = False

    def compose(self) -> ComposeResult:
        """Lay the screen out; which panels show is decided by the size."""
        yield self._header
        yield self._notices
        yield self._chosen
        with Vertical(id="panels"):
            yield self._folded[1]
            yield self.panels[1]
            yield self._body
            yield self._folded[EVENTS]
        yield self._small
        yield self.entry
        yield self._footer

    def on_mount(self) -> None:
        """Begin with the sessions in focus."""
        self.entry.display = False
        self.divide()

    def _preview(self, command: Command) -> Preview:
        return self._program.source.preview(command)

    async def _history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        return await self._program.source.history(session, since)

    # What is shown

    def show(self, moments: Sequence[Moment]) -> None:
        """Show the moments of all sources, and of the selected session's in particular, in everything visible."""
        self._moments = moments
        self._select()
        self.moment = moment = self._opening.opened(self._selected_moment())
        self._small.show(moment)
        if self.layout_now is Layout.NONE:
            return
        for bar in (self._header, self._notices, self._chosen, *self._folded.values(), self._footer):
            bar.show(moment)
        for panel in self.panels.values():
            panel.show(moment)
        self.prompting.show()

    def _selected_moment(self) -> Moment:
        """Return the moment of the selected session's source, with the others beside it where there are any."""
        moment = self._moments[self.place].selecting(self.selection)
        return replace(moment, beside=tuple(self._moments)) if len(self._moments) > 1 else moment

    def _select(self) -> None:
        """Keep the selected session and credential while they exist, else take their neighbours."""
        session = self.selection.session
        if session not in self._names(self._moments[self.place]):
            if self.is_current and not self._steered:  # what stands over the dashboard is about a source, too
                self.place = next((at for at, one in enumerate(self._moments) if self._names(one)), self.place)
            self._follow(next(iter(self._names(self._moments[self.place])), None))
            return
        moment = self._moments[self.place]
        self.selection = selection_for(moment.snapshot, session, kept_credential(moment, self.selection.credential))

    def _names(self, moment: Moment) -> list[str]:
        names = [state.name for state in moment.snapshot.sessions]
        return [*names, *(row.name for row in archived(moment.facts))] if self.sessions.with_archived else names

    def look_at(self, session: str) -> None:
        """Select `session`, unless the user has chosen one."""
        if self._moments and not self._steered:
            self._follow(session)
            self.show(self._moments)

    def choose(self, session: str | None, place: int | None = None) -> None:
        """Select `session` of the source at `place` as the user does, the same one for None; None keeps the session."""
        if self._moments and session is not None:
            self._steered = True
            self.place = self.place if place is None else place
            self._follow(session)
            self.show(self._moments)

    def _follow(self, session: str | None) -> None:
        """Select `session`, and the credential that its story is about."""
        moment = self._moments[self.place]
        state = moment.snapshot.session(session) if session is not None else None
        blamed = blamed_credential(state) if state else None
        credential = kept_credential(moment, blamed or self.selection.credential)
        self.selection = selection_for(moment.snapshot, session, credential)
        self.panels[1].mark(Named(moment.source, session) if session is not None else None)
        self.panels[4].mark(credential)

    def _too_small(self, moment: Moment, cells: int) -> tuple[Line, ...]:
        if self.layout_now is not Layout.NONE:
            return ()
        sentence = too_small(self.app.size.width, self.app.size.height, LEAST, moment.keymap)
        return (*wrapped(sentence, cells, Style.STRONG), header(moment, cells), *status_lines(moment, cells))

    def _fold(self, number: int) -> Bar:
        return Bar(lambda moment, cells: (folded(number, moment, cells),), id=f"folded-{number}")

    def on_screen_suspend(self) -> None:
        """Take away what was answered here: it would cover what the user has opened."""
        self.app.clear_notifications()

    # Where things are

    def on_resize(self, event: events.Resize) -> None:
        """Take the layout of the new size."""
        self.divide(event.size.width, event.size.height)

    def divide(self, width: int | None = None, height: int | None = None) -> None:
        """Show the panels that the terminal's size and the focus ask for."""
        width = self.app.size.width if width is None else width
        height = self.app.size.height if height is None else height
        self.layout_now = layout_of(width, height, zoomed=self.zoomed)
        self.focused_panel = home_of(self.focused_panel, self.layout_now)
        if self.focused_panel in TABS:
            self._tab = self.focused_panel
        shown = visible(self.layout_now, self.focused_panel, self._tab, height)
        if not self.has_class(self.layout_now.value):
            self.remove_class(*(one.value for one in Layout), update=False)
            self.add_class(self.layout_now.value)
        self.way_back.make = WAYS_BACK.get(self.layout_now, way_back_body)
        self._give_room(shown)
        self._entitle_tabs(shown)
        if shown and not self.typing and self.is_current:
            self.set_focus(self.panels[self.focused_panel])
        if self.moment is not None:
            self._show_soon()

    def _give_room(self, shown: frozenset[int]) -> None:
        """Let the panels that show fill the screen; on one of lines the others are lines."""
        for number in EVERY:
            self.panels[number].display = number in shown
        slim = self.layout_now is Layout.SLIM
        for number, bar in self._folded.items():
            bar.display = slim and number not in shown
        self._left.display = slim or not shown.isdisjoint(LEFT)
        self._right.display = not shown.isdisjoint(TABS)
        self._body.display = self._left.display or self._right.display
        self.set_class(slim and len(shown) > 1, "-roomy")
        self._left.set_class(slim and not self._right.display and not shown.isdisjoint(LEFT), "-grows")
        self._body.set_class(not slim or self._right.display or not shown.isdisjoint(LEFT), "-grows")

    def _show_soon(self) -> None:
        """Show the moment again after the next paint: what a key moves is painted first, what depends on it follows."""
        if not self._shows_soon:
            self._shows_soon = True
            self.call_after_refresh(self._show_again)

    def _show_again(self) -> None:
        self._shows_soon = False
        if self._moments:
            self.show(self._moments)

    def _entitle_tabs(self, shown: Collection[int]) -> None:
        """Name the panels that share a place in the title of the one that has it."""
        opened = None
        if self.layout_now in (Layout.THREE, Layout.SLIM):
            opened = next((number for number in TABS if number in shown), None)
        names = [(f"{number} {TAB_NAMES[number]}", f"screen.panel({number})", number == opened) for number in TABS]
        for number in TABS:
            self.panels[number].retitle(tabs(names) if number == opened else None)

    def action_panel(self, number: int) -> None:
        """Give the focus to a panel, and show it where it has no room of its own."""
        self.focused_panel = number
        self.divide()
        self.set_focus(self.panels[self.focused_panel])

    def next_panel(self, by: int) -> None:
        """Give the focus to the next panel, or the one before."""
        self.action_panel(neighbour(self.focused_panel, by, self.layout_now))

    @property
    def panel(self) -> Panel:
        """The panel that keys act on."""
        return self.panels[self.focused_panel]

    # What the user does

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Leave keys to whatever is typed into: they are text there."""
        return action not in ("do", "panel") or not self.typing

    @property
    def typing(self) -> bool:
        """Whether keys are text now."""
        return self.focused is not None and self.focused in (self.entry, self.prompting.box)

    def action_do(self, name: str) -> None:
        """Start the action `name` of the table."""
        self.deeds.start(name)

    def refuse(self, reason: str) -> None:
        """Say why a key opens no line and no form: who types on all the same does so in a line that nobody reads."""
        self._program.tell(reason, grave=True)
        self.entry.open(NOWHERE, f"{reason} · esc leaves")

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Start the action whose button was clicked."""
        event.stop()
        if event.act.startswith(PANEL_ACT):
            self.action_panel(int(event.act.removeprefix(PANEL_ACT)))
        else:
            self.deeds.start(event.act)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Know which panel has the focus, however it got it; in a burst one is told of after another has taken it."""
        panel = event.widget
        if panel is self.focused and isinstance(panel, Panel) and panel.NUMBER not in (0, self.focused_panel):
            self.focused_panel = panel.NUMBER
            self.prompting.close()
            self.divide()

    def _marked(self, panel: Panel) -> None:
        """Let the session cursor drive what depends on it, and the credential cursor the acts on it."""
        if self.moment is None:
            return
        if panel.NUMBER == 1:
            self._steered = True
            source, session = cast("Named", panel.key)
            self.place = next(at for at, one in enumerate(self._moments) if one.source == source)
            self._follow(session)
        elif panel.NUMBER == 4:
            key = cast("CredentialKey", panel.key)
            self.selection = selection_for(self.moment.snapshot, self.selection.session, key)
        self.moment = self._selected_moment()
        panel.show(self.moment)
        self._show_soon()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed."""
        event.stop()
        self.deeds.typed(event.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while the user types."""
        event.stop()
        self.deeds.typing(event.value)

    def on_entry_left(self, event: Entry.Left) -> None:
        """Close the entry without taking what was typed."""
        event.stop()
        self.deeds.left()
        if event.quits:
            self.deeds.start("quit")

    def on_prompt_box_sent(self, event: "PromptBox.Sent") -> None:
        """Send what was written."""
        event.stop()
        self.prompting.send(event.session, event.text)

    def on_prompt_box_left(self, event: "PromptBox.Left") -> None:
        """Close the prompt box; what stands in it stays for the next time."""
        event.stop()
        self.prompting.close()
        if event.quits:
            self.deeds.start("quit")
