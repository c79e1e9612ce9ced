"""From the checked file to the effective configuration: every route resolved, or its fault in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_tui.config import schema
from hermes_tui.config.lines import LineIndex
from hermes_tui.config.pools import PoolBook, known_at, label_of
from hermes_tui.config.problems import Problem, Where, safe, spelled
from hermes_tui.config.secrets import ConfiguredKeys, Kind, Reference, Sources, exposure
from hermes_tui.config.values import origin
from hermes_tui.core.configuration import Configuration, SessionPlan, Settings
from hermes_tui.core.keymap import understand_keys
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.route import ApiMode, Link, Route
from hermes_tui.core.text import PlainText, plain


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a checked file means, the secrets behind it, and the entries that cannot work, each with its fault."""

    configuration: Configuration
    keyring: ConfiguredKeys
    faults: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def resolve(file: schema.File, lines: LineIndex, *, path: Path, sources: Sources) -> Resolved:
    """Return what a checked file means, with the keys that its references lead to.

    Nothing here fails: a route that cannot serve is a link with a fault, a key that is not there a member with
    one (M7), and what is unknown is a warning.
    """
    book = PoolBook(file, sources)
    links = _Links(file, book, lines, path)
    primary = links.link(file.primary, ("primary",))
    chain = tuple(links.link(entry, where) for where, entry in chain_of(file))
    sessions = tuple(links.plan(session, at) for at, session in enumerate(file.sessions))
    for provider in file.providers:
        book.of_provider(provider)
    warned = (*warnings(file, lines), *_exposed(file, lines, sources))
    configuration = Configuration(
        primary=primary,
        chain=chain,
        pools=book.pools,
        settings=Settings(**{name: getattr(file.runtime, name) for name in schema.Runtime.model_fields}),
        sessions=sessions,
        origin=plain(str(path)),
        loaded_at=sources.now,
        warnings=tuple(PlainText(f"line {problem.line}: {problem.what}") for problem in warned),
        keymap=understand_keys(file.keys)[0],
    )
    return Resolved(configuration, book.keyring, tuple(links.faults), warned)


def chain_of(file: schema.File) -> list[tuple[Where, schema.Entry]]:
    """Return the entries of the file's chain with the way to each; the legacy single one comes last."""
    entries: list[tuple[Where, schema.Entry]] = [
        (("fallback_providers", at), entry) for at, entry in enumerate(file.fallback_providers)
    ]
    return entries if file.fallback_model is None else [*entries, (("fallback_model",), file.fallback_model)]


def contradictions(file: schema.File, lines: LineIndex) -> list[Problem]:
    """Return what is wrong between values that are right one by one."""
    found: list[tuple[Where, str]] = []
    for name, provider in file.providers.items():
        labels = ["key"] if provider.key else []
        for at, entry in enumerate(provider.credentials):
            label = label_of(entry, at)
            if label in labels:
                found.append(
                    (
                        ("providers", name, "credentials", at, "label"),
                        f'a credential of this pool is called "{label}" already: give each its own label',
                    )
                )
            labels.append(label)
    for where, table in schema.walk(file):
        if isinstance(table, schema.Keyed) and len(fields := tuple(table.keys())) > 1:
            found.append(((*where, fields[1]), f"{fields[0]} names a key already: take one of them out"))
    names: set[str] = set()
    for at, session in enumerate(file.sessions):
        if session.name in names:
            taken = f'a session is called "{session.name}" already: give each its own name'
            found.append((("sessions", at, "name"), taken))
        names.add(session.name)
        if session.every is not None and not (session.prompt or "").strip():
            lonely = "a session that runs by itself needs something to say: add prompt, or take out every"
            found.append((("sessions", at, "every"), lonely))
    if file.runtime.backoff_base_seconds > file.runtime.backoff_cap_seconds:
        where = ("runtime", "backoff_base_seconds")
        found.append((where, "backoff_base_seconds is above backoff_cap_seconds: make it smaller"))
    return [Problem(what, lines.line(where), spelled(where)) for where, what in found]


def warnings(file: schema.File, lines: LineIndex) -> Iterator[Problem]:
    """Yield what the file says that is unknown or unwise, and what to write instead."""
    for where, value in schema.walk(file):
        if isinstance(value, schema.Table):
            for name in value.model_extra or {}:
                hint = did_you_mean(name, type(value).model_fields)
                yield _problem((*where, name), lines, f"is unknown and has no effect{hint}")
        elif isinstance(value, Reference) and value.kind is Kind.LITERAL:
            remedy = 'put it into an environment variable and write "${NAME}"'
            yield _problem(where, lines, f"holds the key itself: {remedy}")
    for provider in file.credential_pool_strategies:
        if provider not in file.providers and provider not in KNOWN_PROVIDERS:
            hint = did_you_mean(provider, _providers(file))
            yield _problem(("credential_pool_strategies", provider), lines, f"names no configured provider{hint}")
    for fault in understand_keys(file.keys)[1]:
        yield _problem(("keys", fault.action), lines, fault.what)


def _exposed(file: schema.File, lines: LineIndex, sources: Sources) -> Iterator[Problem]:
    """Yield what others can read that should be read by its owner alone."""
    for where, value in schema.walk(file):
        if isinstance(value, Reference) and (what := exposure(value, sources)):
            yield _problem(where, lines, what)


def _problem(where: Where, lines: LineIndex, words: str) -> Problem:
    key = spelled(where)
    return Problem(safe(f'"{key}" {words}'), lines.line(where), key)


def _providers(file: schema.File) -> list[str]:
    return [*file.providers, *(name for name in KNOWN_PROVIDERS if name not in file.providers)]


class _Links:
    """Makes links of one file's entries."""

    def __init__(self, file: schema.File, book: PoolBook, lines: LineIndex, path: Path) -> None:
        self._file = file
        self._book = book
        self._lines = lines
        self._path = path
        self.faults: list[Problem] = []

    def plan(self, session: schema.Session, position: int) -> SessionPlan:
        where = ("sessions", position)
        chain = session.fallback_providers
        return SessionPlan(
            name=session.name,
            prompt=session.prompt,
            system_prompt=session.system_prompt,
            every_seconds=session.every,
            primary=self.link(session.primary, (*where, "primary")) if session.primary else None,
            chain=None
            if chain is None
            else tuple(self.link(entry, (*where, "fallback_providers", at)) for at, entry in enumerate(chain)),
        )

    def link(self, entry: schema.Entry, where: Where) -> Link:
        """Return the entry as a link; its fault says what is wrong, what to do, and where it is written."""
        link = self._link(entry)
        if link.fault is None:
            return link
        line = self._lines.line(where)
        self.faults.append(Problem(safe(link.fault), line, spelled(where)))
        return replace(link, fault=safe(f"{link.fault} ({self._path.name}, line {line})"))

    def _link(self, entry: schema.Entry) -> Link:
        provider, model = entry.provider.strip(), entry.model.strip()
        url = entry.base_url or self._book.url(provider)
        fault = self._missing(provider, model, url)
        pool = provider
        if fault is None and url is not None:
            pool, fault = self._pool(entry, provider, url)
        else:
            self._book.of_provider(provider)
        table, known = self._file.providers.get(provider), known_at(provider, url)
        configured = table.api_mode if table else None
        return Link(
            Route(
                provider=provider,
                model=model,
                base_url=url or "",
                api_mode=entry.api_mode or configured or (known.api_mode if known else ApiMode.CHAT_COMPLETIONS),
                pool=pool,
                context_length=entry.context_length,
            ),
            fault,
        )

    def _missing(self, provider: str, model: str, url: str | None) -> str | None:
        if not provider:
            return "no provider: write provider = …"
        if not model:
            return "no model: write model = …"
        if url is not None:
            return None
        known = KNOWN_PROVIDERS.get(provider)
        if known is not None or provider in self._file.providers:
            example = f', as in "{known.example_url}"' if known else ""
            return f"no base_url: write base_url = … under [providers.{provider}]{example}"
        close = did_you_mean(provider, _providers(self._file))
        return f'provider "{provider}" is not configured{close or f": add [providers.{provider}] with its base_url"}'

    def _pool(self, entry: schema.Entry, provider: str, url: str) -> tuple[str, str | None]:
        """Return the pool that serves the entry, and why it must not, if so."""
        if entry.key is not None:
            return self._book.of_entry(provider, url, entry.key), None
        if self._book.is_home(provider, url):
            return self._book.of_provider(provider), None
        pool = self._book.without_key(provider, url)
        if origin(url).loopback or not self._book.sends_keys(provider):
            return pool, None
        return pool, (
            f"its base_url is not {provider}'s own server, so {provider}'s key is not sent there: "
            "give the entry an api_key of its own"
        )
