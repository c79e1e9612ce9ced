"""Accounts of a simulated provider and their quota windows, which fill by use and reset by time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hermes_tui.core.secret import Secret
from hermes_tui.simulator.mode import Dialect

FULL_PERCENT = 100.0


@dataclass(slots=True)
class QuotaWindow:
    """A quota of `length` seconds: each request adds `cost_per_request` percent; empty again at `resets_at`.

    `resets_at` is in epoch seconds; `model` is set where the window meters that model alone.
    """

    name: str
    length: float
    resets_at: float
    used_percent: float = 0.0
    cost_per_request: float = 0.0
    model: str | None = None

    @property
    def full(self) -> bool:
        """Whether nothing is left."""
        return self.used_percent >= FULL_PERCENT

    def elapse(self, now: float) -> None:
        """Start anew as often as `now` has passed the reset."""
        if now >= self.resets_at:
            self.used_percent = 0.0
            self.resets_at += self.length * (1 + (now - self.resets_at) // self.length)

    def reopen(self, now: float) -> None:
        """Be empty, with a whole length ahead."""
        self.used_percent = 0.0
        self.resets_at = now + self.length


@dataclass(slots=True)
class Account:
    """One account, reached by its key; without a key it takes any."""

    label: str
    key: Secret | None = None
    plan: str = "plus"
    windows: list[QuotaWindow] = field(default_factory=list)
    served: int = 0

    def metering(self, model: str) -> Iterator[QuotaWindow]:
        """Yield the windows that a request for `model` draws on."""
        return (window for window in self.windows if window.model in (None, model))

    def blocked_until(self, model: str) -> float | None:
        """Return when the last of the full windows resets, None where none is full."""
        return max((window.resets_at for window in self.metering(model) if window.full), default=None)

    def charge(self, model: str) -> None:
        """Draw one request from the windows."""
        self.served += 1
        for window in self.metering(model):
            window.used_percent = min(window.used_percent + window.cost_per_request, FULL_PERCENT)


@dataclass(slots=True)
class Provider:
    """A simulated provider: its dialect, accounts by label, and the pace and words of its replies.

    `latency` is in seconds; `tokens_per_second` 0 sends a reply at once. `models` are those that it lists, each with
    its context window in tokens, 0 where it does not tell.
    """

    name: str
    dialect: Dialect = Dialect.CHAT_COMPLETIONS
    accounts: dict[str, Account] = field(default_factory=dict)
    latency: float = 0.0
    tokens_per_second: float = 0.0
    replies: tuple[str, ...] = ()
    replied: int = 0
    models: Mapping[str, int] = field(default_factory=dict)

    def account_of(self, key: str) -> Account | None:
        """Return the account that `key` opens."""
        secret = Secret(key)
        return next((account for account in self.accounts.values() if account.key in (None, secret)), None)

    def next_reply(self, model: str) -> str:
        """Return the text of the next reply: the configured ones in turn, else a plain sentence."""
        self.replied += 1
        if self.replies:
            return self.replies[(self.replied - 1) % len(self.replies)]
        return f"Reply {self.replied} of {model} by {self.name}."
