"""The one place that joins parts: a configuration, a ledger, the wire and the engine become a fleet."""

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_tui.core.errors import UsageError
from hermes_tui.core.ports import Configured, Neighbours, Owners, Usages, Wire
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.engine.probing import Probing
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_tui.config.desk import FileDesk
    from hermes_tui.config.load import Loaded
    from hermes_tui.core.editing import OwnDesk
    from hermes_tui.core.examining import Examiner
    from hermes_tui.core.keymap import Keymap
    from hermes_tui.engine.examining import Asking
    from hermes_tui.hermes.hosting import Host, Lost
    from hermes_tui.hermes.memory import Hand
    from hermes_tui.hermes.source import HermesHome
    from hermes_tui.hermes.values import Home


@contextmanager
def open_ledger(state: Path) -> "Iterator[SqliteLedger]":
    """Open the state for writing, and close it at the end."""
    ledger = SqliteLedger.open(state)
    try:
        yield ledger
    finally:
        ledger.close()


def surround(
    loaded: Configured,
    ledger: SqliteLedger,
    owners: Owners,
    clock: EngineClock,
    dice: Callable[[], float] = random.random,
) -> Surroundings:
    """Join what every question to a provider needs; who asks closes its `probing` at the end."""

    def open_usages() -> Usages:
        from hermes_tui.providers.usage import HttpUsages  # noqa: PLC0415 - httpx costs 90 ms: on first use

        return HttpUsages(around.redact, now=clock.now)

    probing = Probing(ledger, clock, owners, open_usages, lambda: around.configured)
    around = Surroundings(ledger, clock, probing, loaded, dice)
    return around


def open_asking(configured: Configured, around: Surroundings | None, clock: EngineClock) -> "Asking":
    """Return what asks the servers of a configuration without a prompt; who asks closes it at the end."""
    from hermes_tui.engine import examining  # noqa: PLC0415 - on first use, as few ask
    from hermes_tui.providers.catalogue import HttpCatalogues  # noqa: PLC0415 - httpx costs 90 ms: on first use

    keyring, patience = configured.keyring, examining.PATIENCE_SECONDS
    return examining.Asking(keyring, HttpCatalogues(keyring.redact, now=clock.now, patience=patience), around)


@asynccontextmanager
async def open_fleet(
    loaded: "Loaded",
    ledger: SqliteLedger,
    state: Path,
    *,
    clock: EngineClock | None = None,
    desk: "OwnDesk | None" = None,
    dice: Callable[[], float] = random.random,
    sees_others: bool = False,
) -> AsyncIterator[Fleet]:
    """Join the parts into a fleet that is not started yet; everything is closed at the end.

    One that `sees_others` shows live what other processes of the state run, and acts on it.
    """
    clock = clock or EngineClock()
    owners = Ownership(state)
    around = surround(loaded, ledger, owners, clock, dice)

    def open_wire() -> Wire:
        from hermes_tui.providers.wire import HttpWire  # noqa: PLC0415 - httpx costs 90 ms: on first use

        return HttpWire(around.redact, now=clock.now)

    def asking_for(configured: Configured) -> "Asking":
        asker = Ownership(state)  # of its own: it waits for a question that the fleet asks, and the fleet for its
        return open_asking(configured, surround(configured, ledger, asker, clock), clock)

    def open_examiner() -> "Examiner | None":
        from hermes_tui.engine.examining import ChainExaminer  # noqa: PLC0415 - on first use, as few ask

        return ChainExaminer(around, desk, asking_for) if desk is not None else None

    def open_neighbours() -> Neighbours:
        from hermes_tui.bridge.neighbours import StateNeighbours  # noqa: PLC0415 - on first use, as few have any

        return StateNeighbours(state)

    fleet = Fleet(
        around,
        clock,
        owners,
        open_wire=open_wire,
        desk=desk,
        open_examiner=open_examiner,
        open_neighbours=open_neighbours if sees_others else None,
    )
    try:
        yield fleet
    finally:
        await fleet.close()


def load_what_acts_need() -> None:
    """Load what is loaded on first use elsewhere, for a program without a screen: nobody waits while it answers."""
    import hermes_tui.config.watch  # noqa: PLC0415 - that is the point
    import hermes_tui.providers.wire  # noqa: F401, PLC0415 - as above


def open_home(
    given: Path | None, environ: Mapping[str, str], now: Callable[[], float], keymap: "Keymap | None" = None
) -> "HermesHome":
    """Return the Hermes home that is `given`, else the one that Hermes uses, read once; `keymap` are the screen's keys.

    Raises UsageError where there is none.
    """
    from hermes_tui.hermes.homes import find_home  # noqa: PLC0415 - on first use, as few ask

    ((_, source),) = _read_homes((find_home(given, environ, Path.home()),), environ, now, keymap)
    return source


def open_homes(
    given: Path | None,
    profile: str | None,
    environ: Mapping[str, str],
    now: Callable[[], float],
    keymap: "Keymap | None" = None,
) -> "tuple[tuple[Home, HermesHome], ...]":
    """Return the homes that share a root, or the one of a `profile`, each read once; `given` is where, or Hermes' own.

    Raises UsageError where there is none.
    """
    from hermes_tui.hermes.homes import chosen_homes, profile_name  # noqa: PLC0415 - on first use, as few ask

    homes = chosen_homes(given, profile, environ, Path.home())
    if not homes:
        names = [profile_name(home) for home in chosen_homes(given, None, environ, Path.home())]
        raise UsageError(f'there is no profile "{profile}". There are: {", ".join(names)}')
    return _read_homes(homes, environ, now, keymap)


def _read_homes(
    homes: "Sequence[Home]", environ: Mapping[str, str], now: Callable[[], float], keymap: "Keymap | None"
) -> "tuple[tuple[Home, HermesHome], ...]":
    from hermes_tui.core.keymap import NO_CHANGE  # noqa: PLC0415 - on first use, as few ask
    from hermes_tui.core.secret import without_any  # noqa: PLC0415 - as above
    from hermes_tui.hermes.asking import Asker  # noqa: PLC0415 - as above
    from hermes_tui.hermes.homes import why_not_a_home  # noqa: PLC0415 - as above
    from hermes_tui.hermes.hosted import HostedSessions  # noqa: PLC0415 - as above
    from hermes_tui.hermes.hosted_previews import Ground  # noqa: PLC0415 - as above
    from hermes_tui.hermes.reader import HomeReader  # noqa: PLC0415 - as above
    from hermes_tui.hermes.release import find_installation  # noqa: PLC0415 - as above
    from hermes_tui.hermes.source import HermesHome  # noqa: PLC0415 - as above
    from hermes_tui.hermes.verdicts import Verdicts  # noqa: PLC0415 - as above
    from hermes_tui.hermes.watching import SOURCE  # noqa: PLC0415 - as above

    def open_usages() -> Usages:
        from hermes_tui.providers.usage import HttpUsages  # noqa: PLC0415 - httpx costs 90 ms: on first use

        return HttpUsages(without_any, now=now)

    def source(home: "Home") -> HermesHome:
        verdicts = Verdicts(Asker(open_usages, environ))
        reader = HomeReader(home, release)

        def open_hand() -> "Hand":
            from hermes_tui.bridging import BridgedHand  # noqa: PLC0415 - on first use, as the first frame needs none

            return BridgedHand(home.path, release)

        def open_host(on_change: Callable[[], None], on_lost: "Lost") -> "Host":
            from hermes_tui.gateway.host import GatewayHost  # noqa: PLC0415 - on first use, as few run sessions there
            from hermes_tui.gateway.launching import launch_of  # noqa: PLC0415 - as above

            version = release.version if release is not None else ""
            launch = launch_of(home.path, found.python or Path(), version, environ, folder)
            return GatewayHost(launch, now, on_change, on_lost)

        why_not = found.reason if found.python is None else None
        hosted = HostedSessions(open_host if found.python is not None else None, Ground(folder, why_not))
        made = HermesHome(
            reader,
            now,
            keymap or NO_CHANGE,
            environ=environ,
            verdicts=verdicts,
            open_hand=open_hand,
            hosted=hosted,
        )
        made.name = home.profile or SOURCE
        return made

    if (why := why_not_a_home(homes[0])) is not None:
        raise UsageError(why)
    found, folder = find_installation(environ.get("PATH", "")), Path.cwd()
    release = found.release
    return tuple((home, source(home)) for home in homes)


def open_desk(path: Path, environ: Mapping[str, str], now: Callable[[], float]) -> "FileDesk":
    """Return where the configuration file is read and edited; nothing is read yet."""
    from hermes_tui.config.desk import FileDesk  # noqa: PLC0415 - pydantic costs 40 ms: on first use

    return FileDesk(path, environ=environ, now=now)


def load_configuration(path: Path, environ: Mapping[str, str], now: float) -> "Loaded":
    """Read the configuration file. Raises ConfigurationError."""
    from hermes_tui.config.load import load  # noqa: PLC0415 - pydantic costs 40 ms: on first use

    return load(path, environ=environ, now=now)
