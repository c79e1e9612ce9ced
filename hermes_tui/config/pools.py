"""Pools of credentials: which keys serve a route, and which server may see them.

A key goes only to its own provider's server. A provider without credentials in the file uses its well-known
variable, if its address is the well-known one too; never another provider's key.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hermes_tui.config import schema
from hermes_tui.config.secrets import ConfiguredKeys, Reference, fetch, reference
from hermes_tui.config.values import origin
from hermes_tui.core.configuration import Member, Pool, Strategy
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, KnownProvider
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import one_line
from hermes_tui.core.tokens import claims

_TIMEOUT: Final = Pool("", "", ()).request_timeout_seconds
_NOTHING: Final = schema.Provider()


class PoolBook:
    """The pools of one file, made when a route first needs them, with the secrets behind them."""

    def __init__(self, file: schema.File, *, environ: Mapping[str, str], folder: Path) -> None:
        self._file = file
        self._environ = environ
        self._folder = folder
        self._pools: dict[str, Pool] = {}
        self._marks: dict[str, Reference] = {}
        self._secrets: dict[CredentialKey, Secret] = {}

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All pools made so far, in that order."""
        return tuple(self._pools.values())

    @property
    def keyring(self) -> ConfiguredKeys:
        """The secrets of all pools made so far."""
        return ConfiguredKeys(self._secrets)

    def of_provider(self, provider: str) -> str:
        """Return the name of a provider's own pool."""
        if provider not in self._pools:
            self._add(provider, provider, self._members(provider))
        return provider

    def of_entry(self, provider: str, key: Reference) -> str:
        """Return the name of the pool of an entry with a key of its own: equal references share one.

        The name follows from the reference, not from its place, so that moving an entry keeps its cooldowns.
        """
        name, again = f"{provider}#{key.mark}", 1
        while self._marks.setdefault(name, key) != key:
            again += 1
            name = f"{provider}#{key.mark}-{again}"
        if name not in self._pools:
            self._add(name, provider, (self._member(name, "own", key),))
        return name

    def without_key(self, provider: str, url: str) -> str:
        """Return the name of a pool that sends no key, for a server that is not the provider's own."""
        server = origin(url)
        name = f"{provider}@{server.host}:{server.port}"
        if name not in self._pools:
            self._add(name, provider, (_keyless(url),))
        return name

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

    def _add(self, name: str, provider: str, members: tuple[Member, ...]) -> None:
        table, known = self._table(provider), KNOWN_PROVIDERS.get(provider)
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
        named = [("key", table.api_key)] if table.api_key else []
        named += [(label_of(entry, at), entry.api_key) for at, entry in enumerate(table.credentials)]
        if named:
            return tuple(self._member(provider, label, key) for label, key in named)
        if known is not None and known.needs_key:
            return (self._from_well_known_variable(known),)
        url = self.url(provider)
        return (_keyless(url),) if url else ()

    def _from_well_known_variable(self, known: KnownProvider) -> Member:
        url = self.url(known.name) or known.base_url
        names = " or ".join(known.key_variables)
        table = f"[[providers.{known.name}.credentials]]"
        if origin(url) != origin(known.base_url):
            if origin(url).loopback:
                return _keyless(url)
            return _faulty("env", f"no credential: add {table}; a key of {known.name} is not sent to another server")
        chosen = next((name for name in known.key_variables if self._environ.get(name, "").strip()), None)
        if chosen is not None:
            return self._member(known.name, "env", reference(f"env:{chosen}"))
        if names:
            return _faulty("env", f"{names} is not set")
        sign_in = f" (its token comes from: {known.sign_in})" if known.sign_in else ""
        return _faulty("none", f"no credential: add {table}{sign_in}")

    def _member(self, pool: str, label: str, key: Reference) -> Member:
        found = fetch(key, environ=self._environ, folder=self._folder)
        if isinstance(found, str):
            return _faulty(label, found)
        self._secrets[CredentialKey(pool, label)] = found
        said = claims(found.reveal())
        return Member(
            label=label,
            fingerprint=found.fingerprint,
            account=_account(said.account) if said.account else f"key-{found.fingerprint[:7]}",
            expires_at=said.expires_at,
        )


def label_of(entry: schema.Credential, position: int) -> str:
    """Return a credential's label: its own, else one from its position (from 0)."""
    return entry.label or f"key-{position + 1}"


def _account(claimed: str) -> str:
    return f"acct-{hashlib.sha256(claimed.encode()).hexdigest()[:7]}"


def _keyless(url: str) -> Member:
    return Member(label="local" if origin(url).loopback else "keyless", fingerprint="", account="local")


def _faulty(label: str, fault: str) -> Member:
    return Member(label=label, fingerprint="", account="", fault=one_line(fault))
