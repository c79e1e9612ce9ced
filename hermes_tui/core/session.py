"""Sessions: where each one stands in its chain, why, and what waits to happen."""

from enum import StrEnum
from typing import Final

from hermes_tui.core.cooldown import Said
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.route import Link, Route
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class Phase(StrEnum):
    """What a session's turn is doing."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING = "waiting"


class WaitKind(StrEnum):
    """Why the session keeps away from its primary (M22): a limit, or a primary that fails."""

    LIMIT = "limit"
    FAILING = "failing"


@dataclass(frozen=True, slots=True)
class SessionCooldown:
    """The session's own `rate_limited_until`: its primary is not tried before `until` (epoch seconds).

    `approximate` marks a date that stands for a credential's approximate one.
    """

    kind: WaitKind
    armed_at: float
    until: float
    source: Said
    approximate: bool = False


NO_MESSAGE: Final = PlainText("")


@dataclass(frozen=True, slots=True)
class Departure:
    """Why and when the session left its primary; `reason` None means that the user asked for it."""

    at: float
    reason: FailureKind | None
    code: int | None
    credential: str | None
    message: PlainText


@dataclass(frozen=True, slots=True)
class RouteHold:
    """A fallback route that failed is skipped until `until` (epoch seconds); `failures` grows the hold."""

    route: str
    until: float
    failures: int
    reason: FailureKind


class SkipReason(StrEnum):
    """Why a chain entry is passed over (M7). Benched and missing are different words."""

    INCOMPLETE = "incomplete"
    NOT_CONFIGURED = "not_configured"
    NO_CREDENTIAL = "no_credential"
    ALREADY_TRIED = "already_tried"
    TOO_SMALL = "too_small"
    COOLING = "cooling"
    ON_HOLD = "on_hold"


@dataclass(frozen=True, slots=True)
class Tried:
    """One line of an exhausted walk: a route, why it did not serve, and when it may (epoch seconds)."""

    route: PlainText
    reason: PlainText
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Exhaustion:
    """The last turn found no route; `earliest` is when any returns, None where nobody can say (M8)."""

    at: float
    tried: tuple[Tried, ...]
    earliest: float | None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What the user arranged for a session that they made; `every_seconds` lets it send `prompt` by itself.

    `like` names the entry of the file whose primary and chain it takes.
    """

    like: str | None = None
    system_prompt: str | None = None
    prompt: str | None = None
    every_seconds: float | None = None


NOTHING_ARRANGED: Final = Arrangement()


@dataclass(frozen=True, slots=True)
class Session:
    """The ledger's row of one session.

    `position` is where the next request goes (0 = the primary), `index` the entry that the next failure starts at.
    `requested` is what the user chose; what the file says stands in the configuration. Once the user has switched
    models, `left_out` names the routes that leave its chain; the routes that are `skipped` are passed over until its
    chain is reset; `switch_to` waits for the turn to end. An archived session
    runs nothing. `made_at` orders the sessions that the user made. All times in epoch seconds.
    """

    name: str
    requested: Route
    chain: tuple[Link, ...] = ()
    requested_fault: str | None = None
    position: int = 0
    index: int = 0
    departure: Departure | None = None
    cooldown: SessionCooldown | None = None
    limit_hits: int = 0
    failing_hits: int = 0
    checked_at: float | None = None
    holds: tuple[RouteHold, ...] = ()
    pinned: bool = False
    left_out: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    switch_to: Link | None = None
    forced_at: float | None = None
    home_at: float | None = None
    unverified_since: float | None = None
    exhaustion: Exhaustion | None = None
    wait_recorded: bool = False
    phase: Phase = Phase.IDLE
    turn_started_at: float | None = None
    turns: int = 0
    messages: int = 0
    next_run_at: float | None = None
    created_by_user: bool = False
    arrangement: Arrangement | None = None
    made_at: float | None = None
    archived_at: float | None = None

    @property
    def switched(self) -> bool:
        """Whether the user chose another primary than the file's."""
        return bool(self.left_out)

    @property
    def arranged(self) -> Arrangement:
        """What the user arranged for it, nothing where it is of the file."""
        return self.arrangement or NOTHING_ARRANGED

    @property
    def archived(self) -> bool:
        """Whether the user put it aside."""
        return self.archived_at is not None

    @property
    def active(self) -> Route:
        """The route of the next request."""
        return self.requested if self.position == 0 else self.chain[self.position - 1].route

    @property
    def on_fallback(self) -> bool:
        """Whether the next request goes anywhere but to the primary."""
        return self.position > 0

    def hold_on(self, route: Route, now: float) -> RouteHold | None:
        """Return the hold on `route` that lies ahead, if any."""
        return next((hold for hold in self.holds if hold.route == route.key and hold.until > now), None)


class Role(StrEnum):
    """Who said a message."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One line of a session's conversation; `number` orders it, from 0.

    `route` names what answered. `opaque` is JSON that only `issuer` accepts (encrypted reasoning, M12).
    """

    session: str
    number: int
    role: Role
    text: PlainText
    at: float
    route: PlainText | None = None
    issuer: str | None = None
    opaque: str | None = None
