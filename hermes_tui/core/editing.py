"""Editing the configuration in place (M44): the text on the desk, what is wrong with it, and changes of a chain.

A chain belongs to an `owner`: the session that has one of its own, None for the file's. Positions count from 1, as
people see them. No text here holds a key: those written in the file are hidden when it is read, and put back when it
is saved.
"""

from typing import Protocol

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.ports import Configured
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """The file's text as it was read; `digest` tells later whether the file is still that one."""

    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to say about a text, on which line (from 1). A grave one keeps it from being saved."""

    what: PlainText
    line: int | None = None
    grave: bool = True


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
class Checked:
    """What a text says: everything worth saying about it, in line order, and what it would put in force.

    `configuration` is None while a finding is grave. `entries` are the owner's chain, beside the links of the
    configuration that they became.
    """

    findings: tuple[Finding, ...] = ()
    configuration: Configuration | None = None
    entries: tuple[Entry, ...] = ()


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


ChainChange = AddEntry | RemoveEntry | MoveEntry | EditEntry | ClearChain


class Desk(Protocol):
    """One configuration file, to be read, checked, changed and saved in place."""

    def load(self) -> Configured:
        """Return what the file puts in force. Raises ConfigurationError."""

    def read(self) -> Draft:
        """Return the file's text. Raises ConfigurationError where it cannot be read; broken TOML is text too."""

    def check(self, text: str, owner: str | None) -> Checked:
        """Return what `text` would mean as the file; whatever is wrong with it is a finding."""

    def change(self, text: str, owner: str | None, change: ChainChange) -> str:
        """Return `text` with its chain changed and all else as it was.

        Raises ConfigurationError where the text cannot be read as TOML, or has no such position.
        """

    def save(self, text: str, digest: str) -> None:
        """Write `text` into the file, if the file is still the one with `digest`.

        Raises ConflictError where it was changed elsewhere, ConfigurationError where the text is wrong or the file
        must not be written; then nothing was.
        """
