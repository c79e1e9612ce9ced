"""Where a session stands that a Hermes of ours runs."""

from typing import Final

from hermes_tui.core.question import Question
from hermes_tui.core.session import Role
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

NOTHING: Final = PlainText("")


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was said, as it was heard at `at` (epoch seconds)."""

    role: Role
    text: PlainText
    at: float


@dataclass(frozen=True, slots=True)
class Hosted:
    """A session of the process `pid`; times are epoch seconds. Implements `hermes.hosting.HostedSession`.

    `said` is what was said in its newest turn, whether the home has it yet or not; `text` is what streams.
    `doing` is what its turn is at beside that, `trouble` what went wrong last. `queued` prompts wait for the turn to
    end.
    """

    conversation: str
    title: PlainText
    pid: int
    started_at: float
    in_turn: bool = False
    turn_since: float | None = None
    said: tuple[Said, ...] = ()
    text: PlainText = NOTHING
    doing: PlainText = NOTHING
    trouble: PlainText = NOTHING
    queued: int = 0
    question: Question | None = None
