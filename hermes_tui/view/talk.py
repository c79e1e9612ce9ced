"""A session's conversation as one long text: each message a head and its segments, each turn the way it went."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from hermes_tui.core.event import RequestSent, TurnCompleted
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.session import Message, Phase, Role
from hermes_tui.core.snapshot import SessionState
from hermes_tui.core.text import PlainText
from hermes_tui.view.attempts import request_lines, turn_lines
from hermes_tui.view.line import ARROW, EMPTY, Line, Part, Style, cut_line, line_width
from hermes_tui.view.markdown import fresh_lines, segment_lines
from hermes_tui.view.past import Past, Turn
from hermes_tui.view.searching import Match, occurrences
from hermes_tui.view.segments import Growing, Piece, pieces_of, typed_pieces
from hermes_tui.view.sight import Spot
from hermes_tui.view.words import count, wall

INDENT: Final = Part("  ")
CURSOR: Final = Part("▌", Style.STRONG)
LEAST_CELLS: Final = 10


class Talk:
    """The conversation of one session. `renew` takes what is newer; lines are laid out when they are asked for.

    A message is parts: 0 its head, then its segments; a prompt's last part is the way its turn went. The reply that
    streams is the message after the last. `unfolded` holds the numbers of prompts whose turns show every request;
    `marked` is the message with a mark.
    """

    def __init__(self, session: str) -> None:
        self.past = Past(session)
        self.unfolded: set[int] = set()
        self.marked: int | None = None
        self.cells = LEAST_CELLS
        self.reads_markdown = True
        self._state: SessionState | None = None
        self._numbers: list[int] = []
        self._messages: tuple[Message, ...] = ()
        self._live: Message | None = None
        self._growing = Growing()
        self._now = 0.0
        self._keymap = NO_CHANGE
        self._found: tuple[Match, ...] = ()
        self._found_for: tuple[tuple[Message, ...], str, bool] | None = None

    def renew(self, state: SessionState, now: float, keymap: Keymap, cells: int) -> None:
        """Go on with the newest state, at `now` (epoch seconds), in so many cells."""
        self._now, self._keymap, self.cells = now, keymap, max(cells, LEAST_CELLS)
        if state.messages is not self._messages:
            self._messages = state.messages
            self._numbers = [message.number for message in state.messages]
        self._state = state
        self._live = self._streaming(state)
        if self._live is not None:
            self._growing.grow(self._live.text)

    def _streaming(self, state: SessionState) -> Message | None:
        """Return the reply that is under way as the message that it will be."""
        live = state.live
        if live is None or live.waiting_until is not None or (state.row.phase is Phase.IDLE and not live.text):
            return None
        number = self._numbers[-1] + 1 if self._numbers else 0
        turn = self._turn(self._messages[-1]) if self._messages else None
        sent = turn.newest(RequestSent) if turn is not None else None
        route = PlainText(f"{sent.provider}/{sent.model}" if sent else str(state.row.active))
        return Message(state.name, number, Role.ASSISTANT, live.text, live.sent_at or self._now, route)

    # The text that is in sight

    @property
    def total(self) -> int:
        """How many messages there are, with the one that streams."""
        return len(self._messages) + (self._live is not None)

    def place_of(self, number: int) -> int:
        """Return which message of all `number` is, from 1."""
        return bisect_left(self._numbers, number) + 1

    def numbered(self, place: int) -> int | None:
        """Return the number of the message at `place`, from 1, None where there is none."""
        if 1 <= place <= len(self._numbers):
            return self._numbers[place - 1]
        return self._live.number if self._live is not None and place == self.total else None

    def message(self, number: int) -> Message | None:
        """Return a message by its number."""
        if self._live is not None and self._live.number == number:
            return self._live
        index = bisect_left(self._numbers, number)
        found = index < len(self._numbers) and self._numbers[index] == number
        return self._messages[index] if found else None

    def pieces(self, message: Message) -> tuple[Piece, ...]:
        """Return the segments of a message."""
        if message is self._live and self.reads_markdown:
            return self._growing.pieces
        by_user = message.role is Role.USER
        return typed_pieces(message.text) if by_user or not self.reads_markdown else pieces_of(message.text)

    def piece(self, spot: Spot) -> Piece | None:
        """Return the segment at `spot`, None for a head or the way of a turn."""
        message = self.message(spot.message)
        pieces = self.pieces(message) if message is not None else ()
        return pieces[spot.part - 1] if 1 <= spot.part <= len(pieces) else None

    def _parts(self, message: Message) -> int:
        return 1 + len(self.pieces(message)) + (message.role is Role.USER)

    def first(self) -> Spot | None:
        """Return the first part."""
        number = self.numbered(1)
        return Spot(number, 0) if number is not None else None

    def last(self) -> Spot | None:
        """Return the last part."""
        number = self.numbered(self.total)
        message = self.message(number) if number is not None else None
        return Spot(message.number, self._parts(message) - 1) if message is not None else None

    def after(self, spot: Spot) -> Spot | None:
        """Return the part after `spot`."""
        message = self.message(spot.message)
        if message is not None and spot.part + 1 < self._parts(message):
            return Spot(spot.message, spot.part + 1)
        following = self.numbered(self.place_of(spot.message) + 1)
        return Spot(following, 0) if following is not None else None

    def before(self, spot: Spot) -> Spot | None:
        """Return the part before `spot`."""
        if spot.part > 0:
            return Spot(spot.message, spot.part - 1)
        number = self.numbered(self.place_of(spot.message) - 1)
        message = self.message(number) if number is not None else None
        return Spot(message.number, self._parts(message) - 1) if message is not None else None

    def nearest(self, spot: Spot) -> Spot | None:
        """Return `spot` where it still exists, else the last part of its message, or a message beside it."""
        message = self.message(spot.message)
        if message is not None:
            return Spot(spot.message, min(spot.part, self._parts(message) - 1))
        number = self.numbered(min(self.place_of(spot.message), self.total))
        return Spot(number, 0) if number is not None else None

    def lines(self, spot: Spot) -> tuple[Line, ...]:
        """Return the lines of a part."""
        message = self.message(spot.message)
        if message is None:
            return ()
        if spot.part == 0:
            return self._head(message)
        piece = self.piece(spot)
        if piece is None:
            return self._way(message)
        cells = self.cells - len(INDENT.text)
        grows = message is self._live and spot.part == len(self.pieces(message))
        laid = (fresh_lines if grows else segment_lines)(piece.segment, cells)
        lines = tuple((INDENT, *line) if line else EMPTY for line in laid)
        return _with_cursor(lines, self.cells) if grows else lines

    def _head(self, message: Message) -> tuple[Line, ...]:
        mark = (Part(f"{ARROW} ", Style.STRONG),) if message.number == self.marked else ()
        told = self._by_user(message) if message.role is Role.USER else self._by_model(message)
        gap = (EMPTY,) if message.role is Role.USER and message.number != self.numbered(1) else ()
        return (*gap, cut_line((*mark, *told), self.cells))

    def _by_user(self, message: Message) -> Line:
        return (Part("you", Style.YOU), Part(f" · {wall(message.at, self._now)}", Style.MUTED))

    def _by_model(self, message: Message) -> Line:
        before = self._answered_before(message)
        route = message.route or "model"
        other = before is not None and before != route
        told = [Part(route, Style.COOLING if other else Style.STRONG)]
        if other:
            told.append(Part(f" (before: {before})", Style.COOLING))
        if message is self._live:
            told.append(Part(f" · asked {wall(message.at, self._now)}", Style.MUTED))
        else:
            told.append(
                Part(" · ".join(("", wall(message.at, self._now), *_spent(self.completed(message)))), Style.MUTED)
            )
        return tuple(told)

    def _answered_before(self, message: Message) -> str | None:
        """Return the route of the reply before, None where there is none."""
        place = self.place_of(message.number)
        for index in range(place - 2, -1, -1):
            if self._messages[index].role is Role.ASSISTANT:
                return self._messages[index].route
        return None

    def completed(self, message: Message) -> TurnCompleted | None:
        """Return what is known of how a reply was made."""
        prompt = self.prompt_of(message.number)
        turn = self._turn(prompt) if prompt is not None else None
        return turn.newest(TurnCompleted) if turn is not None else None

    def prompt_of(self, number: int) -> Message | None:
        """Return the prompt whose turn a message belongs to."""
        for index in range(min(self.place_of(number), len(self._messages)) - 1, -1, -1):
            if self._messages[index].role is Role.USER:
                return self._messages[index]
        return None

    def _turn(self, prompt: Message) -> Turn | None:
        return self.past.turn_begun(prompt.at)

    @property
    def turn_now(self) -> Turn | None:
        """The newest turn, None where its events are not known."""
        return self._turn(prompt) if self._messages and (prompt := self.prompt_of(self._numbers[-1])) else None

    def _way(self, prompt: Message) -> tuple[Line, ...]:
        unfolded = prompt.number in self.unfolded
        turn = self._turn(prompt)
        if turn is None:
            nothing = Part("What happened in this turn is not known.", Style.MUTED)
            return ((INDENT, nothing),) if unfolded else ()
        cells = self.cells - len(INDENT.text)
        lines = turn_lines(turn, self.past, cells, self._now, self._keymap, unfolded=unfolded)
        return tuple((INDENT, *line) for line in lines)

    # Finding

    def matches(self, sought: str) -> tuple[Match, ...]:
        """Return every place where `sought` (as `sought_text` returns it) occurs, from the first message on."""
        asked = (self._messages, sought, self.reads_markdown)
        if self._found_for != asked:
            said = [message for message in self._messages if occurrences(message.text, sought)]
            self._found = tuple(match for message in said for match in self._matches_in(message, sought))
            self._found_for = asked
        return (*self._found, *(self._matches_in(self._live, sought) if self._live is not None else ()))

    def _matches_in(self, message: Message, sought: str) -> Iterator[Match]:
        for part, piece in enumerate(self.pieces(message), 1):
            for order in range(occurrences(piece.segment.source, sought)):
                yield Match(Spot(message.number, part), order)

    def page(self, number: int, cells: int) -> list[Line]:
        """Return a message as a whole, every request of its turn below it."""
        message, state = self.message(number), self._state
        if message is None or state is None:
            return []
        alone = Talk(self.past.session)
        alone.past, alone.reads_markdown = self.past, self.reads_markdown
        alone.renew(state, self._now, self._keymap, cells)
        prompt = self.prompt_of(number)
        turn = self._turn(prompt) if prompt is not None else None
        parts = range(1 + len(self.pieces(message)))
        lines = [line for part in parts for line in alone.lines(Spot(number, part))]
        if turn is not None:
            head = (Part(f"Turn {turn.number}", Style.STRONG), Part(f", since {wall(turn.started_at, self._now)}"))
            lines += [EMPTY, head, *request_lines(turn, cells, self._now)]
        return lines


def _spent(completed: TurnCompleted | None) -> Iterator[str]:
    if completed is None:
        return
    yield f"{completed.latency:.1f} s"
    if completed.output_tokens is not None:
        yield count(completed.output_tokens, "token")


def _with_cursor(lines: tuple[Line, ...], cells: int) -> tuple[Line, ...]:
    """Return the lines of what is being written, with a cursor at its end."""
    if not lines:
        return ((INDENT, CURSOR),)
    *settled, last = lines
    if line_width(last) < cells:
        return (*settled, (*last, CURSOR))
    return (*lines, (INDENT, CURSOR))
