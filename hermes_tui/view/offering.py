"""What the form of an entry offers: providers with whether their key is set, and the models that were seen there.

A key is told by the name of its variable only, never by its value.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.configuration import Configuration, Pool
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.view.cells import fit, width
from hermes_tui.view.line import Line, Part, Style, cut_line
from hermes_tui.view.words import count

LEAST_SHARE: Final = 0.55
"""The part of a line that values keep where what there is to say of them is long."""


class Offer(NamedTuple):
    """A value that a field may take, and what there is to say of it; `window` is in tokens."""

    value: str
    note: str = ""
    good: bool = False
    window: int | None = None


def provider_offers(
    configuration: Configuration | None, variables: Mapping[str, str], names: Container[str] | None = None
) -> tuple[Offer, ...]:
    """Return the providers: those of the file first, then the known ones, those with a key before the others.

    `variables` are the known providers whose key is in the environment, each with the variable's name. `names` are
    those that whoever reads the file knows, None where it knows all that are known here.
    """
    of_file = dict(_of_file(configuration, variables)) if configuration is not None else {}
    others = (one for one in KNOWN_PROVIDERS.values() if one.name not in of_file)
    known = [_of_known(one, variables) for one in others if names is None or one.name in names]
    return (*of_file.values(), *sorted(known, key=lambda offer: not offer.good))


def _of_file(configuration: Configuration, variables: Mapping[str, str]) -> Iterator[tuple[str, Offer]]:
    """Yield the providers that a file names, in the order of its chain."""
    pools = {pool.provider: pool for pool in configuration.pools if pool.name == pool.provider}
    names = (*(route.provider for route in _routes(configuration)), *pools)
    for name in dict.fromkeys(filter(None, names)):
        known = KNOWN_PROVIDERS.get(name)
        if name in pools and not (known is not None and _lacks_key(known, pools[name])):
            yield name, Offer(name, *_of_pool(pools[name]))
        elif known is not None:
            offer = _of_known(known, variables)
            yield name, offer._replace(note=f"in the file; {offer.note}")
        else:
            yield name, Offer(name, "in the file")


def _lacks_key(known: KnownProvider, pool: Pool) -> bool:
    """Tell whether a pool says nothing against its credentials, and has no key for a provider that wants one."""
    return known.needs_key and bool(pool.keys()) and not pool.sends_key


def _of_pool(pool: Pool) -> tuple[str, bool]:
    """Return what to say of a provider of the file, and whether it can be used."""
    usable = [member for member in pool.members if not member.fault]
    if not pool.members:
        return "in the file, without a key", False
    if not usable:
        fault, _, _ = str(pool.members[0].fault).partition(":")
        return f"in the file; {fault}", False
    if not any(member.fingerprint for member in usable):
        return "in the file, needs no key", True
    set_here = (
        count(len(usable), "key") if len(usable) == len(pool.members) else f"{len(usable)} of {len(pool.members)}"
    )
    return f"in the file, {set_here} set", True


def _of_known(known: KnownProvider, variables: Mapping[str, str]) -> Offer:
    if known.name in variables:
        return Offer(known.name, f"key set: {variables[known.name]}", good=True)
    if not known.needs_key:
        return Offer(known.name, "needs no key", good=True)
    name = next(iter((*known.key_variables, *filter(None, (known.example_variable,)))), "its key")
    return Offer(known.name, f"{name} is not set")


def model_offers(
    provider: str, snapshot: Snapshot, configuration: Configuration | None, listed: Catalogue | None = None
) -> tuple[Offer, ...]:
    """Return the models that were seen at a provider, the nearest first; `listed` is what its server lists."""
    windows = dict(listed.windows) if listed is not None else {}
    seen: dict[str, str] = {}
    for model, where in _seen(provider, snapshot, configuration):
        seen.setdefault(model, where)
    found = [*seen.items(), *((model, "listed") for model in windows if model not in seen)]
    offers = (
        Offer(model, _with_window(where, windows.get(model)), window=windows.get(model)) for model, where in found
    )
    return tuple(offers)


def _with_window(where: str, window: int | None) -> str:
    return where if window is None else f"{where}, {window} tokens"


def _seen(provider: str, snapshot: Snapshot, configuration: Configuration | None) -> Iterator[tuple[str, str]]:
    """Yield the models of a provider: of the file, of sessions, of the newest events, of verdicts, and an example."""
    if configuration is not None:
        yield from _models(provider, _routes(configuration), "in the file")
    for state in snapshot.sessions:
        routes = (state.row.requested, *(link.route for link in state.row.chain))
        yield from _models(provider, routes, f"in {state.name}")
    for _, event in reversed(snapshot.events):
        if getattr(event, "provider", None) == provider and isinstance(model := getattr(event, "model", None), str):
            yield model, "seen in the events"
    for key in snapshot.facts.verdicts:
        if key.provider == provider:
            yield key.model, "asked about"
    known = KNOWN_PROVIDERS.get(provider)
    if known is not None:
        yield known.example_model, "an example"


def _routes(configuration: Configuration) -> Iterator[Route]:
    for plan in (None, *configuration.sessions):
        primary, chain = configuration.routes_of(plan)
        yield primary.route
        yield from (link.route for link in chain)


def _models(provider: str, routes: Iterable[Route], where: str) -> Iterator[tuple[str, str]]:
    return ((route.model, where) for route in routes if route.provider == provider and route.model)


def address_offers(provider: str) -> tuple[Offer, ...]:
    """Return the addresses that are known, the provider's own first."""
    own = [known for known in KNOWN_PROVIDERS.values() if known.name == provider and known.address]
    others = [known for known in KNOWN_PROVIDERS.values() if known.address and known.name != provider]
    return tuple(Offer(known.address, str(known)) for known in (*own, *others))


def mode_offers(provider: str) -> tuple[Offer, ...]:
    """Return the dialects, with which one the provider speaks."""
    known = KNOWN_PROVIDERS.get(provider)
    return tuple(
        Offer(mode.value, "the provider's own" if known and known.api_mode is mode else "") for mode in ApiMode
    )


def matching(offers: Iterable[Offer], typed: str) -> tuple[Offer, ...]:
    """Return the offers that hold what was typed: those that begin with it first, in their order."""
    sought = typed.strip().lower()
    found = [offer for offer in offers if sought in offer.value.lower()]
    return tuple(sorted(found, key=lambda offer: not offer.value.lower().startswith(sought)))


def offer_lines(offers: Iterable[Offer], cells: int) -> tuple[Line, ...]:
    """Return a line for each offer: its value, and what there is to say of it."""
    shown = tuple(offers)
    notes = max((width(offer.note) for offer in shown), default=0)
    longest = max((width(offer.value) for offer in shown), default=0)
    room = min(longest, max(cells - notes - 2, int(cells * LEAST_SHARE)))
    return tuple(cut_line(_line(offer, room), cells) for offer in shown)


def _line(offer: Offer, cells: int) -> Line:
    return (Part(f"{fit(offer.value, cells)}  "), Part(offer.note, Style.OK if offer.good else Style.MUTED))
