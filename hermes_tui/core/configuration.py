"""The effective configuration, resolved and without secrets: what the engine runs and the ledger remembers."""

from dataclasses import field
from enum import StrEnum
from typing import Final

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.route import Link, Route
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

NOWHERE: Final = PlainText("")


class Policy(StrEnum):
    """When a benched primary is believed to have reopened before its date (M26, M37, M38)."""

    NEVER = "never"
    EVERY_TURN = "every_turn"
    THROTTLED = "throttled"
    ADAPTIVE = "adaptive"

    @property
    def needs_trial(self) -> bool:
        """Whether an early lift goes through one trial for all sessions (M32)."""
        return self in (Policy.THROTTLED, Policy.ADAPTIVE)


class RestoreMode(StrEnum):
    """Whether a session returns by itself (M25)."""

    TURN = "turn"
    STICKY = "sticky"


class OnRefusal(StrEnum):
    """What a content refusal does (M9)."""

    STOP = "stop"
    FALLBACK = "fallback"


class Strategy(StrEnum):
    """The order in which a pool's credentials are used (M18)."""

    FILL_FIRST = "fill_first"
    ROUND_ROBIN = "round_robin"
    LEAST_USED = "least_used"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Settings:
    """The `[runtime]` table. Every duration is in seconds."""

    policy: Policy = Policy.ADAPTIVE
    restore: RestoreMode = RestoreMode.TURN
    on_refusal: OnRefusal = OnRefusal.STOP
    max_retries: int = 3
    backoff_base_seconds: float = 2.0
    backoff_cap_seconds: float = 120.0
    probe_interval_seconds: float = 300.0
    min_switch_reset_seconds: float = 0.0
    first_token_timeout_seconds: float = 120.0
    idle_timeout_seconds: float = 60.0
    turn_timeout_seconds: float = 1800.0


@dataclass(frozen=True, slots=True)
class Member:
    """One credential as configured: its label, what tells its token apart, and the account it belongs to.

    `fault` says why it cannot be used as configured (a variable that is not set). `expires_at` is the end of a
    token by its own claims (epoch seconds), None where it does not say. `on_demand` is a key that a command prints when
    it is needed: until then its fingerprint stands for the command. `lender` is whose it is where another configuration
    lends it.
    """

    label: str
    fingerprint: str
    account: str
    fault: str | None = None
    expires_at: float | None = None
    lender: str | None = None
    on_demand: bool = False

    def same_account(self, other: "Member") -> bool:
        """Tell whether both spend the same account; what has no token stands for itself."""
        return self.fingerprint != "" and self.account == other.account


@dataclass(frozen=True, slots=True)
class Pool:
    """The credentials of one provider (or of one chain entry with a key of its own), in the file's order.

    `reopens_early` tells that the provider has a usage endpoint that may be asked (Codex). `used_by` names the program
    whose credentials they are, None for this one.
    """

    name: str
    provider: str
    members: tuple[Member, ...]
    strategy: Strategy = Strategy.FILL_FIRST
    reopens_early: bool = False
    request_timeout_seconds: float = 600.0
    used_by: str | None = None

    @property
    def sends_key(self) -> bool:
        """Whether any of its credentials has a key to send."""
        return any(member.fingerprint for member in self.members)

    def lacks_keys(self, now: float) -> bool:
        """Tell whether a key has to be asked for, or to be read anew because its token has expired."""
        return any(one.on_demand or (one.expires_at is not None and one.expires_at <= now) for one in self.members)

    def keys(self) -> tuple[CredentialKey, ...]:
        """Return the keys of the credentials that can be used as configured."""
        return tuple(CredentialKey(self.name, member.label) for member in self.members if not member.fault)

    def member(self, label: str) -> Member | None:
        """Return the member named `label`, if it is configured."""
        return next((member for member in self.members if member.label == label), None)


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A session as configured: its prompt, how often it runs by itself, its own primary and chain if any."""

    name: str
    prompt: str | None = None
    system_prompt: str | None = None
    every_seconds: float | None = None
    primary: Link | None = None
    chain: tuple[Link, ...] | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything that a file says, resolved: routes, pools, settings, sessions, and the keys of actions.

    `origin` is the file's path, `loaded_at` when it was read (epoch seconds), `warnings` what it said that is
    unknown, each with line and nearest known name.
    """

    primary: Link
    chain: tuple[Link, ...] = ()
    pools: tuple[Pool, ...] = ()
    settings: Settings = field(default_factory=Settings)
    sessions: tuple[SessionPlan, ...] = ()
    origin: PlainText = NOWHERE
    loaded_at: float = 0.0
    warnings: tuple[PlainText, ...] = ()
    keymap: Keymap = NO_CHANGE

    def pool(self, name: str) -> Pool | None:
        """Return the pool named `name`."""
        return next((pool for pool in self.pools if pool.name == name), None)

    def repeats(self, route: Route, other: Route) -> bool:
        """Tell whether a try of `route` only repeats `other`, by whatever name: same model, no other token (M7)."""
        return route.same_model_as(other) and self._brings_nothing(route.pool, other.pool)

    def _brings_nothing(self, name: str, other: str) -> bool:
        pool, known = self.pool(name), self.pool(other)
        if name == other or pool is None or known is None:
            return name == other
        tokens = {member.fingerprint for member in pool.members if not member.fault}
        return bool(tokens) and tokens <= {member.fingerprint for member in known.members if not member.fault}

    def plan(self, session: str) -> SessionPlan | None:
        """Return the plan of the session named `session`."""
        return next((plan for plan in self.sessions if plan.name == session), None)

    def routes_of(self, plan: SessionPlan | None) -> tuple[Link, tuple[Link, ...]]:
        """Return the primary and the chain that a session with `plan` takes."""
        primary = plan.primary if plan and plan.primary else self.primary
        chain = plan.chain if plan and plan.chain is not None else self.chain
        return primary, chain
