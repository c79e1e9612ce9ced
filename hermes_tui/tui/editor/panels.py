"""The panels beside the text: the rows, which the mouse can take to another place, and the check."""

from collections.abc import Callable, Hashable
from typing import ClassVar, cast

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from hermes_tui.tui.widgets.panel import MOVES, Make, Panel
from hermes_tui.view.editing import Drag
from hermes_tui.view.edits import EDITS
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment


class EditorPanel(Panel):
    """A panel beside the text. `make` is the view's function, `state` what it shows besides the moment."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        *(
            Binding(",".join(edit.letters), f"screen.do('{edit.id}')", edit.label, show=False)
            for edit in EDITS
            if edit.letters
        ),
    ]

    class Opened(Message):
        """A row was clicked so that it opens."""

    def __init__(self, make: Make, state: Callable[[], object], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._make = make
        self._state = state

    def body(self, moment: Moment, cells: int) -> Body:
        """Return what the function makes."""
        return self._make(moment, cells)

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return the moment and the editor's state."""
        return (moment, self._state())

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.move(by)

    def action_page(self, by: int) -> None:
        """Move the cursor by pages."""
        self.move(by * self.page())

    def index_at(self, event: events.MouseEvent) -> int | None:
        """Return the index of the row under the mouse, which may be below the last one; None outside the rows."""
        offset = event.get_content_offset(self)
        height = offset.y - len(self._body.head) if offset is not None else -1
        return self._top + height if 0 <= height < self._room() else None

    def key_at(self, event: events.MouseEvent) -> Hashable:
        """Return what the row under the mouse stands for, None where it is nothing."""
        index = self.index_at(event)
        return self._body.rows[index].key if index is not None and index < len(self._body.rows) else None


class CheckPanel(EditorPanel):
    """What is wrong, and what would happen; a click on a finding goes to its line."""

    def on_click(self, event: events.Click) -> None:
        """Go where the finding is."""
        key = self.key_at(event)
        if key is not None:
            self.mark(key)
            self.post_message(self.Opened())


class EntriesPanel(EditorPanel):
    """The chain as rows. A row follows the mouse that holds it, and stays where it is let go."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "let_go", "Let go", show=False)]

    class Dropped(Message):
        """A row was let go at another place; positions count from 1."""

        def __init__(self, position: int, to: int) -> None:
            super().__init__()
            self.position, self.to = position, to

    def __init__(self, make: Make, state: Callable[[], object], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(make, state, id=id)
        self.drag: Drag | None = None
        self._held: int | None = None

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the rows depend on, the row that is dragged included."""
        return (*super().stamp(moment), self.drag)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the row under the mouse."""
        key = self.key_at(event)
        if event.button == 1 and key is not None:
            self._held = cast("int", key)
            self.mark(key)
            self.on_marked(self)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Let the row that is held follow the mouse."""
        if self._held is None:
            return
        to = self._place_at(event)
        if self.drag is not None or to != self._held:
            self._follow(Drag(self._held, to))

    def _place_at(self, event: events.MouseEvent) -> int | None:
        """Return the position under the mouse, None outside the rows; at an edge the next one out of sight."""
        index = self.index_at(event)
        if index is None:
            return None
        last, bottom = len(self._body.rows) - 1, self._top + self._room() - 1
        if index == bottom < last:
            index += 1
        elif index == self._top > 0:
            index -= 1
        return min(max(index, 1), last)

    def _follow(self, drag: Drag | None) -> None:
        if drag != self.drag:
            self.drag = drag
            if self._moment is not None:
                self.show(self._moment)

    def on_mouse_up(self) -> None:
        """Leave the row where it is let go."""
        drag = self.drag
        self.action_let_go()
        if drag is not None and drag.to is not None and drag.to != drag.position:
            self.post_message(self.Dropped(drag.position, drag.to))

    def on_blur(self) -> None:
        """Let go of what is held."""
        super().on_blur()
        self.action_let_go()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Leave escape to the screen while nothing is held."""
        return action != "let_go" or self._held is not None

    def action_let_go(self) -> None:
        """Let go of the row without moving it."""
        if self._held is not None:
            self._held = None
            self.release_mouse()
            self._follow(None)

    def on_click(self, event: events.Click) -> None:
        """Open the row that is clicked twice."""
        if event.chain == 2 and self.key_at(event) is not None:
            self.post_message(self.Opened())
