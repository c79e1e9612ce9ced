"""What every session of an engine shares: the ledger, the clock, the probe, and the configuration in force."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from hermes_tui.core.configuration import Configuration, Pool
from hermes_tui.core.decision import Decision
from hermes_tui.core.facts import Facts
from hermes_tui.core.ports import Clock, Configured, Ledger
from hermes_tui.core.route import Route
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.engine.patience import commit_patiently
from hermes_tui.engine.probing import Probing

T = TypeVar("T")


async def _no_other_keys(_pool: str) -> bool:
    return False


async def _as_they_are(_pool: str) -> None:
    return None


@dataclass(slots=True)
class Surroundings:
    """The shared parts. `configured` is replaced whole when the file changes; `dice` gives numbers in [0, 1)."""

    ledger: Ledger
    clock: Clock
    probing: Probing
    configured: Configured
    dice: Callable[[], float]
    on_locked: Callable[[PlainText | None], None] = lambda _: None
    """Told when a commit waits long for a state that another process holds, and None when it waits no more."""
    read_keys_again: Callable[[str], Awaitable[bool]] = _no_other_keys
    """Looks where the keys come from, a pool's commands too, puts changed ones in force, and tells whether there are
    any (C64)."""
    fetch_keys: Callable[[str], Awaitable[None]] = _as_they_are
    """Has the keys of a pool that are needed now and not there: printed by a command, or expired and renewed since."""
    _committing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One waits for a locked state, and the others for it: each try holds everything up for a moment."""

    @property
    def facts(self) -> Facts:
        """The ledger's rows, under this process's configuration."""
        return self.ledger.facts.under(self.configuration)

    @property
    def configuration(self) -> Configuration:
        """The configuration in force."""
        return self.configured.configuration

    def redact(self, text: str) -> PlainText:
        """Return foreign text with every known secret taken out, plain."""
        return self.configured.keyring.redact(text)

    async def commit(self, decide: Callable[[Facts], Decision[T]]) -> T:
        """Commit a decision made under this process's configuration."""
        async with self._committing:
            return await commit_patiently(
                self.ledger, self.clock, lambda facts: decide(facts.under(self.configuration)), self.on_locked
            )

    def session(self, name: str) -> Session:
        """Return the session's current row."""
        return self.ledger.facts.sessions[name]

    def pool_of(self, route: Route) -> Pool:
        """Return the pool that serves a route; one that is not configured has no members."""
        return self.configuration.pool(route.pool) or Pool(route.pool, route.provider, ())
