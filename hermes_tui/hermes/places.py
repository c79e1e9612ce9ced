"""Where Hermes would send each route of a home, and with which keys."""

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from hermes_tui.core.route import ApiMode
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.custom import CustomProviders, context_of
from hermes_tui.hermes.dotenv import expanded
from hermes_tui.hermes.entries import Table, entry_of, text_of
from hermes_tui.hermes.known import canonical
from hermes_tui.hermes.references import Key, Keys
from hermes_tui.hermes.servers import CODEX, MESSAGES, RESPONSES, SERVERS, Server, mode_at, server_of
from hermes_tui.hermes.values import Entry

_VERSION: Final = "/v1"


class NoPlaceError(Exception):
    """A route cannot be taken over; the text says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a route goes: the provider's name here, its address, and the API that is spoken there.

    `keys` are the provider's, `own_key` refers to the entry's own; `inline` tells that the entry alone names the place.
    """

    provider: str
    base_url: str
    api_mode: ApiMode
    keys: tuple[Key, ...] = ()
    own_key: str = ""
    context_length: int | None = None
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """Finds the places of one home's routes.

    What there is to say of them is added to `notes`, and to `lacks` by the reference whose key has to be put there.
    """

    primary: Entry | None
    custom: CustomProviders
    keys: Keys
    lacks: dict[str, PlainText] = field(default_factory=dict)
    notes: list[PlainText] = field(default_factory=list)

    def text(self, text: str) -> str:
        """Return text of the file with its variables put in."""
        return expanded(text, self._variables)

    @property
    def _variables(self) -> Mapping[str, str]:
        return {**self.keys.here, **self.keys.there}

    def of(self, entry: Entry) -> Place:
        """Return where Hermes would send an entry. Raises NoPlaceError."""
        name = self.text(entry.provider).strip().lower()
        custom = self.custom.find(name)
        server = server_of(name)
        is_own = name == "openai" or any(name in one.names.split() for one in SERVERS)
        if name == "auto":
            return self._automatic(entry)
        if custom is not None and not is_own:
            return self._of_custom(entry, custom)
        if server is not None:
            return self._of_server(entry, server)
        if entry.base_url and (canonical(name) == "custom" or name.startswith("custom:")):
            return self._inline(entry)
        raise NoPlaceError(entry.faults[0] if entry.faults else "only Hermes can sign in there, or speak its API")

    def _automatic(self, entry: Entry) -> Place:
        """Return where a primary goes whose provider Hermes chooses at each start."""
        if entry.base_url:
            return self._inline(entry)
        is_set = (one for one in SERVERS if any(self._is_set(name) for name in one.key_variables.split()))
        server = next(is_set, CODEX if any(row.provider == "openai-codex" for row in self.keys.logins) else None)
        if server is None:
            raise NoPlaceError("Hermes chooses its provider by the keys that are set, and none is")
        name = name_of(server)
        self.notes.append(one_line(f"{entry.where}: Hermes chooses its provider at each start; {name} is written"))
        return self._of_server(entry, server)

    def _is_set(self, name: str) -> bool:
        return bool((self.keys.there.get(name) or self.keys.here.get(name, "")).strip())

    def _of_server(self, entry: Entry, server: Server) -> Place:
        """Return the place of a provider of Hermes' own."""
        keys = self.keys.of_codex() if server is CODEX else self.keys.of_server(server)
        url, is_own = self._url_of(server), entry.where.startswith("model")
        elsewhere = self.text(entry.base_url) if entry.base_url and not is_own else ""
        mode = self._mode(entry.api_mode, elsewhere) if entry.api_mode or elsewhere else server.api_mode
        own_key = self._key(entry.key_reference, name_of(server)) if not is_own else ""
        return Place(name_of(server), _address(elsewhere or url, mode), mode, keys, own_key, entry.context_length)

    def _url_of(self, server: Server) -> str:
        """Return the address of a provider: a variable's, a login's own, `model.base_url`, or the usual one."""
        primary = self.primary
        of_model = primary.base_url if primary and server_of(primary.provider) is server else ""
        rows = (row.base_url.rstrip("/") for row in self.keys.logins if server_of(row.provider) is server)
        of_row = next((url for url in rows if url and url != server.base_url), "")
        moved = self._variables.get(server.url_variable, "").strip().rstrip("/") if server.url_variable else ""
        return moved or of_row or self.text(of_model) or server.base_url

    def _of_custom(self, entry: Entry, table: Table) -> Place:
        """Return the place of a provider that the home defines itself."""
        own = entry_of(table, entry.where, provider=entry.provider, model=entry.model)
        is_primary = entry.where.startswith("model")
        url = self.text(("" if is_primary else entry.base_url) or _url_in(table))
        name = slug(entry.provider.lower().removeprefix("custom:"))
        mode = self._mode(entry.api_mode or own.api_mode, url)
        reference = self._key(own.key_reference, name)
        keys = (Key("main", reference),) if reference else ()
        context = entry.context_length or context_of(table, entry.model)
        own_key = "" if is_primary else self._key(entry.key_reference, name)
        return Place(name, _address(url, mode), mode, keys, own_key, context)

    def _inline(self, entry: Entry) -> Place:
        """Return the place of an entry that says itself where it goes."""
        url = self.text(entry.base_url)
        mode = self._mode(entry.api_mode, url)
        if entry.where.startswith("model") and mode is RESPONSES:
            mode = mode_at(url)  # as Hermes: a leftover of another provider
        name = slug(entry.provider.lower().removeprefix("custom:").replace("auto", "custom"))
        key = self._key(entry.key_reference, name)
        return Place(name, _address(url, mode), mode, (), key, entry.context_length, inline=True)

    def _mode(self, written: str, url: str) -> ApiMode:
        if not written:
            return mode_at(url)
        if written not in list(ApiMode):
            raise NoPlaceError(f"this program does not speak {written}")
        return ApiMode(written)

    def _key(self, written: str, provider: str) -> str:
        """Return the reference to a key of which the file says where it is, empty where it says nothing."""
        reference, lack = self.keys.of_entry(written, provider)
        if lack is not None:
            self.lacks[reference] = lack
        return reference


def name_of(server: Server) -> str:
    """Return what this program calls a provider of Hermes."""
    name = server.names.split()[0]
    return "openai" if name == "openai-api" else name


def _address(url: str, mode: ApiMode) -> str:
    """Return an address below which this program finds what Hermes finds below its own."""
    url = url.rstrip("/")
    if mode is MESSAGES and not url.endswith(_VERSION):
        return f"{url}{_VERSION}"  # that API's own client adds it
    if "generativelanguage.googleapis.com" in url and not url.endswith("/openai"):
        return f"{url}/openai"  # the same models, by the API that is spoken here
    return url


def _url_in(table: Table) -> str:
    return next((text for name in ("base_url", "url", "api") if (text := text_of(table.get(name)))), "")


def slug(name: str) -> str:
    """Return a provider's name as a key of a table, as Hermes compares it."""
    return re.sub(r"[^\w.-]+", "-", name.strip().lower(), flags=re.ASCII).strip("-") or "custom"
