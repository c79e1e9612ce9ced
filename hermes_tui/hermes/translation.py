"""A home's configuration as tables of this program's own: every route where Hermes would send it, no key among them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.custom import CustomProviders
from hermes_tui.hermes.entries import Table
from hermes_tui.hermes.known import canonical
from hermes_tui.hermes.left_out import settings_left_out
from hermes_tui.hermes.places import NoPlaceError, Place, Places, name_of, slug
from hermes_tui.hermes.references import Keys
from hermes_tui.hermes.servers import CHAT, server_of
from hermes_tui.hermes.values import Entry, HomeConfiguration

_LONGEST_TIMEOUT: Final = 86400.0


@dataclass(frozen=True, slots=True)
class Translation:
    """What came of a home: the tables of a configuration, in its order, and what there is to say.

    `lacks` is what has to be done before a route can serve, `notes` what is otherwise here than in Hermes.
    """

    tables: Mapping[str, Any]
    lacks: tuple[PlainText, ...] = ()
    notes: tuple[PlainText, ...] = ()


def translated(
    document: Table, configuration: HomeConfiguration, keys: Keys, check_url: Callable[[str], str]
) -> Translation:
    """Return the translation of one `config.yaml`: the tables of the file, and what was read of it.

    `check_url` returns an address as it is written, and raises ValueError for one that cannot be. Without any route
    that can be taken over the tables are empty.
    """
    places = Places(configuration.primary, CustomProviders(document), keys)
    writer = _Writer(configuration, places, check_url)
    entries = (*((configuration.primary,) if configuration.primary else ()), *configuration.chain)
    routes: list[dict[str, Any]] = []
    for entry in entries:
        route = writer.route(entry)
        if route is None:
            continue
        if any(_is_same(route, other) for other in routes):
            writer.note(entry, "repeats an entry before it")
            continue
        if entry.faults:
            places.notes.append(
                one_line(f"{entry.where} ({entry}) is used here, where Hermes has this: {entry.faults[0]}")
            )
        if not routes and entry is not configuration.primary:
            places.notes.append(one_line(f"{entry} is the primary here: the one of Hermes cannot be taken over"))
        routes.append(route)
    if not routes:
        return Translation({}, notes=tuple(places.notes))
    chain = {"fallback_providers": routes[1:]} if routes[1:] else {}
    tables = {"primary": routes[0], **chain, "providers": writer.providers, **dict(writer.settings())}
    references = (one for one in _references(routes, writer.providers) if one not in places.lacks)
    lacks = (*places.lacks.values(), *keys.lacking(references))
    notes = (*places.notes, *keys.kept_by_hermes(writer.providers), *settings_left_out(document))
    return Translation(tables, lacks, notes)


def _is_same(route: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(route.get(name) == other.get(name) for name in ("provider", "model", "base_url", "api_key"))


def _references(routes: Iterable[Mapping[str, Any]], providers: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from (route.get("api_key", "") for route in routes)
    for table in providers.values():
        yield from (credential["api_key"] for credential in table.get("credentials", ()))


class _Writer:
    """Writes routes, and the tables of the providers that they go to."""

    def __init__(self, configuration: HomeConfiguration, places: Places, check_url: Callable[[str], str]) -> None:
        self._configuration = configuration
        self._places = places
        self._check_url = check_url
        self.providers: dict[str, dict[str, Any]] = {}

    def note(self, entry: Entry, what: str) -> None:
        """Say why an entry is left out."""
        self._places.notes.append(one_line(f"{entry.where} ({entry}) is left out: {what}"))

    def route(self, entry: Entry) -> dict[str, Any] | None:
        """Return an entry as this program writes it, None where it is left out, which is noted."""
        if entry.ignored or not entry.model:
            self.note(entry, entry.faults[0])
            return None
        try:
            place = self._places.of(entry)
            url = self._check_url(place.base_url)
        except NoPlaceError as error:
            self.note(entry, str(error))
            return None
        except ValueError as error:
            self.note(entry, f"its address {error}")
            return None
        return self._written(entry, place, url)

    def _written(self, entry: Entry, place: Place, url: str) -> dict[str, Any]:
        route: dict[str, Any] = {"provider": place.provider, "model": self._places.text(entry.model)}
        table = self._provider(place, url)
        known = KNOWN_PROVIDERS.get(place.provider)
        usual = table.get("base_url") or (known.base_url if known else None)
        mode = table.get("api_mode") or (known.api_mode.value if known else CHAT.value)
        if url != usual:
            route["base_url"] = url
        if place.api_mode.value != mode:
            route["api_mode"] = place.api_mode.value
        if place.own_key:
            route["api_key"] = place.own_key
        elif url != usual and table.get("credentials"):
            route["api_key"] = table["credentials"][0]["api_key"]  # Hermes sends the provider's key there as well
        if place.context_length:
            route["context_length"] = place.context_length
        return route

    def _provider(self, place: Place, url: str) -> dict[str, Any]:
        """Return the table of a provider, made by the first route that goes there."""
        if place.provider in self.providers:
            return self.providers[place.provider]
        known = KNOWN_PROVIDERS.get(place.provider)
        table: dict[str, Any] = {}
        if not place.inline:
            if known is None or url != known.base_url:
                table["base_url"] = url
            if place.api_mode is not (known.api_mode if known else CHAT):
                table["api_mode"] = place.api_mode.value
        if (seconds := self._timeout(place.provider)) is not None:
            table["request_timeout_seconds"] = seconds
        if place.keys:
            table["credentials"] = [{"label": key.label, "api_key": key.reference} for key in place.keys]
        self.providers[place.provider] = table
        return table

    def _timeout(self, provider: str) -> float | None:
        wanted = {canonical(provider), provider.lower()}
        found = (seconds for name, seconds in self._configuration.request_timeouts if canonical(name) in wanted)
        return min(next(found, 0.0), _LONGEST_TIMEOUT) or None

    def settings(self) -> Iterator[tuple[str, Any]]:
        """Yield what else of the file has a counterpart."""
        strategies = dict(self._strategies(self._configuration.strategies))
        if strategies:
            yield "credential_pool_strategies", strategies
        if self._configuration.min_switch_reset_seconds:
            yield "runtime", {"min_switch_reset_seconds": self._configuration.min_switch_reset_seconds}

    def _strategies(self, written: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for provider, strategy in written:
            server = server_of(provider)
            name = name_of(server) if server else slug(provider.lower().removeprefix("custom:"))
            if name in self.providers:
                yield name, strategy
