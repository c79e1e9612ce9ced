"""The desk: one configuration file, read, checked, changed and saved in place (M44)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hermes_tui.config import schema
from hermes_tui.config.document import changed, entries_of, places_of
from hermes_tui.config.initial import found_variables
from hermes_tui.config.key_commands import KeyCommands
from hermes_tui.config.load import Loaded, Parsed, decode, digest, limited, load, parse, read, telling_of, understand
from hermes_tui.config.masking import is_reference, toml_masks
from hermes_tui.config.meaning import explained
from hermes_tui.config.mending import mended
from hermes_tui.config.problems import InvalidFileError, Problem, safe
from hermes_tui.config.remarks import remarks, uselessness
from hermes_tui.config.resolve import Resolved
from hermes_tui.config.saving import LockedFile, locked
from hermes_tui.config.secrets import Sources
from hermes_tui.core.configuration import Configuration
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
    Place,
)
from hermes_tui.core.errors import ConfigurationError, UselessEntryError
from hermes_tui.core.ports import Keyring
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.taking import Taking, takings
from hermes_tui.core.telling import Telling
from hermes_tui.core.text import PlainText

_MARK = "\ufeff"
"""The byte order mark that some editors put before UTF-8; a file that has it keeps it."""

_TOML = Notation(
    "toml",
    PlainText("as in [providers.NAME], or one that is known"),
    PlainText("the pool's; or ${NAME}, env:NAME, file:PATH"),
)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a text would put in force: fills `core.ports.Configured`."""

    configuration: Configuration
    keyring: Keyring = field(compare=False, repr=False)
    telling: Telling


class FileDesk:
    """Implements `core.editing.OwnDesk` over a file. `now` gives epoch seconds."""

    notation = _TOML

    def __init__(self, path: Path, *, environ: Mapping[str, str], now: Callable[[], float]) -> None:
        self._path = path
        self._environ = environ
        self._now = now
        self._masks = toml_masks()
        self._commands = KeyCommands(environ, path.parent)

    def load(self) -> Loaded:
        """Return what the file puts in force. Raises ConfigurationError."""
        return load(self._path, environ=self._environ, now=self._now(), commands=self._commands)

    def read(self) -> Draft:
        """Return the file's text. Raises ConfigurationError where it cannot be read; broken TOML is text too."""
        content = read(self._path)
        return Draft(self._masks.hide(decode(self._path, content)), digest(content))

    def check(self, text: str, owner: str | None) -> Checked:
        """Return what `text` would mean as the file; whatever is wrong with it is a finding."""
        strangers = self._strangers(text)
        entries: tuple[Entry, ...] = ()
        places: tuple[Place, ...] = ()
        try:
            parsed = self._parsed(self._masks.restore(text))
            entries, places = self._entries(parsed, owner), places_of(parsed, owner)
            file, resolved = self._understood(parsed)
        except ConfigurationError as error:
            return Checked((*_findings(strangers, grave=True), *self._faults(text, error)), None, entries, places)
        if strangers:
            return Checked(_findings(strangers, grave=True), None, entries, places)
        notes = _findings(remarks(file, resolved, parsed.lines), grave=False)
        return Checked(notes, resolved.configuration, entries, places)

    def _faults(self, text: str, error: ConfigurationError) -> tuple[Finding, ...]:
        """Return what is wrong with a text, each with the text without it where that is known."""
        wrong = (error, *getattr(error, "also", ()))
        try:
            parsed = self._parsed(self._masks.restore(text))
        except ConfigurationError:
            mends: list[str | None] = [None] * len(wrong)
        else:
            mends = [mended(parsed, each.key) for each in wrong]
        return tuple(
            Finding(safe(each.what), each.line, grave=True, mended=mend and self._masks.hide(mend))
            for each, mend in zip(wrong, mends, strict=True)
        )

    def _strangers(self, text: str) -> list[Problem]:
        return [
            Problem(f'{name} stands for no key of this file: write "${{NAME}}" instead', line)
            for name, line in self._masks.strangers(text)
        ]

    def _parsed(self, text: str) -> Parsed:
        return parse(self._path, limited(self._path, _encoded(text)))

    def _understood(self, parsed: Parsed) -> tuple[schema.File, Resolved]:
        sources = Sources.of(self._environ, self._path.parent, self._now(), self._commands)
        return understand(self._path, parsed, sources)

    def _entries(self, parsed: Parsed, owner: str | None) -> tuple[Entry, ...]:
        """Return the chain as it is written, its keys hidden."""
        return tuple(
            entry if is_reference(entry.api_key) else replace(entry, api_key=self._masks.placeholder(entry.api_key))
            for entry in entries_of(parsed.document, owner)
        )

    def understand(self, text: str) -> Understood:
        """Return what `text` would put in force as the file. Raises ConfigurationError where it is wrong."""
        self._refuse_strangers(text)
        file, resolved = self._understood(self._parsed(self._masks.restore(text)))
        return Understood(resolved.configuration, resolved.keyring, telling_of(file.tell))

    def takings(self, text: str, configuration: Configuration, snapshot: Snapshot) -> tuple[Taking, ...]:  # noqa: ARG002 - the desk's
        """Return who would take what and when if `text` were saved, which means `configuration`."""
        return takings(snapshot, configuration, self._now())

    def explain(self, text: str, line: int, column: int) -> Explained | None:
        """Return what the key at a place of `text` (line from 1, column from 0) means, None where none stands there.

        Raises ConfigurationError where the text cannot be read as TOML.
        """
        return explained(self._parsed(text).lines, line, column)

    def variables(self) -> Mapping[str, str]:
        """Return the known providers whose key is in the environment, each with the variable's name."""
        return found_variables(self._environ)

    def change(self, text: str, owner: str | None, change: ChainChange) -> str:
        """Return `text` with its chain changed and all else as it was.

        Raises ConfigurationError where the text cannot be read as TOML, or has no such position.
        """
        if isinstance(change, AddEntry | EditEntry):
            key = change.entry.api_key
            self._refuse_strangers(key)
            change = replace(change, entry=replace(change.entry, api_key=self._masks.restore(key)))
        self._refuse_strangers(text)
        return self._masks.hide(changed(self._masks.restore(text), owner, change, path=self._path))

    def _refuse_strangers(self, text: str) -> None:
        if strangers := self._strangers(text):
            raise InvalidFileError(self._path, strangers)

    def save(self, text: str, digest: str) -> None:
        """Write `text` into the file, if the file is still the one with `digest`.

        Raises ConflictError where it was changed elsewhere, ConfigurationError where the text is wrong or the file
        must not be written; then nothing was.
        """
        self._refuse_strangers(text)
        whole = self._masks.restore(text)
        self._understood(self._parsed(whole))
        with locked(self._path) as file:
            _write(file, whole, file.read(), digest)

    def apply(self, owner: str | None, make: MakeChange, *, anyway: bool = False) -> Applied:
        """Change the chain in the file itself, in one go that no other edit comes between.

        `make` returns the change to the chain as it is written then; what it raises ends this. Raises
        UselessEntryError for an entry that could not work or repeats another, unless it is written `anyway`; else as
        `change` and `save` do.
        """
        with locked(self._path) as file:
            before = file.read()
            old = decode(self._path, before)
            change = make(self._entries(self._parsed(old), owner))
            new = changed(old, owner, change, path=self._path)
            try:
                meaning = self._understood(self._parsed(new))
            except InvalidFileError as error:
                self._understood(self._parsed(old))  # what was wrong before is said with its line
                raise ConfigurationError(f"nothing was written: {error.what}", path=self._path) from None
            if isinstance(change, AddEntry | EditEntry) and not anyway:
                self._refuse_useless(*meaning, owner, change.position)
            _write(file, new, before, digest(before))
        return Applied(change, meaning[1].configuration)

    def _refuse_useless(self, file: schema.File, resolved: Resolved, owner: str | None, position: int | None) -> None:
        if why := uselessness(file, resolved, owner, position):
            raise UselessEntryError(why, path=self._path)


def _write(file: LockedFile, text: str, before: bytes, expected: str) -> None:
    """Write a text in the place of the content `before`, unless that is what the file says already."""
    mark = _MARK if before.startswith(_MARK.encode()) else ""
    content = _encoded(mark + text)
    if content != before:
        file.replace(content, expected)


def _encoded(text: str) -> bytes:
    """Return the bytes of a text; what is no UTF-8 is found when they are read."""
    return text.encode(errors="surrogatepass")


def _findings(problems: Iterable[Problem], *, grave: bool) -> tuple[Finding, ...]:
    found = [Finding(safe(problem.what), problem.line, grave) for problem in problems]
    return tuple(sorted(found, key=lambda finding: finding.line or 0))
