"""What a Hermes home says of itself, as values: read tolerantly, believed no further than it was written.

Times are epoch seconds. Text from the files is made plain where it enters; keys and tokens never do: a reference stands
for them, or a fingerprint.
"""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from hermes_tui.core.text import PlainText

NOTHING: Final = PlainText("")


@dataclass(frozen=True, slots=True)
class Home:
    """A home, or a profile's inside of `root`; `profile` is None for the root's own.

    A profile without logins of its own for a provider uses those of the root.
    """

    path: Path
    root: Path
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """Which Hermes is installed, found without importing it; None says that it could not be told.

    `reopens_early` is the fix that ends a cooldown when the usage endpoint says that quota is back.
    """

    distribution: str
    version: str
    reopens_early: bool | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A route as `config.yaml` writes it; `where` is its place there (`fallback_providers[0]`).

    `key_reference` says where the key comes from, never what it is: `${NAME}` of a variable, or a word. `faults` are
    sentences about why it cannot serve; with `ignored` Hermes leaves it out when it reads the file, so that the others
    move up.
    """

    provider: str
    model: str
    where: str
    base_url: str = ""
    api_mode: str = ""
    key_reference: str = ""
    context_length: int | None = None
    faults: tuple[PlainText, ...] = ()
    ignored: bool = False

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class HomeConfiguration:
    """What `config.yaml` says of models; `digest` tells one content of the file from another.

    `legacy` tells that some of the chain stands under `fallback_model`. `request_timeouts` and `strategies` are by
    provider; `isolated_plugins` that plugins run outside of Hermes' own process.
    """

    primary: Entry | None
    chain: tuple[Entry, ...] = ()
    legacy: bool = False
    custom_providers: tuple[Entry, ...] = ()
    strategies: tuple[tuple[str, str], ...] = ()
    request_timeouts: tuple[tuple[str, float], ...] = ()
    min_switch_reset_seconds: float = 0.0
    isolated_plugins: bool = False
    digest: str = ""
    modified_at: float = 0.0
    warnings: tuple[PlainText, ...] = ()


@dataclass(frozen=True, slots=True)
class Login:
    """One row of the credential pool in `auth.json`.

    `status` is what the file says (`ok`, `exhausted`, `dead`, or empty); `reset_at` the date that a provider gave, and
    `benched_until` when Hermes itself will try it again: None where it would now, or never (`dead`). `fingerprint` and
    `probe_key` are made of the token: twelve digits of its hash, of which people see four, and the sixteen by which
    Hermes keeps what the usage endpoint said. `expires_at` is the access token's. `inherited` tells that the root's
    home lends it, `in_log_alone` that the file knows nothing of how it was refused, so that Hermes takes it for free.
    """

    provider: str
    id: str
    label: str
    priority: int = 0
    auth_type: str = ""
    source: str = ""
    status: str = ""
    status_at: float | None = None
    code: int | None = None
    reason: str = ""
    message: PlainText = NOTHING
    reset_at: float | None = None
    benched_until: float | None = None
    model_cooldowns: tuple[tuple[str, float], ...] = ()
    cleared_at: float | None = None
    expires_at: float | None = None
    last_refresh_at: float | None = None
    has_token: bool = False
    can_refresh: bool = False
    fingerprint: str = ""
    probe_key: str = ""
    base_url: str = ""
    request_count: int = 0
    inherited: bool = False
    in_log_alone: bool = False


@dataclass(frozen=True, slots=True)
class Logins:
    """The rows of `auth.json`, by provider in the order in which Hermes takes them.

    `signed_in` are the providers whose login becomes a row when Hermes first uses it. `warnings` are about what cannot
    be read as it should, `notes` about what is as it may be.
    """

    rows: tuple[Login, ...] = ()
    signed_in: tuple[str, ...] = ()
    version: int | None = None
    updated_at: float | None = None
    warnings: tuple[PlainText, ...] = ()
    notes: tuple[PlainText, ...] = ()


@dataclass(frozen=True, slots=True)
class Served:
    """The route that answered a session last, and how often: what really serves it, whatever the session row names."""

    provider: str
    model: str
    calls: int
    first_seen: float | None
    last_seen: float | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session of `state.db`.

    `model` and `provider` stand in its row: what was asked for until something answered, what answered first from then
    on. `chosen` is what its user gave it (provider and model), None where it takes that of the home; `served` are the
    routes that answered, the newest first. A turn in
    flight holds a lease since `busy_since`, which ends at `busy_until` if it is not renewed; `busy_by` is the process
    that holds it, None where it runs in another container. `surface` is where it runs (`cli`, `tui`, a messenger).
    `last_activity_at` is the newest sign of life: what the row says, a message, an answer.
    """

    id: str
    title: PlainText
    surface: str
    model: str = ""
    provider: str = ""
    started_at: float | None = None
    ended_at: float | None = None
    end_reason: str = ""
    last_activity_at: float | None = None
    messages: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    served: tuple[Served, ...] = ()
    busy_since: float | None = None
    busy_until: float | None = None
    busy_by: int | None = None
    parent: str | None = None
    chosen: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """A process that is at work in the home: a gateway, or whoever holds a session; it was seen to be alive."""

    pid: int
    kind: str
    session: str | None = None
    started_at: float | None = None


class Kind(Enum):
    """What a line of the logs tells."""

    TURN = "turn"
    CALLED = "called"
    """A request was answered; the line names the route that served it."""

    ANSWERED = "answered"
    ENDED = "ended"
    """A turn ended without an answer; `reason` says why."""

    FAILED = "failed"
    RETRY = "retry"
    BENCHED = "benched"
    DEAD = "dead"
    ROTATED = "rotated"
    SAME_AGAIN = "same again"
    """Rotation returned the credential that had just failed: the sign of a lying probe."""

    POOL_EMPTY = "pool empty"
    BACKOFF = "backoff"
    FALLBACK = "fallback"
    FALLBACK_POOLED = "fallback pooled"
    FALLBACK_POOLLESS = "fallback poolless"
    """The primary's pool was put down; the fallback has none of its own unless `FALLBACK_POOLED` follows."""

    SKIPPED = "skipped"
    RESTORED = "restored"
    RESTORE_WAITS = "restore waits"
    RESTORE_FAILED = "restore failed"
    LIFTED = "lifted"
    SWITCHED = "switched"
    """Somebody gave the session another model."""

    ACT = "act"
    """The user did something by a bridge; `reason` names the act, `credential` what it was done to if not a session."""


@dataclass(frozen=True, slots=True)
class Happening:
    """What one line of the logs tells; what it does not say is empty.

    `until` is a date it names, or its time and the seconds it names. `session` is the id that it carries.
    """

    time: float
    kind: Kind
    session: str = ""
    provider: str = ""
    model: str = ""
    to_provider: str = ""
    to_model: str = ""
    credential: str = ""
    code: int | None = None
    reason: str = ""
    until: float | None = None
    text: PlainText = NOTHING
