"""Panel 5: what a session says, streaming, with the route that answered; only what is in sight is laid out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hermes_tui.core.keymap import Keymap
from hermes_tui.core.preview import Preview
from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import SessionState
from hermes_tui.view import empty
from hermes_tui.view.asking import asking_lines
from hermes_tui.view.line import Body, Line, Row, Style, cut_line, line, wrapped
from hermes_tui.view.moment import Moment
from hermes_tui.view.searching import Match, Span, highlighted, sought_text, spans
from hermes_tui.view.sight import Place, Sight, Spot, found_again, lines_after, moved, sight
from hermes_tui.view.talk import Talk
from hermes_tui.view.waiting import waiting_lines, waits_until
from hermes_tui.view.words import count, wall

LEAST_ROOM: Final = 1
COUNTED: Final = 200
"""So many new lines are counted: what is out of sight costs little."""

ABOVE: Final = 3
"""A match that is gone to has an n-th of the room above it."""


@dataclass(slots=True)
class Reading:
    """How one session's conversation is read: what is in sight, what is marked, what is sought.

    `place` None follows the newest line. `seen` is the last line that has been in sight, `origin` where the search
    began.
    """

    talk: Talk
    place: Place | None = None
    mark: Spot | None = None
    seen: Place | None = None
    match: Match | None = None
    origin: Spot | None = None
    sought: str = ""
    sight: Sight = field(default_factory=lambda: Sight((), at_end=True))
    room: int = LEAST_ROOM

    def look(self, room: int) -> Sight:
        """Return what is in sight in so many lines, and note it."""
        talk, self.room = self.talk, max(room, LEAST_ROOM)
        if self.place is not None:
            self.place = found_again(talk, self.place)
        talk.marked = None if self.place is None and self.mark is None else self.marked
        self.sight = sight(talk, self.place, self.room)
        if self.sight.lines:
            if self.place is not None:
                self.place = self.sight.lines[0][0]
            bottom = self.sight.lines[-1][0]
            if self.seen is None or self.place is None or _order(bottom) > _order(self.seen):
                self.seen = bottom
        return self.sight

    @property
    def marked(self) -> int | None:
        """The number of the message that keys are about."""
        if self.mark is not None:
            return self.mark.message
        if self.place is not None:
            return self.place.spot.message
        last = self.talk.last()
        return last.message if last is not None else None

    @property
    def spot(self) -> Spot | None:
        """The part that keys are about: the marked one, or the first in sight."""
        return self.mark or (self.place.spot if self.place is not None else None)

    def follow(self) -> None:
        """Go to the newest line and stay there."""
        self.place = self.mark = None

    def go_first(self) -> None:
        """Go to the first line."""
        first = self.talk.first()
        self.place, self.mark = (Place(first, 0, 1), None) if first is not None else (None, None)

    def move(self, by: int) -> None:
        """Go on by so many lines, or back; who reaches the end follows it."""
        self.look(self.room)
        self.mark = None
        if not self.sight.lines or (self.place is None and by > 0):
            return
        self.place = moved(self.talk, self.sight.lines[0][0], by)
        if self.look(self.room).at_end and by > 0:
            self.follow()

    def step(self, by: int) -> None:
        """Go to the next message or the one before; from inside a message back is to its own beginning."""
        number = self.marked
        if number is None:
            return
        heads = {place.spot for place, _ in self.sight.lines if place.spot.part == 0}
        inside = self.mark is None and Spot(number, 0) not in heads
        place = self.talk.place_of(number) + (by if by > 0 or not inside else 0)
        target = self.talk.numbered(place)
        if target is None:
            if by > 0:
                self.follow()
            return
        self.mark = Spot(target, 0)
        self.place = Place(self.mark, 0, 1)

    def unfold(self) -> None:
        """Show every request of the marked message's turn, or no longer."""
        number = self.marked
        prompt = self.talk.prompt_of(number) if number is not None else None
        if prompt is None:
            return
        unfolded = self.talk.unfolded
        if prompt.number in unfolded:
            unfolded.discard(prompt.number)
            return
        unfolded.add(prompt.number)
        self.mark = Spot(prompt.number, 0)
        self.place = self.place or Place(self.mark, 0, 1)

    # Finding

    def seek(self, text: str) -> None:
        """Find `text`, and go to the first place from where the search began on, else to the last one."""
        if not self.sought:
            self.origin = self.place.spot if self.place is not None else None
        self.sought = sought_text(text).strip()
        self.match = None
        if not self.sought:
            sought_text.cache_clear()
        matches, origin = self.matches(), self.origin
        ahead = (match for match in matches if origin is not None and match.spot >= origin)
        self._go(next(ahead, matches[-1] if matches else None))

    def matches(self) -> tuple[Match, ...]:
        """Return every place where the text sought stands."""
        return self.talk.matches(self.sought) if self.sought else ()

    def next_match(self, by: int) -> None:
        """Go to the next place, or the one before; after the last comes the first."""
        matches = self.matches()
        if self.match in matches:
            self._go(matches[(self.order(matches) + by) % len(matches)])
        elif matches:
            self._go(matches[0 if by > 0 else -1])

    def order(self, matches: tuple[Match, ...]) -> int:
        """Return which of the matches the current one is, from 0."""
        return matches.index(self.match) if self.match in matches else 0

    def _go(self, match: Match | None) -> None:
        self.match = match
        if match is None:
            return
        lines = self.talk.lines(match.spot)
        found = [span for span in spans(lines, self.sought) if span.order <= match.order]
        place = Place(match.spot, found[-1].line if found else 0, len(lines))
        self.mark = match.spot
        if all(seen != place for seen, _ in self.sight.lines):
            self.place = moved(self.talk, place, -(self.room // ABOVE))
        elif self.place is None and self.sight.lines:
            self.place = self.sight.lines[0][0]

    def shown(self) -> tuple[Line, ...]:
        """Return the lines in sight, with what is sought highlighted."""
        found: dict[Spot, list[Span]] = {}
        if self.sought:
            for spot in {place.spot for place, _ in self.sight.lines if self.talk.piece(place.spot) is not None}:
                found[spot] = list(spans(self.talk.lines(spot), self.sought))
        return tuple(self._highlighted(place, drawn, found.get(place.spot, [])) for place, drawn in self.sight.lines)

    def _highlighted(self, place: Place, drawn: Line, found: list[Span]) -> Line:
        here = self.match.order if self.match is not None and self.match.spot == place.spot else -1
        last = max((span.order for span in found), default=0)
        return highlighted(
            drawn,
            (
                (span.start, span.end, Style.MATCH_HERE if span.order == min(here, last) else Style.MATCH)
                for span in found
                if span.line == place.line
            ),
        )

    def below(self) -> str:
        """Return how much has come below what was ever in sight, empty where nothing has."""
        last = self.talk.last()
        if self.place is None or self.seen is None or last is None:
            return ""
        if last.message > self.seen.spot.message:
            return count(self.talk.place_of(last.message) - self.talk.place_of(self.seen.spot.message), "new message")
        lines = lines_after(self.talk, self.seen, COUNTED + 1)
        return f"over {COUNTED} new lines" if lines > COUNTED else count(lines, "new line") if lines else ""


def _order(place: Place) -> tuple[Spot, int]:
    return place.spot, place.line


def conversation(
    reading: Reading, moment: Moment, cells: int, room: int, previews: Mapping[str, Preview], trouble: str = ""
) -> Body:
    """Return the panel of the selected session's conversation in `room` lines of `cells` cells.

    `trouble` is why its history could not be read.
    """
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Conversation", dates=())
    state, talk, now = standing.state, reading.talk, moment.now
    talk.renew(state, now, moment.keymap, cells)
    foot = waiting_lines(state, talk.turn_now, previews, cells, now, moment.keymap, room)
    foot += (cut_line(line(f"Earlier events: {trouble}", Style.MUTED), cells),) if trouble else ()
    foot += tuple(cut_line(line(f"{what}", Style.PROBING), cells) for what in state.pending)
    doing = state.live.doing if state.live is not None else ""
    foot += (cut_line(line(f"now: {doing}", Style.PROBING), cells),) if doing else ()
    foot += tuple(wrapped(state.trouble, cells, Style.DEAD)) if state.trouble else ()
    foot += asking_lines(state.question, cells, moment.keymap)
    foot = foot[: max(room - LEAST_ROOM, 0)]
    reading.look(room - len(foot))
    rows = tuple(Row(drawn) for drawn in reading.shown())
    if not rows:
        rows = (Row(line(empty.no_conversation(moment.keymap, here=state.mine or state.takes_acts), Style.MUTED)),)
    told = subtitle(reading, state, now, moment.keymap)
    return Body(rows, state.name, told, foot=foot, dates=waits_until(state))


def subtitle(reading: Reading, state: SessionState, now: float, keymap: Keymap) -> str:
    """Return where the reader is, what has come below, and who answers."""
    if reading.sought:
        matches = reading.matches()
        which = f"{reading.order(matches) + 1} of {len(matches)}" if matches else "no match"
        keys = f"{keymap.word('next_match')} {keymap.word('previous_match')} next and previous · esc ends"
        return f"{which} · {keys}"
    if reading.place is None:
        return _answering(state, now)
    talk, marked = reading.talk, reading.marked
    where = f"message {talk.place_of(marked)} of {talk.total}" if marked is not None else ""
    below = reading.below()
    return f"{below} · {keymap.word('last')} follows · {where}" if below else f"{keymap.word('last')} follows · {where}"


def _answering(state: SessionState, now: float) -> str:
    row, live = state.row, state.live
    if state.abandoned:
        return "nobody runs it now"
    if state.silence is not None:
        return state.silence
    where = f" in process {state.owner}" if state.takes_acts else ""
    if live is not None and live.waiting_until is not None:
        return f"{row.active}, waits until {wall(live.waiting_until, now)}{where}"
    if row.phase is not Phase.IDLE:
        return f"{row.active}, live{where}"
    return f"next: {row.active}{where}"


def message_page(reading: Reading, number: int, moment: Moment, cells: int) -> Body:  # noqa: ARG001 - a page of any moment
    """Return a message as a page, with everything that is known about its turn."""
    talk = reading.talk
    where = f"Message {talk.place_of(number)} of {talk.total} of {talk.past.session}"
    return Body(tuple(Row(drawn) for drawn in talk.page(number, cells)), where, "esc closes")
