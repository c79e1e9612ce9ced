"""The chain editor: the configuration's text, the chain as rows, and what is wrong or would happen, side by side."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import TextArea

from hermes_tui.core.acts import SaveConfiguration
from hermes_tui.core.editing import AddEntry, ChainChange, Desk, Draft, EditEntry, Entry, MoveEntry, RemoveEntry
from hermes_tui.core.errors import ConfigurationError, ConflictError, HermesTuiError
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.merging import merged
from hermes_tui.core.prompting import names, split_name
from hermes_tui.core.taking import takings
from hermes_tui.tui.content import say
from hermes_tui.tui.screens.conflict import Choice, ConflictScreen
from hermes_tui.tui.screens.entry_form import EntryForm
from hermes_tui.tui.widgets.bar import Bar
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.tui.widgets.toml_area import TomlArea
from hermes_tui.view.editing import Editing, check_body, entries_body, keys_line, provider_names, title
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp

PAUSE_SECONDS: Final = 0.1
"""The text is checked when nothing was typed for this long."""

BESIDE_CELLS: Final = 72
"""From this width on the rows stand beside the text, else below it."""


class EditorPanel(Panel):
    """A panel beside the text; it shows what a function of the view makes of the editor's state."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("g,home", "move(-100000)", "First", show=False),
        Binding("G,end", "move(100000)", "Last", show=False),
        Binding("enter", "screen.open", "Open", show=False),
    ]

    def __init__(self, make: Callable[[Moment, int], Body], *, id: str, ascii_only: bool) -> None:  # noqa: A002
        super().__init__(id=id, ascii_only=ascii_only)
        self._make = make

    def body(self, moment: Moment, cells: int) -> Body:
        """Return what the function makes."""
        return self._make(moment, cells)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.move(by)


class EntriesPanel(EditorPanel):
    """The chain as rows, with the keys that change it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,insert", "screen.add", "Add", show=False),
        Binding("d,delete", "screen.remove", "Remove", show=False),
        Binding("J,shift+down,alt+down", "screen.shift(1)", "Later", show=False),
        Binding("K,shift+up,alt+up", "screen.shift(-1)", "Earlier", show=False),
        Binding("u", "screen.undo", "Undo", show=False),
    ]


class EditorScreen(Screen[None]):
    """Edits one chain: the file's, or that of `owner`. Nothing is written before ctrl+s, nor while it is wrong."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", show=False),
        Binding("ctrl+r", "read_again", "Read again", show=False),
        Binding("escape,ctrl+q", "close", "Close", show=False),
        # At once, so that the next key of a burst (a slow line delivers them so) goes to the next part already.
        Binding("tab", "app.focus_next", "Next part", show=False, priority=True),
        Binding("shift+tab", "app.focus_previous", "Part before", show=False, priority=True),
    ]

    def __init__(self, app: "HermesApp", desk: Desk, draft: Draft, moment: Moment, owner: str | None) -> None:
        super().__init__()
        self._app, self._desk, self._draft, self._moment = app, desk, draft, moment
        configuration = moment.facts.configuration
        origin = configuration.origin if configuration else ""
        self._editing = Editing(PurePath(origin).name or "the configuration", owner)
        self._wait: Timer | None = None
        plain = app.look.ascii
        self._text = TomlArea(id="text")
        self._entries = EntriesPanel(self._entries_body, id="entries", ascii_only=plain)
        self._check = EditorPanel(lambda _, cells: check_body(self._editing, cells), id="check", ascii_only=plain)
        self._keys = Bar(lambda _, cells: (keys_line(self._editing, cells),), id="editor-keys", ascii_only=plain)

    def compose(self) -> ComposeResult:
        """Lay out the text, the rows and the check."""
        with Horizontal(id="editor"):
            yield self._text
            with Vertical(id="side"):
                yield self._entries
                yield self._check
        yield self._keys

    def on_mount(self) -> None:
        """Show the file, with the cursor in its chain."""
        self._text.load_text(self._draft.text)
        self._look()
        self._text.go_to(_first_line(self._draft.text, self._editing.owner))

    def on_resize(self, event: events.Resize) -> None:
        """Put the rows beside the text where there is room, else below it."""
        self.set_class(event.size.width < BESIDE_CELLS, "-below")

    # What is shown

    def show(self, moment: Moment) -> None:
        """Show `moment`, and whether somebody else has changed the file."""
        configuration = moment.facts.configuration
        if configuration is not self._moment.facts.configuration or moment.snapshot.problem:
            self._look_elsewhere()
        self._moment = moment
        self._paint()

    def _look_elsewhere(self) -> None:
        """Take the file's new text where nothing was changed here, else say that there is one."""
        try:
            theirs = self._desk.read()
        except ConfigurationError:
            return  # saving will say what is the matter with it
        if theirs.digest == self._draft.digest:
            return
        if self._text.text == self._draft.text:
            self._begin_with(theirs)
        else:
            self._editing = replace(self._editing, elsewhere=True)

    def _entries_body(self, moment: Moment, cells: int) -> Body:
        return entries_body(self._editing, moment, cells)

    def _look(self) -> None:
        """Check the text as it is, and show what comes of it."""
        text, before = self._text.text, self._editing
        checked = self._desk.check(text, before.owner)
        configuration = checked.configuration
        self._editing = replace(
            before,
            checked=checked,
            good=before.good if configuration is None else checked,
            takings=takings(self._moment.snapshot, configuration, self._moment.now) if configuration else (),
            changed=text != self._draft.text,
        )
        self._paint()

    def _paint(self) -> None:
        self._text.border_title = say(title(self._editing), ascii_only=self._app.look.ascii)
        for part in (self._entries, self._check, self._keys):
            part.show(self._moment)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Check again once the user pauses."""
        event.stop()
        if self._wait is not None:
            self._wait.stop()
        self._wait = self.set_timer(PAUSE_SECONDS, self._look)

    # The rows

    def action_open(self) -> None:
        """Edit the entry under the cursor, or go to the line of the finding under it."""
        if self._check.has_focus and self._check.key is not None:
            self._text.go_to(cast("int", self._check.key))
        elif self._entries.has_focus and self._position is not None and self._may_change():
            position = self._position
            entry = self._editing.checked.entries[position - 1]
            self._ask(f"Entry {position}", entry, lambda changed: EditEntry(position, changed))

    def action_add(self) -> None:
        """Add an entry after the one under the cursor."""
        if self._may_change():
            place = self._position + 1 if self._position is not None else None
            self._ask("New entry", Entry(), lambda entry: AddEntry(entry, place))

    def action_remove(self) -> None:
        """Take the entry under the cursor out."""
        if self._position is not None and self._may_change():
            self._change(RemoveEntry(self._position))

    def action_shift(self, by: int) -> None:
        """Move the entry under the cursor by one, and the cursor with it."""
        at = self._position
        if at is None or not self._may_change() or not 1 <= at + by <= len(self._editing.checked.entries):
            return
        self._change(MoveEntry(at, at + by))
        self._entries.mark(at + by)

    def action_undo(self) -> None:
        """Undo the last change of the text."""
        self._text.undo()
        self._look()

    @property
    def _position(self) -> int | None:
        return cast("int | None", self._entries.key)

    def _may_change(self) -> bool:
        """Bring the check up to date; tell whether the text can be changed by rows."""
        self._look()
        if self._editing.checked.configuration is None:
            self._app.tell("The text is wrong: correct it first, then the rows can change.", grave=True)
            return False
        return True

    def _ask(self, name: str, entry: Entry, change: Callable[[Entry], ChainChange]) -> None:
        configuration = self._editing.checked.configuration
        routes = [split_name(name) for name in names(configuration)]
        known = {
            "provider": tuple(dict.fromkeys((*provider_names(configuration), *KNOWN_PROVIDERS))),
            "model": tuple(dict.fromkeys(model for _, model in routes)),
        }
        form = EntryForm(name, entry, known, ascii_only=self._app.look.ascii)
        self._app.push_screen(form, partial(self._answered, change))

    def _answered(self, change: Callable[[Entry], ChainChange], entry: Entry | None) -> None:
        if entry is not None:
            self._change(change(entry))

    def _change(self, change: ChainChange) -> None:
        try:
            text = self._desk.change(self._text.text, self._editing.owner, change)
        except ConfigurationError as error:
            self._app.tell(sentence(error.what), grave=True)
            return
        self._text.adopt(text)
        self._look()

    # The file

    def action_save(self) -> None:
        """Write the text into the file and put it in force, or say what stands in the way."""
        self._look()
        fault = self._editing.first_fault
        if fault is not None:
            self._app.tell(sentence(fault.what), grave=True)
            if fault.line is not None:
                self._text.go_to(fault.line)
        elif not self._editing.changed:
            self._app.tell("Nothing has changed.")
        else:
            self.run_worker(self._save(self._text.text), group="act", exclusive=True, exit_on_error=False)

    async def _save(self, text: str) -> None:
        command = SaveConfiguration(text, self._draft.digest)
        try:
            effect = await self._app.source.execute(command)
        except ConflictError:
            self._resolve(text)
        except HermesTuiError as error:
            self._app.tell(sentence(str(error)), grave=True)
        else:
            self._app.tell(sentence(effect))
            self._app.done(command)
            self.dismiss()

    def _resolve(self, mine: str) -> None:
        """Show both edits, and let the user decide."""
        try:
            theirs = self._desk.read()
        except ConfigurationError as error:
            self._app.tell(sentence(str(error)), grave=True)
            return
        both = merged(self._draft.text, mine, theirs.text)
        screen = ConflictScreen(theirs.text, mine, self._moment, both=both is not None, ascii_only=self._app.look.ascii)
        self._app.push_screen(screen, partial(self._decided, theirs, both))

    def _decided(self, theirs: Draft, both: str | None, choice: Choice | None) -> None:
        if choice is None:
            return
        self._draft = theirs
        if choice is Choice.THEIRS:
            self._begin_with(theirs)
        elif choice is Choice.BOTH and both is not None:
            self._text.adopt(both)
        self._editing = replace(self._editing, elsewhere=False)
        self._look()
        if choice is Choice.MINE:
            self.action_save()

    def _begin_with(self, draft: Draft) -> None:
        self._draft = draft
        self._text.adopt(draft.text)
        self._editing = replace(self._editing, elsewhere=False)
        self._look()

    def action_read_again(self) -> None:
        """Take the file's text again, after asking where the edit would be lost."""
        try:
            theirs = self._desk.read()
        except ConfigurationError as error:
            self._app.tell(sentence(str(error)), grave=True)
            return
        self._unless_kept("Read the file again?", "What you changed is dropped; ctrl+z brings it back.", theirs)

    def action_close(self) -> None:
        """Go back to the dashboard, after asking where the edit would be lost."""
        self._unless_kept("Close without saving?", "What you changed is dropped; the file stays as it is.", None)

    def _unless_kept(self, question: str, effect: str, draft: Draft | None) -> None:
        """Begin with `draft`, or close where that is None; ask first while there is something to lose."""

        def answered(yes: bool | None) -> None:
            if not yes:
                return
            if draft is None:
                self.dismiss()
            else:
                self._begin_with(draft)

        self._editing = replace(self._editing, changed=self._text.text != self._draft.text)
        if self._editing.changed:
            self._app.confirm(question, effect, answered)
        else:
            answered(yes=True)


def _first_line(text: str, owner: str | None) -> int:
    """Return the line (from 1) on which the chain begins, as far as the text shows it; else the first."""
    heads = ("[[sessions.fallback_providers]]",) if owner else ("[[fallback_providers]]", "fallback_providers")
    lines = text.splitlines()
    return next((at for at, one in enumerate(lines, 1) if one.strip().startswith(heads)), 1)
