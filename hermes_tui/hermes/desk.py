"""The desk of a home: its `config.yaml` read, checked, changed and saved in place, as Hermes understands it (M44)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.configuration import Configuration, Member, Pool
from hermes_tui.core.editing import (
    AddEntry,
    Applied,
    ChainChange,
    Checked,
    Draft,
    EditEntry,
    Entry,
    Explained,
    Finding,
    MakeChange,
    Notation,
)
from hermes_tui.core.errors import ConfigurationError, UselessEntryError
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.taking import Taking
from hermes_tui.core.text import one_line
from hermes_tui.hermes import config_file
from hermes_tui.hermes.blocks import read_blocks
from hermes_tui.hermes.chain import places_of
from hermes_tui.hermes.chain_change import changed, written_entries
from hermes_tui.hermes.configuration import FILE_NAME, has_provider_plugins, understood
from hermes_tui.hermes.document import read_document
from hermes_tui.hermes.environment import variables_of
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY
from hermes_tui.hermes.findings import findings_of, no_model
from hermes_tui.hermes.known import KNOWN
from hermes_tui.hermes.managed import pinned, why_managed
from hermes_tui.hermes.masking import is_reference, yaml_masks
from hermes_tui.hermes.meaning import explained
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import configuration_of
from hermes_tui.hermes.takings import takings
from hermes_tui.hermes.values import HomeConfiguration

_MARK: Final = "\ufeff"
"""The byte order mark that some editors put before UTF-8; a file that has it keeps it."""

_TEXTS: Final = ("provider", "model", "base_url", "api_mode", "api_key")
_OF_ROUTES: Final = (CHAIN, LEGACY, "model")


class HomeDesk:
    """Implements `core.editing.Desk` for a home: its own file alone, a profile's where it is one.

    `reading` gives the newest look at the home, `now` epoch seconds.
    """

    notation = Notation(
        "yaml",
        one_line("one that Hermes knows, or custom:NAME"),
        one_line("the provider's logins; or ${NAME} of .env"),
        KNOWN,
    )

    def __init__(self, reading: Callable[[], Reading], now: Callable[[], float], environ: Mapping[str, str]) -> None:
        self._reading = reading
        self._now = now
        self._environ = environ
        self._masks = yaml_masks()
        self._others_on_disk = ""
        """What the file said beside its routes when it was read last."""

    @property
    def _path(self) -> Path:
        return self._reading().home.path / FILE_NAME

    def read(self) -> Draft:
        """Return the file's text. Raises ConfigurationError where it cannot be read; broken YAML is text too."""
        content = config_file.read_file(self._path)
        text = self._decoded(content)
        self._others_on_disk = self._others(text)
        return Draft(self._masks.hide(text), config_file.digest(content))

    def _decoded(self, content: bytes) -> str:
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ConfigurationError("it is not UTF-8: save it as such", path=self._path, line=line) from None

    def check(self, text: str, owner: str | None) -> Checked:  # noqa: ARG002 - a home has one chain
        """Return what `text` would mean as the file; whatever is wrong with it is a finding."""
        whole, strangers = self._masks.restore(text), tuple(self._strangers(text))
        try:
            root, document = _parsed(whole, self._path)
        except ConfigurationError as error:
            return Checked((*strangers, Finding(one_line(error.what), error.line)))
        entries, places = self._hidden(written_entries(document)), places_of(whole, root)
        file = self._understood(document)
        grave = (*strangers, *filter(None, (no_model(file, root),)))
        configuration = self._configuration(file)
        if grave or configuration is None:
            return Checked(grave, None, entries, places)
        return Checked((*self._about_the_home(), *findings_of(file, root)), configuration, entries, places)

    def _strangers(self, text: str) -> Iterator[Finding]:
        for name, line in self._masks.strangers(text):
            yield Finding(one_line(f"{name} stands for no key of this file: write ${{NAME}} instead"), line)

    def _hidden(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return entries with their keys hidden, and what else in them looks like one."""
        mask = self._masks.placeholder
        keys = (entry.api_key if is_reference(entry.api_key) else mask(entry.api_key) for entry in entries)
        return tuple(
            replace(_each(entry, self._masks.hide), api_key=key) for entry, key in zip(entries, keys, strict=True)
        )

    def _understood(self, document: Mapping[Any, Any]) -> HomeConfiguration:
        return understood(document, has_provider_plugins=has_provider_plugins(self._reading().home))

    def _configuration(self, file: HomeConfiguration) -> Configuration | None:
        """Return what a file puts in force, with its own providers among the pools, so that they are offered."""
        found = configuration_of(replace(self._reading(), configuration=file))
        if found is None:
            return None
        usable = [entry for entry in file.custom_providers if not entry.ignored]
        keys = {f"custom:{entry.provider.lower().replace(' ', '-')}": entry.key_reference for entry in usable}
        keys |= {entry.provider: entry.key_reference for entry in file.chain if entry.key_reference}
        logins = [pool for pool in found.pools if pool.name not in keys or pool.sends_key]
        own = (_pool(name, keys[name]) for name in keys.keys() - {pool.name for pool in logins})
        return replace(found, pools=(*logins, *sorted(own, key=lambda pool: pool.name)))

    def configuration(self) -> Configuration:
        """Return what the file puts in force. Raises ConfigurationError."""
        checked = self.check(self.read().text, None)
        if checked.configuration is None:
            wrong = next(finding for finding in checked.findings if finding.grave)
            raise ConfigurationError(wrong.what, path=self._path, line=wrong.line)
        return checked.configuration

    def _about_the_home(self) -> Iterator[Finding]:
        why = why_managed(self._path.parent, self._environ)
        notes = (*filter(None, (why,)), *pinned(self._environ))
        return (Finding(note, grave=False) for note in notes)

    def takings(self, text: str, configuration: Configuration, snapshot: Snapshot) -> tuple[Taking, ...]:  # noqa: ARG002 - the reading says more
        """Return who would take what and when if `text` were saved, which means `configuration`."""
        other = self._others(self._masks.restore(text)) != self._others_on_disk
        return takings(self._reading(), configuration, self._now(), other=other)

    def _others(self, whole: str) -> str:
        """Return what a text says beside its routes, to be compared."""
        try:
            _, document = _parsed(whole, self._path)
        except ConfigurationError:
            return ""
        return repr({key: value for key, value in document.items() if key not in _OF_ROUTES})

    def explain(self, text: str, line: int, column: int) -> Explained | None:
        """Return what the key at a place of `text` (line from 1, column from 0) means, None where none stands there.

        Raises ConfigurationError where the text cannot be read as YAML.
        """
        return explained(_parsed(text, self._path)[0], line, column)

    def variables(self) -> Mapping[str, str]:
        """Return the known providers whose key is in a variable of the home, each with the variable's name."""
        return variables_of(self._path.parent, self._environ)

    def change(self, text: str, owner: str | None, change: ChainChange) -> str:  # noqa: ARG002 - a home has one chain
        """Return `text` with its chain changed and all else as it was.

        Raises ConfigurationError where the text cannot be read as YAML, has no such position, or is written in a form
        in which this cannot be done.
        """
        self._refuse_strangers(text)
        return self._masks.hide(self._changed(self._masks.restore(text), change))

    def _changed(self, whole: str, change: ChainChange) -> str:
        if isinstance(change, AddEntry | EditEntry):
            self._refuse_strangers(change.entry.api_key)
            change = replace(change, entry=_each(change.entry, self._masks.restore))
        _, document = _parsed(whole, self._path)
        return changed(whole, written_entries(document), change, self._path)

    def _refuse_strangers(self, text: str) -> None:
        for finding in self._strangers(text):
            raise ConfigurationError(finding.what, path=self._path, line=finding.line)

    def save(self, text: str, digest: str) -> None:
        """Write `text` into the file, if the file is still the one with `digest`.

        Raises ConflictError where it was changed elsewhere, ConfigurationError where the text is wrong or the file
        must not be written; then nothing was.
        """
        self._refuse_strangers(text)
        self._write(self._masks.restore(text), config_file.read_file(self._path), digest)

    def apply(
        self, make: MakeChange, *, anyway: bool = False, agree: Callable[[str, str], None] = lambda _old, _new: None
    ) -> Applied:
        """Change the chain in the file itself.

        `make` returns the change to the chain as it is written now, and `agree` is shown the text before and after,
        keys hidden; what they raise ends this. Raises UselessEntryError for an entry that Hermes would leave out or
        skip, unless it is written `anyway`; else as `change` and `save` do.
        """
        before = config_file.read_file(self._path)
        old = self._decoded(before)
        _, document = _parsed(old, self._path)
        change = make(self._hidden(written_entries(document)))
        new = self._changed(old, change)
        file = self._understood(_parsed(new, self._path)[1])
        configuration = self._configuration(file)
        if configuration is None:
            raise ConfigurationError("no model is asked for: `hermes model` chooses one", path=self._path)
        if isinstance(change, AddEntry | EditEntry) and not anyway:
            self._refuse_useless(file, change.position)
        agree(self._masks.hide(old), self._masks.hide(new))
        self._write(new, before, config_file.digest(before))
        return Applied(change, configuration)

    def _refuse_useless(self, file: HomeConfiguration, position: int | None) -> None:
        entry = file.chain[-1 if position is None else position - 1]
        if entry.faults:
            raise UselessEntryError(f"{entry} would not serve: {'; '.join(entry.faults)}", path=self._path)

    def _write(self, whole: str, before: bytes, expected: str) -> None:
        path = self._path
        root, document = _parsed(whole, path)
        if repr(document) != repr(read_document(whole.encode(errors="surrogatepass"), path)):
            raise ConfigurationError("it cannot be understood setting by setting: change it in Hermes", path=path)
        if (wrong := no_model(self._understood(document), root)) is not None:
            raise ConfigurationError(wrong.what, path=path, line=wrong.line)
        if (why := why_managed(path.parent, self._environ)) is not None:
            raise ConfigurationError(why, path=path)
        mark = _MARK if before.startswith(_MARK.encode()) else ""
        content = (mark + whole).encode()
        if content != before:
            config_file.replace(path, content, expected, datetime.fromtimestamp(self._now(), UTC).astimezone())


@lru_cache(maxsize=4)  # the same few texts are checked, changed and compared again and again
def _parsed(whole: str, path: Path) -> tuple[Any, Mapping[Any, Any]]:
    """Return the parser's nodes of a text, and its tables. Raises ConfigurationError."""
    return read_blocks(whole, path)


def _pool(name: str, key: str) -> Pool:
    """Return the pool of a provider whose key is in the file alone, by its reference; a server may need none."""
    return Pool(name, name, (Member(key or "no key", key, ""),))


def _each(entry: Entry, made: Callable[[str], str]) -> Entry:
    """Return an entry whose texts are what `made` makes of them."""
    texts: dict[str, Any] = {name: made(getattr(entry, name)) for name in _TEXTS}
    return replace(entry, **texts)
