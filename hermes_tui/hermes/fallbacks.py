"""The fallback chain of `config.yaml`, as Hermes makes it up, with why an entry of it cannot serve."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.custom import CustomProviders, context_of
from hermes_tui.hermes.entries import Table, address_of, entry_of, shown, table_of, text_of
from hermes_tui.hermes.known import KNOWN, canonical
from hermes_tui.hermes.values import Entry

CHAIN: Final = "fallback_providers"
LEGACY: Final = "fallback_model"

MOST_ENTRIES: Final = 100
"""Entries of a chain that are looked at: nobody waits through more."""


@dataclass(frozen=True, slots=True)
class Route:
    """What Hermes compares of a route: names as they stand in the file, which are never shown"""

    provider: str
    model: str
    base_url: str

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes two entries of a chain one (0.22)."""
        return canonical(self.provider), self.model.lower(), self.base_url.lower()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an entry is judged by."""

    primary: Route | None
    custom: CustomProviders
    context_floor: int
    may_be_of_a_plugin: bool


def chain_of(document: Table, around: Surroundings) -> tuple[Entry, ...]:
    """Return every entry that is written: those of `fallback_providers`, then those of `fallback_model`.

    `ignored` are those that Hermes leaves out when it makes up the chain: not a table, no provider or model, or the
    same route as an earlier one. The others it takes in this order, and skips those with faults when it is their turn.
    """
    seen: dict[tuple[str, str, str], str] = {}
    entries: list[Entry] = []
    for where, written in _written(document):
        table = table_of(written)
        route = route_of(table)
        entry = entry_of(table, where, provider=route.provider, model=route.model)
        fault = _left_out(written, route, seen)
        if fault is None:
            seen[route.identity] = where
        faults = (fault,) if fault else tuple(_skipped(route, entry, around))
        entries.append(replace(entry, faults=faults, ignored=fault is not None))
    return tuple(entries)


def route_of(table: Table) -> Route:
    """Return the route that a table names."""
    return Route(text_of(table.get("provider")), text_of(table.get("model")), address_of(table))


def warnings_of(document: Table) -> Iterator[PlainText]:
    """Yield what is wrong with the chain as a whole."""
    for name in (CHAIN, LEGACY):
        value = document.get(name)
        if value and not isinstance(value, list | dict):
            yield one_line(
                f"{name} is not a list, so Hermes reads no chain from it: write provider and model as a list"
            )
        elif isinstance(value, list) and len(value) > MOST_ENTRIES:
            yield one_line(f"{name} has {len(value)} entries: only the first {MOST_ENTRIES} are shown")


def _written(document: Table) -> Iterator[tuple[str, Any]]:
    for name in (CHAIN, LEGACY):
        value = document.get(name)
        if isinstance(value, dict) and value:
            yield name, value
        elif isinstance(value, list):
            yield from ((f"{name}[{number}]", one) for number, one in enumerate(value[:MOST_ENTRIES]))


def _left_out(written: Any, route: Route, seen: dict[tuple[str, str, str], str]) -> PlainText | None:
    if not isinstance(written, dict):
        return one_line("not a table of provider and model: Hermes leaves it out")
    missing = [name for name, value in (("provider", route.provider), ("model", route.model)) if not value]
    if missing:
        names = " and ".join(missing)
        return one_line(f"no {names}: Hermes leaves it out")
    same = seen.get(route.identity)
    return one_line(f"the same route as {same}: Hermes leaves it out") if same else None


def _skipped(route: Route, entry: Entry, around: Surroundings) -> Iterator[PlainText]:
    """Yield why Hermes skips an entry when it is its turn, as far as the file tells."""
    if around.primary is not None and _is_same_backend(route, around.primary):
        yield one_line("the primary itself: Hermes skips it while the primary is down")
    name = route.provider.lower()
    custom = around.custom.find(name)
    if custom is None and not around.may_be_of_a_plugin and not _is_known(name):
        yield _unknown(route.provider, around.custom)
    context = entry.context_length or (context_of(custom, route.model) if custom is not None else None)
    if context is not None and context < around.context_floor:
        needed = f"{around.context_floor:,}"
        yield one_line(f"a context of {context:,} tokens is below the {needed} that Hermes asks for: skipped")


def _is_known(name: str) -> bool:
    return name.removeprefix("custom:").strip() in KNOWN | {""} or "${" in name


def _unknown(provider: str, custom: CustomProviders) -> PlainText:
    off = next((entry for entry in custom.entries if entry.ignored and entry.provider == shown(provider)), None)
    if off is not None:
        return one_line(f"{off.where} cannot be used: {off.faults[0]}")
    is_custom = provider.lower().startswith("custom:")
    names = (name for name in (*KNOWN, *custom.tables) if name.startswith("custom:") == is_custom)
    return one_line(f'no provider is called "{shown(provider)}"{did_you_mean(shown(provider), map(shown, names))}')


def _is_same_backend(route: Route, primary: Route) -> bool:
    if route.model.lower() != primary.model.lower():
        return False
    ours, theirs = route.base_url.lower(), primary.base_url.lower()
    names = route.provider.lower(), primary.provider.lower()
    if names[0] == names[1]:
        return not ours or ours == theirs
    return bool(ours) and ours == theirs and not all(name in KNOWN for name in names)
