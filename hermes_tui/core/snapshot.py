"""The snapshot: everything a screen or a script may know at one moment, immutable, with a revision."""

from dataclasses import field
from typing import Final

from hermes_tui.core.event import Event
from hermes_tui.core.facts import Facts
from hermes_tui.core.question import Question
from hermes_tui.core.session import Message, Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import VerdictKey

NOTHING_YET: Final = PlainText("")

OURS: Final = PlainText("hermes-tui itself, as its own file says")
"""Who runs the sessions of this program's own."""


@dataclass(frozen=True, slots=True)
class Live:
    """What is true of a running turn and on no disk: the text streamed so far, and waits.

    `waiting_until` and `sent_at` are epoch seconds; `queued` counts prompts that wait for the turn to end. `doing` is
    what another program's turn is at that is no text: a tool that runs.
    """

    text: PlainText = NOTHING_YET
    sent_at: float | None = None
    waiting_until: float | None = None
    queued: int = 0
    doing: PlainText = NOTHING_YET


AT_REST: Final = Live()
"""Nothing runs, and nothing waits."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """One session as a source knows it. `owner` is the process that runs it, `mine` whether this one does.

    Of one that another process runs, `takes_acts` tells whether it does what is asked here, and `silence` why it does
    not. An `abandoned` one is to run, and nobody runs it: its process has ended. `asked` is what another program's next
    turn of it begins with, in words. `question` is what its turn waits for, and `trouble` what went wrong in its
    program, where no event of the journal says it.
    """

    row: Session
    source: str
    messages: tuple[Message, ...] = ()
    live: Live | None = None
    owner: int | None = None
    mine: bool = True
    takes_acts: bool = False
    silence: PlainText | None = None
    abandoned: bool = False
    asked: tuple[PlainText, ...] = ()
    question: Question | None = None
    trouble: PlainText | None = None

    @property
    def name(self) -> str:
        """The session's name."""
        return self.row.name

    @property
    def pending(self) -> tuple[PlainText, ...]:
        """What was asked and takes effect later, in words."""
        acts = list(self.asked)
        if self.row.forced_at is not None:
            acts.append(PlainText("force restore at the next turn"))
        if self.row.switch_to is not None:
            acts.append(PlainText(f"switch to {self.row.switch_to.route} at the next turn"))
        if self.live is not None and self.live.queued:
            waiting = "1 prompt waits" if self.live.queued == 1 else f"{self.live.queued} prompts wait"
            acts.append(PlainText(waiting))
        return tuple(acts)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a source. Unchanged parts are the same objects as in the snapshot before.

    `at` is epoch seconds. `events` are the newest with their journal numbers, oldest first. `problem` says why the
    numbers may be old (a broken configuration file, a stopped engine); `locked` why what was decided waits to be
    written; `read_only` why no act is possible. `asking` are the questions to usage endpoints that this process has in
    flight. `notes` are no faults and good to know: a file names a process that has ended. `left_out` sessions are older
    than those that were read. `edit_mends` tells whether the problem is one of the file that can be edited here.
    `runs_new` says who runs a session that is made here, for who may choose among sources; None where none can be.
    """

    revision: int
    at: float
    source: str
    facts: Facts = field(default_factory=Facts)
    sessions: tuple[SessionState, ...] = ()
    events: tuple[tuple[int, Event], ...] = ()
    problem: PlainText | None = None
    engine_stopped: bool = False
    locked: PlainText | None = None
    read_only: PlainText | None = None
    asking: frozenset[VerdictKey] = frozenset()
    notes: tuple[PlainText, ...] = ()
    left_out: int = 0
    edit_mends: bool = True
    runs_new: PlainText | None = OURS

    def session(self, name: str) -> SessionState | None:
        """Return the session named `name`."""
        return next((state for state in self.sessions if state.name == name), None)
