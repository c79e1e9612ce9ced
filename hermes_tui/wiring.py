"""The one place that joins parts: a configuration, a ledger, the wire and the engine become a fleet."""

import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_tui.core.ports import Usages, Wire
from hermes_tui.core.text import PlainText
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.engine.probing import Probing
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_tui.config.load import Loaded


@contextmanager
def open_ledger(state: Path) -> "Iterator[SqliteLedger]":
    """Open the state for writing, and close it at the end."""
    ledger = SqliteLedger.open(state)
    try:
        yield ledger
    finally:
        ledger.close()


@asynccontextmanager
async def open_fleet(
    loaded: "Loaded",
    ledger: SqliteLedger,
    state: Path,
    *,
    clock: EngineClock | None = None,
    reload: "Callable[[], Loaded] | None" = None,
    dice: Callable[[], float] = random.random,
) -> AsyncIterator[Fleet]:
    """Join the parts into a fleet that is not started yet; everything is closed at the end."""
    clock = clock or EngineClock()

    def redact(text: str) -> PlainText:
        return around.configured.keyring.redact(text)

    def open_usages() -> Usages:
        from hermes_tui.providers.usage import HttpUsages  # noqa: PLC0415 - httpx costs 90 ms: on first use

        return HttpUsages(redact, now=clock.now)

    def open_wire() -> Wire:
        from hermes_tui.providers.wire import HttpWire  # noqa: PLC0415

        return HttpWire(redact, now=clock.now)

    probing = Probing(ledger, clock, open_usages, lambda: around.configured)
    around = Surroundings(ledger, clock, probing, loaded, dice)
    fleet = Fleet(
        around,
        clock,
        Ownership(state),
        open_wire=open_wire,
        reload=reload or (lambda: loaded),
    )
    try:
        yield fleet
    finally:
        await fleet.close()


def load_configuration(path: Path, environ: Mapping[str, str], now: float) -> "Loaded":
    """Read the configuration file. Raises ConfigurationError."""
    from hermes_tui.config.load import load  # noqa: PLC0415 - pydantic costs 40 ms: on first use

    return load(path, environ=environ, now=now)
