"""Editing the configuration in place (M44): the text on the desk, what is wrong with it, and changes of a chain.

A chain belongs to an `owner`: the session that has one of its own, None for the file's. Positions count from 1, as
people see them. No text here holds a key: those written in the file are hidden when it is read, and put back when it
is saved.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.ports import Configured
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.taking import Taking
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draft:
    """The file's text as it was read; `digest` tells later whether the file is still that one."""

    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to say about a text, on which line (from 1). A grave one keeps it from being saved.

    `mended` is the text without it, None where only its author knows what is meant.
    """

    what: PlainText
    line: int | None = None
    grave: bool = True
    mended: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a chain as it is written: empty is not written. `context_length` is in tokens."""

    provider: str = ""
    model: str = ""
    base_url: str = ""
    api_mode: str = ""
    context_length: int | None = None
    api_key: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The lines of an entry in a text, from 1, the last one included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What a text says: everything worth saying about it, in line order, and what it would put in force.

    `configuration` is None while a finding is grave. `entries` are the owner's chain, beside the links of the
    configuration that they became; `places` are where they stand, none where the chain is not written as entries.
    """

    findings: tuple[Finding, ...] = ()
    configuration: Configuration | None = None
    entries: tuple[Entry, ...] = ()
    places: tuple[Place, ...] = ()

    def entry_at(self, line: int) -> int | None:
        """Return the position of the entry that stands on a line (both from 1), None where none does."""
        numbers = (number for number, place in enumerate(self.places, 1) if place.first <= line <= place.last)
        return next(numbers, None)


@dataclass(frozen=True, slots=True)
class Explained:
    """What a key of the file means: its value where nothing is written, and which values it takes, in words."""

    key: PlainText
    what: PlainText
    default: PlainText
    allowed: PlainText


@dataclass(frozen=True, slots=True)
class AddEntry:
    """Put an entry at a position, at the end where that is None."""

    entry: Entry
    position: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveEntry:
    """Take the entry at a position out."""

    position: int


@dataclass(frozen=True, slots=True)
class MoveEntry:
    """Take the entry at a position to another one."""

    position: int
    to: int


@dataclass(frozen=True, slots=True)
class EditEntry:
    """Write the fields of the entry at a position anew; keys that are not a field stay."""

    position: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class ClearChain:
    """Take every entry out."""


@dataclass(frozen=True, slots=True)
class OwnChain:
    """Give a session that takes the file's chain the same entries as its own."""


ChainChange = AddEntry | RemoveEntry | MoveEntry | EditEntry | ClearChain | OwnChain

MakeChange = Callable[[tuple[Entry, ...]], ChainChange]
"""Returns the change to make in a chain as it is written now."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A change that was made in the file, and what the file means now."""

    change: ChainChange
    configuration: Configuration


@dataclass(frozen=True, slots=True)
class Notation:
    """How a file is written: its language, and what a provider and a key may be there, in words.

    `providers` are the names that whoever reads the file knows, None where it is this program itself.
    """

    language: str
    provider: PlainText
    api_key: PlainText
    providers: frozenset[str] | None = None


def rearranged(chain: Sequence[T], change: ChainChange, entry: T) -> list[T]:
    """Return a chain after a change; `entry` is what is added, or stands for the one that is edited."""
    after = list(chain)
    match change:
        case AddEntry(position=position):
            after.insert(len(after) if position is None else position - 1, entry)
        case RemoveEntry(position):
            del after[position - 1]
        case MoveEntry(position, to):
            after.insert(to - 1, after.pop(position - 1))
        case EditEntry(position):
            after[position - 1] = entry
        case ClearChain():
            after.clear()
        case OwnChain():
            pass
    return after


class Desk(Protocol):
    """One configuration file, to be read, checked, changed and saved in place."""

    @property
    def notation(self) -> Notation:
        """How the file is written."""

    def read(self) -> Draft:
        """Return the file's text. Raises ConfigurationError where it cannot be read; a broken one is text too."""

    def check(self, text: str, owner: str | None) -> Checked:
        """Return what `text` would mean as the file; whatever is wrong with it is a finding."""

    def takings(self, text: str, configuration: Configuration, snapshot: Snapshot) -> tuple[Taking, ...]:
        """Return who would take what and when if `text` were saved, which means `configuration`."""

    def explain(self, text: str, line: int, column: int) -> Explained | None:
        """Return what the key at a place of `text` (line from 1, column from 0) means, None where none stands there.

        Raises ConfigurationError where the text cannot be read in its language.
        """

    def variables(self) -> Mapping[str, str]:
        """Return the known providers whose key is in the environment, each with the variable's name."""

    def change(self, text: str, owner: str | None, change: ChainChange) -> str:
        """Return `text` with its chain changed and all else as it was.

        Raises ConfigurationError where the text cannot be read in its language, has no such position, or is written in
        a form in which this cannot be done.
        """

    def save(self, text: str, digest: str) -> None:
        """Write `text` into the file, if the file is still the one with `digest`.

        Raises ConflictError where it was changed elsewhere, ConfigurationError where the text is wrong or the file
        must not be written; then nothing was.
        """


class OwnDesk(Desk, Protocol):
    """The desk of the file that this program itself runs by."""

    def load(self) -> Configured:
        """Return what the file puts in force. Raises ConfigurationError."""

    def understand(self, text: str) -> Configured:
        """Return what `text` would put in force as the file. Raises ConfigurationError where it is wrong."""
