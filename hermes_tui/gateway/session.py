"""One session that a Hermes of ours runs, as its events tell it."""

from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from hermes_tui.core.session import Role
from hermes_tui.core.text import PlainText
from hermes_tui.gateway.asking import Asked
from hermes_tui.gateway.safe import Table, line, passage, sentence, text
from hermes_tui.gateway.values import NOTHING, Hosted, Said

STREAMED: Final = "message.delta"
"""The event that brings a piece of a reply: there are many."""

LONGEST_SHOWN: Final = 60_000
"""Characters of a reply that are shown while it streams: what comes after is in the home once the turn has ended."""

HELD: Final = "what waits is sent with your next prompt"

_REMEMBERED: Final = 50
"""So many messages of a turn are kept, the newest; the home has the others by then."""


class Stage(Enum):
    """How far Hermes is with the newest prompt."""

    IDLE = auto()
    SENT = auto()
    """It is on its way, or waits in Hermes for the end of a turn that Hermes has begun by itself."""

    TURN = auto()
    ENDING = auto()
    """Its reply is there, and Hermes has not said yet that it takes another prompt."""


class Session:
    """What is known of the live session `id` of the process `pid`: of the conversation with that id in the home."""

    def __init__(self, id_: str, conversation: str, title: PlainText, pid: int, now: Callable[[], float]) -> None:
        self.id, self.conversation = id_, conversation
        self.stage = Stage.IDLE
        self.prompt = ""
        """The newest one that was sent."""
        self.queue: deque[str] = deque()
        self.is_on_its_way = False
        """Whether Hermes has not answered yet that it has it."""
        self.is_held = False
        """Whether what waits does so until the user sends another prompt, as the last one came to nothing."""
        self.has_failed = False
        """Whether a fault was told that the turn has not outlived yet."""
        self.turns = 0
        """How many turns have begun."""
        self.questions: list[Asked] = []
        self._title, self._pid, self._now = title, pid, now
        self._started_at = now()
        self._turn_since: float | None = None
        self._said: tuple[Said, ...] = ()
        self._streamed: list[str] = []
        self._room = LONGEST_SHOWN
        self._doing = self._trouble = NOTHING
        self._tools: set[str] = set()
        self._told: Hosted | None = None

    @property
    def in_turn(self) -> bool:
        """Whether it is shown at work."""
        return self.stage in (Stage.SENT, Stage.TURN)

    @property
    def told(self) -> Hosted:
        """Where it stands now, the same object while nothing has changed."""
        if self._told is None:
            question = next((asked.open[0] for asked in self.questions), None)
            self._told = Hosted(
                self.conversation,
                self._title,
                self._pid,
                self._started_at,
                self.in_turn,
                self._turn_since,
                self._said,
                passage("".join(self._streamed).lstrip()),
                self._doing,
                self._trouble,
                len(self.queue),
                question,
            )
        return self._told

    def changed(self) -> None:
        """Have it told anew."""
        self._told = None

    def prompted(self, prompt: str) -> None:
        """Note that a prompt is on its way."""
        if not self.in_turn:
            self._begin()
        self.stage, self.prompt, self.has_failed, self._trouble = Stage.SENT, prompt, False, NOTHING
        self._said = (Said(Role.USER, passage(prompt), self._now()),)

    def taken(self) -> None:
        """Note that Hermes has begun with it, or is about to."""
        if self.stage is Stage.SENT:
            self.stage = Stage.TURN

    def not_taken(self, why: PlainText) -> None:
        """Note that Hermes has not taken it, or has not said so."""
        self._end(Stage.ENDING)
        self.in_trouble(why)

    def free(self) -> None:
        """Note that Hermes is at no turn, and takes another prompt."""
        self._end(Stage.IDLE)

    def hold(self) -> None:
        """Have what waits do so until the user sends another prompt, and say so."""
        if self.queue and not self.is_held:
            self.is_held = True
            self.in_trouble(PlainText(f"{self._trouble}; {HELD}" if self._trouble else HELD))

    def in_trouble(self, why: PlainText) -> None:
        """Note what went wrong, or was declined."""
        self._trouble = why
        self.changed()

    def _end(self, stage: Stage) -> None:
        """Note that a turn is over: what was asked in it is asked no more."""
        self._seal()
        self.stage, self._doing = stage, NOTHING
        self.questions.clear()
        self._tools.clear()
        self.changed()

    def hear(self, kind: str, payload: Table) -> bool:
        """Take an event, and tell whether it says anything of what is shown."""
        match kind:
            case "message.start":
                if not self.in_turn:
                    self._begin()
                self.stage = Stage.TURN
                self.turns += 1
            case "message.delta":
                self._stream(text(payload.get("text")))
            case "message.interim":
                self._seal("" if payload.get("already_streamed") else text(payload.get("text")))
            case "tool.start" | "tool.generating" | "tool.complete":
                self._tool(kind, payload)
            case "status.update" if self.in_turn:
                self._doing = line(payload.get("text"))
            case "message.complete":
                self._complete(payload)
            case "error":  # which may end a turn or not
                self.has_failed = True
                self._trouble = sentence(payload.get("message"))
            case "session.info":  # a conversation may go on under another id
                self.conversation = text(payload.get("stored_session_id")) or self.conversation
            case "request.cancel":
                self.questions = [asked for asked in self.questions if asked.number != payload.get("id")]
            case _:
                return False
        self.changed()
        return True

    def _begin(self) -> None:
        self._turn_since = self._now()
        self._forget_streamed()
        self._said = ()
        self.changed()

    def _stream(self, piece: str) -> None:
        self._room -= len(piece)
        if self._room > 0:
            self._streamed.append(piece)

    def _seal(self, instead: str = "") -> None:
        """Take what has streamed for said: what follows is another message."""
        streamed = passage(instead or "".join(self._streamed)).strip()
        self._forget_streamed()
        if streamed:
            self._said = (*self._said, Said(Role.ASSISTANT, PlainText(streamed), self._now()))[-_REMEMBERED:]

    def _forget_streamed(self) -> None:
        self._streamed.clear()
        self._room = LONGEST_SHOWN

    def _complete(self, payload: Table) -> None:
        if payload.get("status") == "error":
            self._forget_streamed()
            self._trouble = sentence(payload.get("error")) or sentence(payload.get("text"))
        else:
            self.has_failed = False
            if not self._streamed and not self._answered():
                self._seal(text(payload.get("text")))
        self._end(Stage.SENT if self.stage is Stage.SENT else Stage.ENDING)

    def _answered(self) -> bool:
        return self._said != () and self._said[-1].role is Role.ASSISTANT

    def _tool(self, kind: str, payload: Table) -> None:
        if kind == "tool.complete":
            self._doing = NOTHING
            self._drop_expired(text(payload.get("tool_id")))
            return
        self._seal()
        self._doing = line(": ".join(filter(None, map(text, map(payload.get, ("name", "context"))))))
        if kind == "tool.start":
            self._tools.add(text(payload.get("tool_id")))

    def _drop_expired(self, tool: str) -> None:
        """Ask no more, once no tool runs, what only a tool waits for: a release that answers by method tells no end."""
        if tool in self._tools:
            self._tools.discard(tool)
            if not self._tools:
                self.questions = [asked for asked in self.questions if not asked.by_method]
