"""Events: everything that happens, typed, in the past tense; their names and fields are the `run --json` contract.

Times are epoch seconds. `session` names the session that caused the event, None where none did.
"""

import re
from functools import cache
from typing import Final

from hermes_tui.core.cooldown import Said
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import SkipReason
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events share."""

    time: float
    session: str | None = None

    @property
    def type(self) -> str:
        """The event's name in snake case, as written in the journal and in JSON."""
        return snake_case(self.__class__.__name__)


@cache
def snake_case(class_name: str) -> str:
    """Return `TurnStarted` as `turn_started`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateState:
    """One gate as it stood (M47): its name, whether it let pass, and when it next changes."""

    name: str
    passed: bool
    changes_at: float | None
    text: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCreated(Event):
    """A session exists from now on."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRenamed(Event):
    """A session has another name than `before`; earlier events that name it are read under the new one."""

    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionArchived(Event):
    """The user put a session aside: it runs nothing, and nothing of it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBroughtBack(Event):
    """An archived session is there again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleChanged(Event):
    """The user changed how often a session runs by itself: next at `at`, then each `every_seconds`; None for never."""

    every_seconds: float | None
    at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A prompt began its turn."""

    turn: int
    prompt: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSent(Event):
    """A request went out on a route with a credential."""

    provider: str
    model: str
    credential: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailed(Event):
    """A request failed; attributed to the credential and model that sent it (M10). `latency` in seconds."""

    provider: str
    model: str
    credential: str
    status: int | None
    kind: FailureKind
    message: PlainText
    latency: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptAbandoned(Event):
    """A request was given up before its outcome: stopped, or left for another route, or at the turn's end."""

    provider: str
    model: str
    credential: str
    latency: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryScheduled(Event):
    """The same route is tried again at `until` (M2)."""

    provider: str
    model: str
    until: float
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitEnded(Event):
    """The wait before a retry is over: its time came, or the user ended it."""

    by_user: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryRecoveryTried(Event):
    """The primary's client and connections were rebuilt for one more try (M3)."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationCompacted(Event):
    """Older messages were left out so that the conversation fits (M9)."""

    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedHistoryDropped(Event):
    """Opaque parts of so many messages were dropped: the provider that once sealed them takes them no more (M12)."""

    provider: str
    model: str
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialBenched(Event):
    """A credential (for one model where `model` is set) is not tried before `until`; None means dead."""

    provider: str
    credential: str
    model: str | None
    until: float | None
    source: Said
    reason: FailureKind
    code: int | None
    message: PlainText
    approximate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialLifted(Event):
    """A cooldown ended before its date. `on_trial` until a reply proves it; `by` names the evidence."""

    provider: str
    credential: str
    model: str | None
    on_trial: bool
    by: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialReplaced(Event):
    """A credential's token is another one now; what was believed about the old one is gone."""

    provider: str
    credential: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictReceived(Event):
    """A usage endpoint answered, or did not."""

    provider: str
    account: str
    model: str
    credential: str
    verdict: Verdict
    why: PlainText
    expires_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictContradicted(Event):
    """A request after a lift was refused: the verdict is not believed on this evidence before `until` (M38)."""

    provider: str
    account: str
    model: str
    until: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LyingProbeDiagnosed(Event):
    """What another program's files tell of a session comes to a lying probe; `text` says it in a sentence."""

    provider: str
    model: str
    text: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreCheckStarted(Event):
    """A check whether the primary reopened early began; the next one is throttled from here (M26)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreChecked(Event):
    """The way back was tested at the start of a turn."""

    gates: tuple[GateState, ...]
    lifted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreRefused(Event):
    """The session stays where it is; recorded once per episode (M30)."""

    reason: PlainText
    until: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryRestored(Event):
    """The session is back on its primary; a claim until the first reply (M33). `notice` is shown to the user."""

    provider: str
    model: str
    forced: bool
    notice: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryVerified(Event):
    """The first reply after a restore came."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreFailed(Event):
    """The first request after a restore failed; the session leaves its primary again."""

    provider: str
    model: str
    kind: FailureKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackActivated(Event):
    """The next request goes to another route of the chain; `by_user` where he chose it. `notice` is shown to him."""

    position: int
    provider: str
    model: str
    left: PlainText
    reason: PlainText
    notice: PlainText
    by_user: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackSkipped(Event):
    """A chain entry was passed over; `until` is when that ends by itself, None where it does not (M7).

    `approximate` marks a date that nobody said for certain.
    """

    position: int
    provider: str
    model: str
    kind: SkipReason
    reason: PlainText
    until: float | None
    approximate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCompleted(Event):
    """A turn brought its reply. Times in seconds, tokens as the provider counted them."""

    provider: str
    model: str
    credential: str
    text: PlainText
    latency: float
    first_token: float | None
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed(Event):
    """A turn ended without a reply; `earliest` is when any route returns, None where nobody can say.

    `exhausted` tells whether it ended because no route of the chain was left (M8).
    """

    error: PlainText
    earliest: float | None
    exhausted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInterrupted(Event):
    """A turn was stopped, by the user or because its process ended."""

    why: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    """A turn began to wait for an answer of its user; `about` is what the question is about: a command, say."""

    text: PlainText
    about: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class ActPerformed(Event):
    """The user acted (M45): what was asked, on what, and what it changed."""

    act: str
    target: str
    effect: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionScheduled(Event):
    """The session runs by itself again at `at`."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainTaken(Event):
    """A session took the configuration's primary and chain, and goes on at `position` of it (0 = the primary).

    Earlier versions did not note where; both are None then.
    """

    chain: tuple[str, ...]
    primary: str | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationLoaded(Event):
    """The file was read and is in force."""

    origin: PlainText
    warnings: tuple[PlainText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationRejected(Event):
    """The file could not be used; the last good configuration goes on."""

    origin: PlainText
    error: PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStepped(Event):
    """The wall clock was set by `step` seconds; durations were kept, the provider's dates stand (M23)."""

    step: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrated(Event):
    """A demo said what happens now."""

    text: PlainText


CONCERN_ALL: Final = tuple(
    snake_case(kind.__name__)
    for kind in (CredentialBenched, CredentialLifted, CredentialReplaced, VerdictReceived, VerdictContradicted)
)
"""The events that tell of a credential or its account: they concern every session that uses it, whoever caused them."""

COURSE: Final = (
    *CONCERN_ALL,
    *(
        snake_case(kind.__name__)
        for kind in (
            SessionCreated,
            ChainTaken,
            FallbackActivated,
            AttemptFailed,
            PrimaryRestored,
            PrimaryVerified,
            RestoreFailed,
            TurnFailed,
            ActPerformed,
            ClockStepped,
        )
    ),
)
"""The events that tell the course of sessions: where each one stood when, and why."""
