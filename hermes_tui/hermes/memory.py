"""What is in the memory of a running Hermes, where something in it can be asked: the values, and who asks."""

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Protocol

from hermes_tui.core.acts import ForceRestore, ResetChain, TakeChain, UseFallback
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.values import Entry

TOLD: Final = PlainText("Hermes (bridge)")
"""The source of what is told here: it is known, not inferred."""

FORCE_RESTORE: Final = "force_restore"
CLEAR_COOLDOWN: Final = "clear_cooldown"
NAMES: Final = {
    ForceRestore: FORCE_RESTORE,
    ResetChain: "reset_chain",
    TakeChain: "take_chain",
    UseFallback: "use_fallback",
}
"""What the acts on a session are called there, and in its events."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Where a session stands that a Hermes process has open; times are epoch seconds.

    `chain` is its own, whatever the file says by now; `position` is None where its route is no entry of it, and `index`
    is what the next failure tries first; the routes that are `skipped` it does not try again. Until `cooldown_until` it
    does not return by itself; with `pinned` the user chose its route, at `chosen_at`. `is_pooled` tells that its
    fallback has credentials of its own. It does not ask before `checks_from` whether its primary has reopened.
    `waiting` are the acts that its next turn begins with, `refusals` say why an act cannot be done in its process.
    """

    pid: int
    requested: Entry
    active: Entry
    chain: tuple[Entry, ...] = ()
    position: int | None = 0
    index: int = 0
    cooldown_until: float | None = None
    pinned: bool = False
    chosen_at: float | None = None
    is_pooled: bool | None = None
    checks_from: float | None = None
    in_turn: bool = False
    turn_since: float | None = None
    waiting: tuple[str, ...] = ()
    refusals: tuple[tuple[str, PlainText], ...] = ()
    skipped: tuple[PlainText, ...] = ()

    def why_not(self, act: str) -> PlainText | None:
        """Return why `act` cannot be done to it, None where it can."""
        return dict(self.refusals).get(act)


@dataclass(frozen=True, slots=True)
class Belief:
    """What the usage endpoint said of a token when Hermes asked, as it keeps it until `until`; None says nothing."""

    fingerprint: str
    quota: bool | None
    asked_at: float
    until: float


@dataclass(frozen=True, slots=True)
class Memory:
    """What all processes of a home tell; `sessions` are by the id of the conversation.

    `processes` is how many answer, `clears` whether one of them can end a cooldown, `drops` whether one can forget a
    verdict, `notes` who should answer and does not.
    """

    sessions: Mapping[str, OpenSession] = field(default_factory=dict)
    beliefs: tuple[Belief, ...] = ()
    processes: int = 0
    clears: bool = False
    drops: bool = False
    notes: tuple[PlainText, ...] = ()

    def session(self, conversation: str) -> OpenSession | None:
        """Return where the session of a conversation stands, None where no process that answers has it open."""
        return self.sessions.get(conversation)


NO_MEMORY: Final = Memory()
"""Nobody answers."""


class Hand(Protocol):
    """Asks the running Hermes of a home, and acts there. It blocks, and is made to run in threads."""

    @property
    def way(self) -> PlainText | None:
        """How the user gets it where nobody answers yet, None where there is no way: this Hermes takes no bridge."""

    def look(self) -> Memory:
        """Return what is told now, by one thread at a time; never raises."""

    def act(self, act: str, conversation: str) -> PlainText:
        """Do an act to the session of a conversation that is open; return what was done and what will happen.

        Raises RefusedError with the reason, NothingReachableError where nobody knows whether it was done.
        """

    def clear(self, provider: str, login: str) -> PlainText:
        """End the cooldown of a login (its id), and of the sessions that wait for it; raises as `act` does."""

    def drop(self, fingerprint: str) -> PlainText:
        """Forget what the usage endpoint said of the token with that fingerprint; raises as `act` does."""

    def close(self) -> None:
        """Hang up."""
