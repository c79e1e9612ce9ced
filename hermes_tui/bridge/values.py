"""What a running Hermes says of itself through its bridge, as values: made plain, capped, and believed no further.

Times are epoch seconds. No key or token is among them; a fingerprint is the same as `core.secret` makes of it.
"""

from enum import Enum

from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class Act(Enum):
    """What a bridge does for its user (M39 ... M44); the value is its name on the wire."""

    FORCE_RESTORE = "force_restore"
    RESET_CHAIN = "reset_chain"
    TAKE_CHAIN = "take_chain"
    USE_FALLBACK = "use_fallback"
    CLEAR_COOLDOWN = "clear_cooldown"
    DROP_VERDICT = "drop_verdict"


class Held(Enum):
    """Why a session does not return to its primary by itself."""

    LIMIT = "limit"
    CHAIN_EXHAUSTED = "chain exhausted"
    PINNED = "pinned"
    """The user chose the fallback."""


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """A process of Hermes with a bridge; `refusals` say why an act cannot be done there, for each that cannot."""

    pid: int
    hermes: PlainText
    plugin: PlainText
    home: PlainText
    profile: PlainText | None = None
    since: float | None = None
    refusals: tuple[tuple[Act, PlainText], ...] = ()

    def why_not(self, act: Act) -> PlainText | None:
        """Return why `act` cannot be done there, None where it can."""
        return dict(self.refusals).get(act)


@dataclass(frozen=True, slots=True)
class LiveRoute:
    """A route as the running Hermes has it; the address is without user, query and key."""

    provider: PlainText
    model: PlainText
    base_url: PlainText

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class LiveCredential:
    """The login with which a session asks; `id` and `label` are empty for a key that belongs to no pool."""

    provider: PlainText
    id: PlainText
    label: PlainText
    status: PlainText
    fingerprint: PlainText


@dataclass(frozen=True, slots=True)
class Applied:
    """What acts did when they were applied, at the start of a turn."""

    acts: tuple[Act, ...]
    at: float
    said: PlainText


@dataclass(frozen=True, slots=True)
class LiveAgent:
    """Where an open session stands in the memory of its process.

    `chain` is its own, whatever the file says by now; `position` the place in it of the active route (0 is the
    primary, None where the route is no entry any more), `next_entry` the index that the next failure tries first, and
    `skipped` the entries that it will not try again. `cooldown_until` is the session's own: until then it does not
    return by itself, `held` says why where the release tells. From `checks_from` on it looks again whether its benched
    primary has reopened. `waiting` are acts that its next turn begins with.
    """

    session: PlainText
    pid: int
    route: LiveRoute
    primary: LiveRoute
    chain: tuple[LiveRoute, ...] = ()
    position: int | None = 0
    next_entry: int | None = None
    skipped: tuple[PlainText, ...] = ()
    on_fallback: bool = False
    cooldown_until: float | None = None
    held: Held | None = None
    backoffs: int | None = None
    checks_from: float | None = None
    in_turn: bool = False
    turn_since: float | None = None
    credential: LiveCredential | None = None
    waiting: tuple[Act, ...] = ()
    last: Applied | None = None
    home: PlainText = PlainText("")
    platform: PlainText = PlainText("")
    parent: PlainText | None = None


@dataclass(frozen=True, slots=True)
class LiveVerdict:
    """What the usage endpoint said of a token, as a process keeps it until `until`; it asks no sooner.

    `quota` is None for a verdict that says nothing, or a question that is on its way.
    """

    pid: int
    fingerprint: PlainText
    quota: bool | None
    asked_at: float
    until: float


@dataclass(frozen=True, slots=True)
class LiveState:
    """What one process said at `at`; it has `left_out` more agents than it told of."""

    process: LiveProcess
    at: float
    agents: tuple[LiveAgent, ...] = ()
    verdicts: tuple[LiveVerdict, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Live:
    """What all processes of a home said; `agents` holds one for each session. `troubles` are sentences."""

    agents: tuple[LiveAgent, ...] = ()
    verdicts: tuple[LiveVerdict, ...] = ()
    processes: tuple[LiveProcess, ...] = ()
    troubles: tuple[PlainText, ...] = ()

    def agent(self, session: str) -> LiveAgent | None:
        """Return the agent of the session with that id, None where it is not open."""
        return next((one for one in self.agents if one.session == session), None)

    def process(self, pid: int) -> LiveProcess | None:
        """Return the process with that number."""
        return next((one for one in self.processes if one.pid == pid), None)
