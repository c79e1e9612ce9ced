"""Credentials: one key or token of a pool, and what is believed about it."""

from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class CredentialKey(NamedTuple):
    """Identity of a credential: its pool and its label there."""

    pool: str
    label: str

    def __str__(self) -> str:
        return f"{self.pool}/{self.label}"


class TokenKey(NamedTuple):
    """Identity of a credential's row: what is believed is about one token, by the fingerprint of it."""

    pool: str
    label: str
    fingerprint: str


class Failed(NamedTuple):
    """A token that a turn saw fail: for `model`, or for every one where that is None (M18)."""

    token: TokenKey
    model: str | None


class Status(StrEnum):
    """What a credential is (M13)."""

    OK = "ok"
    EXHAUSTED = "exhausted"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Death:
    """Why a credential left the rotation for good, until it is replaced (M9)."""

    at: float
    reason: FailureKind
    code: int | None
    message: PlainText
    session: str


@dataclass(frozen=True, slots=True)
class Credential:
    """The ledger's row of one credential's token.

    `death` takes it out until its token is another. `cooldown` benches it for every model, `model_cooldowns` for
    one each (M17). `cleared_at` is when the user cleared it last (epoch seconds), shown until the next answer.
    `request_count` counts requests sent.
    """

    key: CredentialKey
    fingerprint: str
    death: Death | None = None
    cooldown: Cooldown | None = None
    model_cooldowns: tuple[tuple[str, Cooldown], ...] = ()
    request_count: int = 0
    last_used_at: float | None = None
    last_served_at: float | None = None
    cleared_at: float | None = None

    @property
    def token(self) -> TokenKey:
        """The identity of the row: processes may hold different tokens under one label."""
        return TokenKey(*self.key, self.fingerprint)

    def status(self, now: float) -> Status:
        """Return the status at `now`: dead, exhausted while any cooldown lies ahead, else ok."""
        if self.death is not None:
            return Status.DEAD
        return Status.EXHAUSTED if self.longest(now) is not None else Status.OK

    def longest(self, now: float) -> Cooldown | None:
        """Return the cooldown ahead that ends last, over the account and all models."""
        every = (self.cooldown, *(cooldown for _, cooldown in self.model_cooldowns))
        ahead = [cooldown for cooldown in every if cooldown is not None and cooldown.ahead(now)]
        return max(ahead, key=lambda cooldown: cooldown.until, default=None)

    def benched_for(self, model: str, now: float) -> Cooldown | None:
        """Return the cooldown that keeps this credential from serving `model` now, if any."""
        own = self.model_cooldown(model) if self.model_cooldowns else None
        account = self.cooldown
        if own is None or not own.ahead(now):
            return account if account is not None and account.ahead(now) else None
        return account if account is not None and account.until > own.until else own

    def model_cooldown(self, model: str) -> Cooldown | None:
        """Return the cooldown of (credential, `model`), past or ahead."""
        return next((cooldown for name, cooldown in self.model_cooldowns if name == model), None)

    def with_model_cooldown(self, model: str, cooldown: Cooldown | None) -> "Credential":
        """Return the row with `model`'s own cooldown set, or removed where None."""
        others = tuple(pair for pair in self.model_cooldowns if pair[0] != model)
        return replace(self, model_cooldowns=(*others, (model, cooldown)) if cooldown else others)
