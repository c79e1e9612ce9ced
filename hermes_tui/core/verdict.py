"""The probe's verdict: what a usage endpoint says about quota, and how far it is believed (M34 ... M38)."""

from enum import StrEnum
from typing import Final, NamedTuple

from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

FULL_PERCENT: Final = 100.0


class Verdict(StrEnum):
    """Does this account have quota for this model?"""

    QUOTA = "quota"
    NO_QUOTA = "no_quota"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """The verdict as a person reads it."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Window:
    """One quota window, named by its length (`5 h`, `week`); `resets_at` in epoch seconds, None where unsaid."""

    name: str
    used_percent: float
    resets_at: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """A usage endpoint's answer, for one model: what was explicit, the credits, and every relevant window.

    None means that the answer did not say. `windows` holds the account's windows and those that meter the model;
    `incomplete` tells that the account has none, or that not all of them tell their use.
    """

    allowed: bool | None = None
    limit_reached: bool | None = None
    has_credits: bool | None = None
    unlimited: bool | None = None
    plan: str | None = None
    windows: tuple[Window, ...] = ()
    model_limited: bool = False
    incomplete: bool = False


class Subject(NamedTuple):
    """What a verdict, a hold and a trial are about: an account of a provider, and a model."""

    provider: str
    account: str
    model: str


class VerdictKey(NamedTuple):
    """Identity of a cached verdict: its subject, and the token that asked (M35)."""

    provider: str
    account: str
    model: str
    fingerprint: str

    @property
    def subject(self) -> Subject:
        """The account and model that the verdict is about."""
        return Subject(self.provider, self.account, self.model)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one probe brought: the verdict, why (for `unknown`), and the usage it came from.

    `retry_after` (seconds) is how long the endpoint itself wants to be left alone; `unreachable` tells that no answer
    came at all.
    """

    verdict: Verdict
    why: PlainText
    usage: Usage | None = None
    retry_after: float | None = None
    unreachable: bool = False


@dataclass(frozen=True, slots=True)
class CachedVerdict:
    """The ledger's row of a verdict; `expires_at` is when it may be asked again. Times in epoch seconds.

    `unreachable` tells that no answer came at all; `asked_by` is another program that asked, None where it was this.
    """

    key: VerdictKey
    verdict: Verdict
    why: PlainText
    asked_at: float
    expires_at: float
    usage: Usage | None = None
    unknown_in_a_row: int = 0
    unreachable: bool = False
    asked_by: PlainText | None = None

    def fresh(self, now: float) -> bool:
        """Tell whether the verdict still counts."""
        return self.asked_at <= now < self.expires_at


@dataclass(frozen=True, slots=True)
class Hold:
    """A contradicted verdict: not believed again on `evidence` before `until` (M38). `count` grows the hold.

    It is 0 where nobody holds back: a served reply ended it, or another program believes as it likes.
    """

    subject: Subject
    evidence: Usage
    contradicted_at: float
    until: float
    count: int


class TrialOutcome(StrEnum):
    """How a trial stands."""

    RUNNING = "running"
    SERVED = "served"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Trial:
    """One early lift on probation (M32): `label` serves `session` alone until `expires_at`.

    No other trial of the subject starts before `next_at`; `evidence` is what it was lifted on. Times in epoch seconds.
    """

    subject: Subject
    label: str
    session: str
    started_at: float
    expires_at: float
    next_at: float
    evidence: Usage
    outcome: TrialOutcome = TrialOutcome.RUNNING

    def runs(self, now: float) -> bool:
        """Tell whether its holder may still use it; a dead holder's trial ends at its deadline."""
        return self.outcome is TrialOutcome.RUNNING and now < self.expires_at


def judge(usage: Usage) -> tuple[Verdict, PlainText]:
    """Return the verdict on `usage` and why, by the order of evidence of M34.

    The model's own full bucket outranks what is said of the account; a bare `allowed` cannot speak for it.
    """
    fullest = max(usage.windows, key=lambda window: window.used_percent, default=None)
    if usage.model_limited:
        return Verdict.NO_QUOTA, PlainText("this model's own limit is reached")
    if usage.limit_reached is True or usage.allowed is False:
        return Verdict.NO_QUOTA, PlainText("the account's limit is reached")
    if usage.allowed is True or usage.limit_reached is False:
        return Verdict.QUOTA, PlainText("the account is allowed")
    if usage.unlimited or usage.has_credits:
        return Verdict.QUOTA, PlainText("credits are left")
    if fullest is None:
        return Verdict.UNKNOWN, PlainText("the answer names no quota window")
    if fullest.used_percent >= FULL_PERCENT:
        return Verdict.NO_QUOTA, PlainText(f"the window {fullest.name} is full")
    if usage.incomplete:
        return Verdict.UNKNOWN, PlainText("the answer does not tell the use of every quota window")
    return Verdict.QUOTA, PlainText("every window has room")


def is_new_evidence(before: Usage, after: Usage) -> bool:
    """Tell whether `after` says something that `before` did not (M38).

    Only a falling percentage, or a change of allowed, limit reached, plan, credits or the set of windows counts;
    a moved reset date and rising use change nothing.
    """

    def explicit(usage: Usage) -> tuple[object, ...]:
        names = frozenset(window.name for window in usage.windows)
        return (
            usage.allowed,
            usage.limit_reached,
            usage.has_credits,
            usage.unlimited,
            usage.plan,
            usage.model_limited,
            names,
        )

    if explicit(before) != explicit(after):
        return True
    was = {window.name: window.used_percent for window in before.windows}
    return any(window.used_percent < was[window.name] for window in after.windows)
