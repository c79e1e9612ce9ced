"""A place to write several lines: what is pasted stays whole, and nothing in it can steer the terminal."""

from typing import ClassVar, Final

from textual import events
from textual.widgets import TextArea

from hermes_tui.core.text import plain
from hermes_tui.tui.content import say

NEW_LINE: Final = ("ctrl+j", "shift+enter", "alt+enter")
"""Keys that begin a line; many terminals tell only the first from enter."""


class WritingArea(TextArea):
    """Takes text as it is typed or pasted; the keys of `NEW_LINE` begin a line, enter is left to whoever holds it."""

    BORROWED: ClassVar[tuple[str, ...]] = ("enter",)
    """Keys that are not text here."""

    def __init__(self, text: str = "", *, id: str | None = None, placeholder: str = "") -> None:  # noqa: A002 - Textual's name
        super().__init__(text, id=id, placeholder=say(placeholder), highlight_cursor_line=False, tab_behavior="focus")

    async def _on_key(self, event: events.Key) -> None:
        if event.key in NEW_LINE:
            event.stop()
            event.prevent_default()
            self.put("\n")
        elif event.key in self.BORROWED:
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        """Insert all lines; terminals send their ends in one of three ways."""
        event.stop()
        event.prevent_default()
        self.put(plain(event.text.replace("\r\n", "\n").replace("\r", "\n")))

    def put(self, text: str) -> None:
        """Write `text` where the cursor is, over what is selected."""
        self.replace(text, *self.selection, maintain_selection_offset=False)

    def write(self, text: str) -> None:
        """Hold `text` alone, with the cursor behind it."""
        self.text = text
        self.move_cursor(self.document.end)
