"""The chain editor: the configuration's text, the chain as rows, and what is wrong or would happen, side by side."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from hermes_tui.core.editing import Desk, Draft
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.tui.content import say
from hermes_tui.tui.editor.chain import ChainDeeds
from hermes_tui.tui.editor.file import FileDeeds
from hermes_tui.tui.editor.panels import CheckPanel, EditorPanel, EntriesPanel
from hermes_tui.tui.editor.testing import Testing
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.screens.reading import ReadingScreen
from hermes_tui.tui.timers import SureTimers
from hermes_tui.tui.widgets.bar import Bar
from hermes_tui.tui.widgets.code_area import CodeArea
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.tui.widgets.panel import Make
from hermes_tui.view.editing import (
    OWNER_ACT,
    Editing,
    Spot,
    changes_body,
    check_body,
    entries_body,
    explained_body,
    keys_lines,
    title,
)
from hermes_tui.view.edits import EDITS, PART_ACT, edits_help
from hermes_tui.view.examined import Examined
from hermes_tui.view.line import Body, Line
from hermes_tui.view.moment import Moment
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp

PAUSE_SECONDS: Final = 0.1
"""The text is checked when nothing was typed for this long."""

BESIDE_CELLS: Final = 72
"""From this width on the rows stand beside the text, else below it."""

LOW_ROWS: Final = 18
"""Below this height a narrow window shows one part at a time."""

_AT_ONCE: Final = ("next_part", "previous_part")
"""What moves the focus does so at once: the next key of a burst (a slow line delivers them so) goes there already."""


class EditorScreen(SureTimers, Overlay[None]):
    """Edits one chain: that of `session` where it has its own, else the file's.

    Nothing is written before it is saved, nor while it is wrong.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(edit.keys), f"do('{edit.id}')", edit.label, show=False, priority=edit.id in _AT_ONCE)
        for edit in EDITS
        if edit.keys
    ]

    def __init__(self, app: "HermesApp", desk: Desk, draft: Draft, moment: Moment, session: str | None) -> None:
        super().__init__()
        self.program, self.moment = app, moment
        self._desk = desk
        configuration = moment.facts.configuration
        origin = configuration.origin if configuration else ""
        self.editing = Editing(PurePath(origin).name or "the configuration", None)
        self._session = session
        self._wait: Timer | None = None
        self._low = False
        self.area = CodeArea(desk.notation.language, id="text")
        self.entries = EntriesPanel(self._entries_body, self._state, id="entries")
        self.check = CheckPanel(self._check_body, self._state, id="check")
        self._keys = Bar(self._keys_lines, id="editor-keys")
        self._parts: tuple[Widget, ...] = (self.area, self.entries, self.check)
        self._part: Widget = self.area
        self._file = FileDeeds(self, desk, draft)
        self._chain = ChainDeeds(self, desk)
        self._testing = Testing(self)
        self._deeds: dict[str, Callable[[], object]] = {
            "add": self._chain.add,
            "open": self._open,
            "remove": self._chain.remove,
            "earlier": lambda: self._chain.shift(-1),
            "later": lambda: self._chain.shift(1),
            "undo": lambda: self._again(self.area.undo),
            "redo": lambda: self._again(self.area.redo),
            "test": self._testing.start,
            "whose": self._chain.choose,
            "mend": self._chain.mend,
            "explain": self._explain,
            "changes": self._show_changes,
            "save": self._file.save,
            "read_again": self._file.read_again,
            "next_part": lambda: self._next_part(1),
            "previous_part": lambda: self._next_part(-1),
            "help": lambda: self._read(lambda _, cells: edits_help(cells)),
            "close": self._file.close,
        }

    def compose(self) -> ComposeResult:
        """Lay out the text, the rows and the check."""
        with Horizontal(id="editor"):
            yield self.area
            with Vertical(id="side"):
                yield self.entries
                yield self.check
        yield self._keys

    def on_mount(self) -> None:
        """Show the file, with the cursor in its chain."""
        self.entries.on_marked = lambda _: self._follow_row()
        self.area.load_text(self._file.draft.text)
        self.look()
        configuration = self.editing.checked.configuration or self.moment.facts.configuration
        plan = configuration.plan(self._session) if configuration is not None and self._session is not None else None
        self.take_owner(plan.name if plan is not None and plan.chain is not None else None)
        self.area.focus()

    # What is shown

    def on_resize(self, event: events.Resize) -> None:
        """Put the rows beside the text where there is room, else below it, else show one part at a time."""
        narrow = event.size.width < BESIDE_CELLS
        self._low = narrow and event.size.height < LOW_ROWS
        self.set_class(narrow, "-below")
        self.set_class(self._low, "-alone")
        self._show_parts()

    def _show_parts(self) -> None:
        for part in self._parts:
            part.display = not self._low or part is self._part
        self.query_one("#side").display = not self._low or self._part is not self.area
        self._keys.show(self.moment)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Know which part has the focus, however it got it; its keys are those that work."""
        if event.widget in self._parts:
            self._part = event.widget
            self._show_parts()

    def _next_part(self, by: int) -> None:
        at = self._parts.index(self._part) + by
        self._go_to_part(self._parts[at % len(self._parts)])

    def _go_to_part(self, part: Widget) -> None:
        self._part = part
        self._show_parts()
        self.set_focus(part)

    def show(self, moment: Moment) -> None:
        """Show `moment`, and whether somebody else has changed the file."""
        before, self.moment = self.moment, moment
        if moment.facts.configuration is not before.facts.configuration or moment.snapshot.problem:
            self._file.look_elsewhere()
        self._paint()

    def _state(self) -> object:
        return self.editing

    def _entries_body(self, moment: Moment, cells: int) -> Body:
        return entries_body(self.editing, moment, cells, self.entries.drag)

    def _check_body(self, moment: Moment, cells: int) -> Body:
        return check_body(self.editing, moment.now, cells)

    def _keys_lines(self, _moment: Moment, cells: int) -> tuple[Line, ...]:
        only = self._part.id if self._low else None
        return keys_lines(self.editing, cells, in_text=self._part is self.area, only=only)

    def look(self) -> None:
        """Check the text as it is, and show what comes of it."""
        text, before = self.area.text, self.editing
        self._testing.stop_unless(text)
        checked = self._desk.check(text, before.owner)
        configuration, owner = checked.configuration, before.owner
        plan = configuration.plan(owner) if configuration is not None and owner is not None else None
        if configuration is not None and owner is not None and (plan is None or plan.chain is None):
            self.editing = replace(before, owner=None, examined=Examined())
            self.look()
            return
        self.amend(
            checked=checked,
            good=before.good if configuration is None else checked,
            takings=self._desk.takings(text, configuration, self.moment.snapshot) if configuration else (),
            changed=self._file.changed,
        )

    def amend(self, **fields: Any) -> None:
        """Take another state of the editor, and show it."""
        self.editing = replace(self.editing, **fields)
        self._paint()

    def _paint(self) -> None:
        self.area.border_title = say(title(self.editing))
        for part in (self.entries, self.check, self._keys):
            part.show(self.moment)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Check again once the user pauses."""
        event.stop()
        if self._wait is not None:
            self._wait.stop()
        self._wait = self.set_timer(PAUSE_SECONDS, self._look_and_follow)

    def _look_and_follow(self) -> None:
        self.look()
        self._follow_text()

    # Text and rows in step

    def adopt(self, text: str) -> None:
        """Become `text` by one edit, and check it."""
        self.area.adopt(text)
        self.look()

    def can_change(self) -> bool:
        """Bring the check up to date; tell whether the text can be changed by rows."""
        self.look()
        if self.editing.checked.configuration is None:
            self.program.tell("The text is wrong: correct it first, then the rows can change.", grave=True)
            return False
        return True

    def mark_entry(self, position: int) -> None:
        """Put the mark of the rows and the cursor of the text on an entry."""
        self.entries.mark(position)
        self._follow_row()

    def _follow_row(self) -> None:
        """Put the text's cursor on the marked entry."""
        position, places = self.entries.key, self.editing.checked.places
        if isinstance(position, int) and position <= len(places):
            place = places[position - 1]
            if not place.first <= self.area.line <= place.last:
                self.area.look_at(place.first)

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Mark the row of the entry that the cursor is in."""
        event.stop()
        if self.area.has_focus:
            self._follow_text()

    def _follow_text(self) -> None:
        position = self.editing.checked.entry_at(self.area.line)
        if position is not None and self.editing.checked.configuration is not None:
            self.entries.mark(position)

    def go_to(self, line: int) -> None:
        """Put the cursor on a line of the text, and the focus there."""
        self._go_to_part(self.area)
        self.area.look_at(line)

    def _go_to_chain(self) -> None:
        places = self.editing.checked.places
        self.area.look_at(places[0].first if places else 1)
        self._follow_text()

    def take_owner(self, owner: str | None) -> None:
        """Edit the chain of `owner` from now on."""
        self._testing.stop()
        self.amend(owner=owner, examined=Examined())
        self.look()
        self._go_to_chain()

    # What the user does

    def action_do(self, name: str) -> None:
        """Start an action by its identity."""
        self._deeds[name]()

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Start the action that was clicked."""
        event.stop()
        if event.act.startswith(OWNER_ACT):
            self._chain.take(event.act.removeprefix(OWNER_ACT) or None)
        elif event.act.startswith(PART_ACT):
            self._go_to_part(self.query_one(f"#{event.act.removeprefix(PART_ACT)}"))
        elif event.act == "open":
            self._chain.edit()
        else:
            self._deeds[event.act]()

    def on_editor_panel_opened(self, event: EditorPanel.Opened) -> None:
        """Open the row that was clicked."""
        event.stop()
        self._open()

    def on_entries_panel_dropped(self, event: EntriesPanel.Dropped) -> None:
        """Take the row to where it was let go."""
        event.stop()
        self._chain.move(event.position, event.to)

    def _open(self) -> None:
        """Edit the entry under the cursor, or go to the line of the finding under it."""
        if self._part is self.entries:
            self._chain.edit()
        elif self._part is self.check and isinstance(self.check.key, Spot) and self.check.key.line is not None:
            self.go_to(self.check.key.line)

    def _again(self, change: Callable[[], None]) -> None:
        change()
        self._look_and_follow()

    def _explain(self) -> None:
        """Say what the key under the cursor means."""
        row, column = self.area.cursor_location
        try:
            explained = self._desk.explain(self.area.text, row + 1, column)
        except ConfigurationError as error:
            self.program.tell(sentence(error.what), grave=True)
            return
        self._read(lambda _, cells: explained_body(explained, cells))

    def _show_changes(self) -> None:
        file, text = self._file.draft.text, self.area.text
        self._read(lambda _, cells: changes_body(file, text, cells))

    def _read(self, make: Make) -> None:
        self.program.push_screen(ReadingScreen(make, self.moment))
