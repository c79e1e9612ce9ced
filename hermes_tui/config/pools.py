"""Pools of credentials: which keys serve a route, and which server may see them.

A key goes only to its own provider's server. A provider without credentials in the file uses its well-known
variable, if its server is the well-known one too; never another provider's key.
"""

import hashlib
from typing import Final

from hermes_tui.config import schema
from hermes_tui.config.borrowed import PROVIDER as BORROWED_FOR
from hermes_tui.config.secrets import ConfiguredKeys, Kind, Reference, Sources, fetch, reference
from hermes_tui.config.values import origin
from hermes_tui.core.configuration import Member, Pool, Strategy
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, issuer_of, known_server
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import one_line
from hermes_tui.core.tokens import claims

_TIMEOUT: Final = Pool("", "", ()).request_timeout_seconds
_NOTHING: Final = schema.Provider()


class PoolBook:
    """The pools of one file, made when a route first needs them, with the secrets behind them."""

    def __init__(self, file: schema.File, sources: Sources) -> None:
        self._file = file
        self._sources = sources
        self._pools: dict[str, Pool] = {}
        self._marks: dict[str, Reference] = {}
        self._secrets: dict[CredentialKey, Secret] = {}
        self._commanded: dict[CredentialKey, str] = {}

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All pools made so far, in that order."""
        return tuple(self._pools.values())

    @property
    def keyring(self) -> ConfiguredKeys:
        """The secrets of all pools made so far."""
        return ConfiguredKeys(self._secrets, self._commanded, self._sources.commands)

    def of_provider(self, provider: str) -> str:
        """Return the name of a provider's own pool."""
        if provider not in self._pools:
            self._add(provider, provider, self._members(provider), self.url(provider))
        return provider

    def of_entry(self, provider: str, url: str, key: Reference) -> str:
        """Return the name of the pool of an entry at `url` with a key of its own: equal references share one.

        The name follows from the reference, not from its place, so that moving an entry keeps its cooldowns.
        """
        name, again = f"{provider}#{key.mark}", 1
        while self._marks.setdefault(name, key) != key:
            again += 1
            name = f"{provider}#{key.mark}-{again}"
        if name not in self._pools:
            self._add(name, provider, (self._member(name, "own", key, url),), url)
        return name

    def without_key(self, provider: str, url: str) -> str:
        """Return the name of a pool that sends no key, for a server that is not the provider's own."""
        server = origin(url)
        name = f"{provider}@{server.host}:{server.port}"
        if name not in self._pools:
            self._add(name, provider, (_without_key(url, "give the entry an api_key of its own"),), url)
        return name

    def is_home(self, provider: str, url: str) -> bool:
        """Tell whether `url` is on the provider's own server: the configured one, else where it is known to be."""
        home, known = self._table(provider).base_url, KNOWN_PROVIDERS.get(provider)
        if home is not None:
            return origin(url) == origin(home)
        return known is not None and _is_at(known, url)

    def sends_keys(self, provider: str) -> bool:
        """Tell whether a provider's own pool has a key, or should have one."""
        pool = self._pools[self.of_provider(provider)]
        return any(member.fault or member.fingerprint for member in pool.members)

    def url(self, provider: str) -> str | None:
        """Return the provider's own address: as configured, else as known."""
        known = KNOWN_PROVIDERS.get(provider)
        return self._table(provider).base_url or (known.base_url if known else None) or None

    def _table(self, provider: str) -> schema.Provider:
        return self._file.providers.get(provider, _NOTHING)

    def _add(self, name: str, provider: str, members: tuple[Member, ...], url: str | None) -> None:
        table, known = self._table(provider), known_at(provider, url)
        strategies = self._file.credential_pool_strategies
        self._pools[name] = Pool(
            name=name,
            provider=provider,
            members=members,
            strategy=table.strategy or strategies.get(provider, Strategy.FILL_FIRST),
            reopens_early=known is not None and known.reopens_early,
            request_timeout_seconds=table.request_timeout_seconds or _TIMEOUT,
        )

    def _members(self, provider: str) -> tuple[Member, ...]:
        table, known = self._table(provider), KNOWN_PROVIDERS.get(provider)
        named = [("key", table.key)] if table.key else []
        named += [(label_of(entry, at), entry.api_key) for at, entry in enumerate(table.credentials)]
        url = self.url(provider)
        if named:
            return tuple(self._member(provider, label, key, url) for label, key in named)
        if known is not None:
            return (self._from_well_known_variable(known, url),)
        return (_without_key(url, f"add [[providers.{provider}.credentials]]"),) if url else ()

    def _from_well_known_variable(self, known: KnownProvider, url: str | None) -> Member:
        table = f"[[providers.{known.name}.credentials]]"
        if known.needs_key and url is not None and not _is_at(known, url):
            if origin(url).loopback:
                return _keyless(url)
            return _faulty("env", f"no credential: add {table}; a key of {known.name} is not sent to another server")
        chosen = next((name for name in known.key_variables if self._sources.environ.get(name, "").strip()), None)
        if chosen is not None:
            return self._member(known.name, "env", reference(f"env:{chosen}"), url)
        if not known.needs_key:
            return _keyless(url or known.base_url)
        if known.key_variables:
            return _faulty("env", f"{' or '.join(known.key_variables)} is not set")
        borrowed = f' with api_key = "{Kind.CODEX}:"' if known.name == BORROWED_FOR else ""
        sign_in = f" (its token comes from: {known.sign_in})" if known.sign_in else ""
        return _faulty("none", f"no credential: add {table}{borrowed}{sign_in}")

    def _member(self, pool: str, label: str, key: Reference, url: str | None) -> Member:
        if key.is_borrowed and not _is_for_borrowed(pool, url):
            return _faulty(label, f"{key.kind}: is a login for {BORROWED_FOR}, so it is not sent to another provider")
        found = fetch(key, self._sources)
        if key.kind is Kind.COMMAND:
            self._commanded[CredentialKey(pool, label)] = key.target
        if found is None:
            return Member(label, key.stand_in, f"key-{key.stand_in[:7]}", on_demand=True)
        if isinstance(found, str):
            return _faulty(label, found)
        issuer, server = issuer_of(found.reveal()), known_server(url or "")
        if issuer is not None and server not in (None, issuer):
            return _faulty(label, f"the key is one of {issuer}'s, so it is not sent to {server}")
        self._secrets[CredentialKey(pool, label)] = found
        said = claims(found.reveal())
        return Member(
            label=label,
            fingerprint=found.fingerprint,
            account=_account(said.account) if said.account else f"key-{found.fingerprint[:7]}",
            expires_at=said.expires_at,
        )


def known_at(provider: str, url: str | None) -> KnownProvider | None:
    """Return what is known of a provider: by its server, whatever it is called, else by its name; None for a stranger.

    A name that only resembles a known one says nothing: a gateway may be called after what it leads to.
    """
    return known_server(url or "") or KNOWN_PROVIDERS.get(provider)


def _is_for_borrowed(pool: str, url: str | None) -> bool:
    """Tell whether a pool's keys go where the logins of other programs are for, or where the file says that they do."""
    known = known_at(pool.partition("#")[0], url)
    return known is not None and known.name == BORROWED_FOR


def label_of(entry: schema.Credential, position: int) -> str:
    """Return a credential's label: its own, else one from its position (from 0)."""
    return entry.label or f"key-{position + 1}"


def _account(claimed: str) -> str:
    return f"acct-{hashlib.sha256(claimed.encode()).hexdigest()[:7]}"


def _is_at(known: KnownProvider, url: str) -> bool:
    """Tell whether `url` is on a server of the known provider, so that its key may go there."""
    there = origin(url)
    is_usual = (there.scheme, there.port) == ("https", 443)
    return there == origin(known.base_url) or (is_usual and known_server(url) is known)


def _without_key(url: str, remedy: str) -> Member:
    """Return what stands for a key that nobody named: none where the server asks for none, else a fault."""
    server = known_server(url)
    if server is not None and server.needs_key:
        return _faulty("none", f"no credential: {server} asks for a key: {remedy}")
    return _keyless(url)


def _keyless(url: str) -> Member:
    return Member(label="local" if origin(url).loopback else "keyless", fingerprint="", account="local")


def _faulty(label: str, fault: str) -> Member:
    return Member(label=label, fingerprint="", account="", fault=one_line(fault))
