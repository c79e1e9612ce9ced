"""What each action of the table does on the dashboard."""

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from hermes_tui.core.errors import ConfigurationError, RefusedError
from hermes_tui.core.preview import Refused
from hermes_tui.core.prompting import any_switch, names, switch_to
from hermes_tui.tui.keeping import Keeping
from hermes_tui.tui.panels.conversation import ConversationPanel
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.palette import PaletteScreen
from hermes_tui.tui.screens.reading import ReadingScreen
from hermes_tui.tui.widgets.panel import Make
from hermes_tui.view.actions import BY_ID, SWITCH_MODEL, Action
from hermes_tui.view.credentials import credential_detail
from hermes_tui.view.events import event_detail
from hermes_tui.view.help import help_body
from hermes_tui.view.quitting import quitting
from hermes_tui.view.wayback import detail
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp
    from hermes_tui.tui.screens.answering import Answering
    from hermes_tui.tui.screens.main import MainScreen

MODEL: Final = "model:"
FILTERED: Final = {1: "sessions", 4: "credentials", 5: "messages", 6: "events"}


class Deeds:
    """Starts actions by their identity: commands go to the source, the rest changes what the screen shows."""

    def __init__(self, app: "HermesApp", screen: "MainScreen") -> None:
        self._app = app
        self._screen = screen
        self._answering: Answering | None = None
        keeping = Keeping(app, screen)
        self._on_screen = {
            "prompt": self._prompt,
            "new_session": keeping.new,
            "rename": keeping.rename,
            "schedule": keeping.schedule,
            "archive": keeping.archive,
            "show_archived": keeping.show_archived,
            SWITCH_MODEL: self._switch_model,
            "edit_chain": self._edit_chain,
            "edit_file": self._app.edit,
            "help": self._help,
            "palette": self._palette,
            "filter": self._filter,
            "sort": self._sort,
            "reverse": self._reverse,
            "detail": self._detail,
            "timeline": self._timeline,
            "quota": self._quota,
            "back": self._back,
            "zoom": self._zoom,
            "freeze": self._app.freeze,
            "copy": self._copy,
            "next_panel": lambda: self._screen.next_panel(1),
            "previous_panel": lambda: self._screen.next_panel(-1),
            "down": lambda: self._screen.panel.move(1),
            "up": lambda: self._screen.panel.move(-1),
            "first": self._first,
            "last": self._last,
            "page_down": lambda: self._screen.panel.move(self._screen.panel.page()),
            "page_up": lambda: self._screen.panel.move(-self._screen.panel.page()),
            "unfold": lambda: self._in_conversation().unfold(),
            "next_message": lambda: self._in_conversation().step(1),
            "previous_message": lambda: self._in_conversation().step(-1),
            "next_match": lambda: self._in_conversation().next_match(1),
            "previous_match": lambda: self._in_conversation().next_match(-1),
            "theme": self._app.change_theme,
            "quit": self._quit,
        }

    def start(self, name: str) -> None:
        """Start the action `name`."""
        action = BY_ID[name]
        if action.command is not None:
            self._app.performer.perform(action.command(self._screen.selection), _missing(name))
        else:
            self._on_screen[name]()

    def why_not(self, action: Action) -> str:
        """Return why `action` cannot be used now, nothing where it can."""
        if action.panels and self._screen.focused_panel not in action.panels:
            return f"in panel {', '.join(map(str, action.panels))}"
        if action.command is None:
            return ""
        command = action.command(self._screen.selection)
        if command is None:
            return _missing(action.id)
        answer = self._app.source.preview(command)
        return str(answer.reason) if isinstance(answer, Refused) else ""

    def typed(self, text: str) -> None:
        """Switch to the model that was typed, or keep the filter."""
        entry = self._screen.entry
        if self._answering is not None and entry.target == self._answering.TARGET:
            self._answering.written(text)
        elif entry.target.startswith(MODEL):
            try:
                command = switch_to(entry.target.removeprefix(MODEL), text)
            except RefusedError as error:
                self._app.tell(sentence(str(error)), grave=True)
                return
            self._app.performer.perform(command)
        self._close_entry()

    def typing(self, text: str) -> None:
        """Filter by what is typed so far."""
        if self._screen.entry.target in FILTERED.values() and self._screen.focused is self._screen.entry:
            self._screen.panel.seek(text)

    def left(self) -> None:
        """Leave the entry; a filter is cleared."""
        if self._screen.entry.target in FILTERED.values():
            self._screen.panel.seek("")
        self._close_entry()

    def _close_entry(self) -> None:
        self._screen.entry.target = ""
        self._screen.entry.close()
        self._screen.set_focus(self._screen.panel)

    def _prompt(self) -> None:
        """Let the user write to the selected session, or answer what it asks."""
        source = self._app.source
        state = source.snapshot().session(self._screen.selection.session or "")
        if state is None or state.question is None:
            self._screen.prompting.open()
            return
        from hermes_tui.tui.screens.answering import Answering  # noqa: PLC0415 - on first use, as few sessions ask

        self._answering = self._answering or Answering(self._app, self._screen)
        self._answering.open(source, state.name, state.question)

    def _edit_chain(self) -> None:
        """Open the editor on the selected session's own chain where it has one, else on the file's."""
        from hermes_tui.tui.screens.editor import EditorScreen  # noqa: PLC0415 - the text area costs 30 ms: on first use

        desk, moment = self._app.source.desk, self._screen.moment
        if desk is None or moment is None:
            self._screen.refuse("There is no file to edit here.")
            return
        try:
            draft = desk.read()
        except ConfigurationError as error:
            self._screen.refuse(sentence(str(error)))
            return
        session = self._screen.selection.session
        row = moment.facts.sessions.get(session) if session is not None else None
        owner = row.arranged.like if row is not None and row.arranged.like is not None else session
        self._app.push_screen(EditorScreen(self._app, desk, draft, moment, owner))

    def _switch_model(self) -> None:
        source, session = self._app.source, self._screen.selection.session
        facts = source.snapshot().facts
        row = facts.sessions.get(session) if session is not None else None
        if row is None:
            self._screen.refuse("No session is selected.")
            return
        answer = source.preview(any_switch(row, facts.configuration))
        if isinstance(answer, Refused):
            self._screen.refuse(sentence(answer.reason, row.name))
            return
        title = f"Switch {row.name} to provider/model · right takes a suggestion, enter switches, esc leaves"
        self._screen.entry.open(f"{MODEL}{row.name}", title, suggestions=names(facts.configuration))

    def _filter(self) -> None:
        number = self._screen.focused_panel
        if number not in FILTERED:
            self._screen.refuse("This panel has nothing to filter; 1, 4, 5 and 6 have.")
            return
        what = FILTERED[number]
        title = f"Search {what} · enter keeps, esc ends" if number == 5 else f"Filter {what} · esc clears"
        self._screen.entry.open(what, title, self._screen.panel.sought)

    def _palette(self) -> None:
        if self._screen.moment is not None:
            self._app.push_screen(PaletteScreen(self.why_not, self._screen.moment), self._found)

    def _found(self, name: str | None) -> None:
        if name is not None:
            self.start(name)

    def _help(self) -> None:
        number = self._screen.focused_panel
        self._read(lambda moment, cells: help_body(number, cells, moment.keymap))

    def _detail(self) -> None:
        panel = self._screen.panel
        if panel.NUMBER == 6 and panel.key is not None:
            self._read(partial(event_detail, cast("int", panel.key)))
        elif panel.NUMBER == 4:
            self._read(credential_detail)
        elif panel.NUMBER == 5:
            self._read(self._screen.conversation.page_of_marked or detail)
        else:
            self._read(detail)

    def _timeline(self) -> None:
        """Open the timeline of the selected session; the one that the user goes to from there is selected."""
        from hermes_tui.tui.screens.timeline import TimelineScreen  # noqa: PLC0415 - on first use

        moment, session = self._screen.moment, self._screen.selection.session
        if moment is None or session is None:
            self._app.tell("No session is selected.", grave=True)
            return
        self._app.push_screen(TimelineScreen(self._app, moment, session), self._screen.choose)

    def _quota(self) -> None:
        from hermes_tui.tui.screens.quota import QuotaScreen  # noqa: PLC0415 - on first use

        if self._screen.moment is not None:
            self._app.push_screen(QuotaScreen(self._app, self._screen.moment))

    def _read(self, make: Make) -> None:
        if self._screen.moment is not None:
            self._app.push_screen(ReadingScreen(make, self._screen.moment))

    def _back(self) -> None:
        if self._screen.panel.sought:
            self._screen.panel.seek("")
        elif self._screen.zoomed:
            self._zoom()

    def _first(self) -> None:
        self._screen.panel.go_first()

    def _last(self) -> None:
        self._screen.panel.go_last()

    def _in_conversation(self) -> ConversationPanel:
        """Give the focus to the conversation: what its keys do is seen."""
        if self._screen.focused_panel != 5:
            self._screen.action_panel(5)
        return self._screen.conversation

    def _sort(self) -> None:
        self._screen.panel.next_sort()

    def _reverse(self) -> None:
        self._screen.panel.turn_around()

    def _zoom(self) -> None:
        self._screen.zoomed = not self._screen.zoomed
        self._screen.divide()

    def _copy(self) -> None:
        text, told = self._screen.panel.copied()
        if text:
            self._app.copy_to_clipboard(text)
            self._app.tell(told)

    def _quit(self) -> None:
        asked = quitting([source.snapshot() for source in self._app.sources])
        if asked is None:
            self._app.leave()
            return
        question, effect = asked
        screen = ConfirmScreen(question, effect, yes="Quit", no="Stay")
        self._app.push_screen(screen, self._quit_answered)

    def _quit_answered(self, yes: bool | None) -> None:
        if yes:
            self._app.leave()


def _missing(action: str) -> str:
    return "no credential is marked" if action.startswith(("probe", "clear")) else "no session is selected"
