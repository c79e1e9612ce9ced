"""The place to write to a session: it grows with its lines, and stays open after sending."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.message import Message

from hermes_tui.tui.content import say
from hermes_tui.tui.widgets.writing_area import WritingArea


class PromptBox(WritingArea):
    """Enter sends; up and down leave its first and last line for earlier prompts; each session keeps its draft.

    Keys are handled in the order in which they come, so that a burst over a slow line is read as it was typed.
    """

    BORROWED: ClassVar[tuple[str, ...]] = ("enter", "escape", "ctrl+q", "up", "down")

    class Sent(Message):
        """The user sent `text` to `session`; the box is empty again."""

        def __init__(self, session: str, text: str) -> None:
            super().__init__()
            self.session = session
            self.text = text

    class Left(Message):
        """The user left without sending, and may want to quit."""

        def __init__(self, *, quits: bool = False) -> None:
            super().__init__()
            self.quits = quits

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.session = ""
        self._drafts: dict[str, str] = {}
        self._earlier: Callable[[], Sequence[str]] = tuple
        self._completions: Sequence[str] = ()
        self._back = 0
        self._present = ""

    def open(self, session: str, earlier: Callable[[], Sequence[str]], completions: Sequence[str]) -> None:
        """Open for `session` with its draft, and take the focus; `earlier` tells its prompts, the oldest first."""
        if session != self.session:
            self._drafts[self.session] = self.text
            self.session, self._back = session, 0
            self.write(self._drafts.pop(session, ""))
        self._earlier, self._completions = earlier, completions
        self.display = True
        self.screen.set_focus(self)  # at once, so that the next key of a burst is text already

    def called(self, before: str, after: str) -> None:
        """Keep the draft of a session that is called otherwise now."""
        if self.session == before:
            self.session = after
        elif before in self._drafts:
            self._drafts[after] = self._drafts.pop(before)

    def entitle(self, title: str, keys: str) -> None:
        """Say whom the prompt is for, and what the keys do."""
        self.border_title = say(title)
        self.border_subtitle = say(keys)

    def give_back(self, session: str, text: str) -> None:
        """Take back what could not be sent, before what was written since."""
        if session == self.session:
            self.write("\n".join(piece for piece in (text, self.text) if piece))
        else:
            self._drafts[session] = "\n".join(piece for piece in (text, self._drafts.get(session, "")) if piece)

    async def _on_key(self, event: events.Key) -> None:
        if event.key not in self.BORROWED:
            return
        event.stop()
        match event.key:
            case "enter":
                text, self._back = self.text, 0
                self.write("")
                self.post_message(self.Sent(self.session, text))
            case "up":
                self._up()
            case "down":
                self._down()
            case key:
                self.post_message(self.Left(quits=key == "ctrl+q"))

    def _up(self) -> None:
        if self.navigator.is_first_wrapped_line(self.cursor_location):
            self._recall(1)
        else:
            self.action_cursor_up()

    def _down(self) -> None:
        if self.navigator.is_last_wrapped_line(self.cursor_location):
            self._recall(-1)
        else:
            self.action_cursor_down()

    def _recall(self, by: int) -> None:
        """Go so many prompts back; before the newest one lies what is being written."""
        told = self._earlier()
        if not self._back:
            self._present = self.text
        back = min(max(self._back + by, 0), len(told))
        if back != self._back:
            self._back = back
            self.write(told[-back] if back else self._present)

    def update_suggestion(self) -> None:
        """Offer the rest of what is being written, where that is known; the right key takes it."""
        text = self.text
        whole = next((one for one in self._completions if text and one.startswith(text) and one != text), text)
        self.suggestion = whole[len(text) :]
