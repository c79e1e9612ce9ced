"""Panel 5: the conversation of the selected session."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import ClassVar, Final

from textual import events

from hermes_tui.core.acts import Command
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.event import Event
from hermes_tui.core.preview import Preview
from hermes_tui.core.snapshot import SessionState
from hermes_tui.tui.widgets.panel import Make, Panel
from hermes_tui.view import markdown
from hermes_tui.view.actions import BY_ID
from hermes_tui.view.conversation import Reading, conversation, message_page
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment, Named, Selection, Standing
from hermes_tui.view.past import Past
from hermes_tui.view.segments import Kind
from hermes_tui.view.sight import Spot
from hermes_tui.view.talk import Talk
from hermes_tui.view.waiting import ACTS, waits
from hermes_tui.view.words import count

History = Callable[[str, float], Awaitable[tuple[tuple[int, Event], ...]]]
"""Tells what a session went through since a time."""

NOBODY: Final = Named("", "")
WHEEL_LINES: Final = 3
"""So far a step of the mouse's wheel goes."""


class ConversationPanel(Panel):
    """What was said, the reply that streams, and the way each turn went. What is in sight stays while text arrives."""

    NUMBER: ClassVar[int] = 5

    def __init__(
        self,
        preview: Callable[[Command], Preview],
        history: History,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._preview = preview
        self._history = history
        self._readings: dict[Named, Reading] = {}
        self._reading = Reading(Talk(""))
        self._shown = self._loaded = NOBODY
        self._trouble = ""
        self._moves = 0
        self._reads_markdown = False
        self._copied: tuple[int, int] | None = None
        self._previews: Mapping[str, Preview] = {}
        self._previews_for: tuple[tuple[Standing, ...], Selection] | None = None

    # What is shown

    def show(self, moment: Moment) -> None:
        """Show `moment`; what has happened is taken in while the panel is in sight, and read again after."""
        if moment.standing is not None and self.display and self.size.width > 0:
            self._take(moment.standing.state, moment)
        super().show(moment)

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the conversation depends on."""
        state = moment.standing.state if moment.standing else None
        return (state, self._reading.talk.past.taken, moment.keymap, self._moves, self.size.height)

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the lines in sight."""
        state = moment.standing.state if moment.standing else None
        previews = self._previewed(moment) if state is not None and waits(state) else {}
        return conversation(self._reading, moment, cells, self.size.height, previews, self._trouble)

    def _take(self, state: SessionState, moment: Moment) -> None:
        """Take up the reading of the selected session, and what has happened since."""
        named = Named(moment.source, state.name)
        if named != self._shown:
            self.sought = ""
            self._reading.seek("")
            self._reading.talk.past = Past(self._reading.talk.past.session)
            self._reading = self._readings.setdefault(named, Reading(Talk(state.name)))
            self._shown, self._loaded, self._trouble = named, NOBODY, ""
        talk, told = self._reading.talk, moment.snapshot.events
        talk.reads_markdown = self._reads_markdown
        missed = bool(told) and talk.past.newest > 0 and told[0][0] > talk.past.newest + 1
        if state.messages and (self._loaded != named or missed):
            self._loaded = named
            self.call_after_refresh(self._begin_loading, talk, state.messages[0].at)
        talk.past.add(told)

    def _begin_loading(self, talk: Talk, since: float) -> None:
        work = self._load(talk, since)
        self.run_worker(work, name="history", group="history", exclusive=True, exit_on_error=False)

    async def _load(self, talk: Talk, since: float) -> None:
        """Read what the session went through, and the libraries that its text is read with."""
        past = Past(talk.past.session)
        try:
            past.add(await self._history(past.session, since))
            self._trouble = ""
        except HermesTuiError as error:
            self._trouble = str(error)
        await asyncio.to_thread(markdown.load)
        self._reads_markdown = True
        if talk is self._reading.talk and self._moment is not None:
            past.add(self._moment.snapshot.events)
            talk.past = past
            self._again()

    def _previewed(self, moment: Moment) -> Mapping[str, Preview]:
        """Return what the buttons would do; the same answers while the moment's decisions hold."""
        held_for = self._previews_for
        if held_for is None or held_for[0] is not moment.standings or held_for[1] != moment.selection:
            commands = {name: make(moment.selection) for name, _ in ACTS if (make := BY_ID[name].command) is not None}
            self._previews = {name: self._preview(command) for name, command in commands.items() if command is not None}
            self._previews_for = (moment.standings, moment.selection)
        return self._previews

    def _again(self) -> None:
        """Show the same moment after the reader has moved."""
        self._moves += 1
        if self._moment is not None:
            self.show(self._moment)

    # What the user does

    def move(self, by: int) -> None:
        """Scroll by so many lines."""
        self._reading.move(by)
        self._moved()

    def go_first(self) -> None:
        """Go to the first message."""
        self._reading.go_first()
        self._moved()

    def go_last(self) -> None:
        """Follow the newest line."""
        self._reading.follow()
        self._moved()

    def step(self, by: int) -> None:
        """Go to the next message, or the one before."""
        self._reading.step(by)
        self._moved()

    def unfold(self) -> None:
        """Show every request of the turn in sight, or fold them; what could not be read is read again."""
        self._loaded = NOBODY if self._trouble else self._loaded
        self._reading.unfold()
        self._moved()

    def seek(self, text: str) -> None:
        """Find `text` in all messages."""
        self.sought = text
        self._reading.seek(text)
        self._moved()

    def next_match(self, by: int) -> None:
        """Go to the next place where the text stands, or the one before."""
        self._reading.next_match(by)
        self._moved()

    def _moved(self) -> None:
        self._copied = None
        self._again()

    @property
    def page_of_marked(self) -> Make | None:
        """The page of the message that is marked or in sight, None where there is none."""
        number = self._reading.marked
        return partial(message_page, self._reading, number) if number is not None else None

    def copied(self) -> tuple[str, str]:
        """Return the raw text of the marked message, and what to say; again, its blocks of code one by one.

        Where a block of code is marked, or the first in sight, it is that block.
        """
        talk, spot, number = self._reading.talk, self._reading.spot, self._reading.marked
        message = talk.message(number) if number is not None else None
        if message is None or number is None:
            return "", ""
        pieces = talk.pieces(message)
        blocks = (
            markdown.code_blocks(message.text, pieces)
            if any(one.segment.kind is not Kind.TYPED for one in pieces)
            else ()
        )
        piece = talk.piece(spot) if spot is not None and self._copied is None else None
        if piece is not None and piece.segment.kind is Kind.CODE:
            raw = "".join(message.text[one.start : one.end] for one in pieces if one.block == piece.block)
            return raw, "Copied the code."
        again = self._copied[1] if self._copied is not None and self._copied[0] == number else 0
        self._copied = (number, (again + 1) % (len(blocks) + 1))
        if again:
            return blocks[again - 1], f"Copied code {again} of {len(blocks)} of the message."
        key = self._moment.keymap.word("copy") if self._moment is not None else ""
        more = f" {key} again copies its {count(len(blocks), 'block')} of code." if blocks else ""
        return message.text, f"Copied the message.{more}"

    def on_click(self, event: events.Click) -> None:
        """Mark the part under the mouse; buttons are pressed by the class above."""
        offset = event.get_content_offset(self)
        lines = self._reading.sight.lines
        if offset is not None and offset.y < len(lines):
            place, _ = lines[offset.y]
            self._reading.mark = Spot(place.spot.message, place.spot.part)
            self._reading.place = self._reading.place or lines[0][0]
            self._moved()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop().prevent_default()
        self.move(WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop().prevent_default()
        self.move(-WHEEL_LINES)
