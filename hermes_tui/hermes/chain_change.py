"""A change of the chain as the editor means it, made in the text of a `config.yaml`."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.editing import (
    AddEntry,
    ChainChange,
    ClearChain,
    EditEntry,
    Entry,
    MoveEntry,
    OwnChain,
    RemoveEntry,
    rearranged,
)
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.hermes.chain import EditedEntry, NewEntry, entries_of, with_chain
from hermes_tui.hermes.entries import address_of, count_of, table_of, text_of

_FIELDS: Final = tuple(field.name for field in fields(Entry))
_NO_REFERENCES: Final = ("env:", "file:", "command:", "codex:", "hermes:")
"""What says where a key is in this program's own file, and would be the key itself to Hermes."""

Chain = list[int | EditedEntry | NewEntry]


def written_entries(document: Mapping[Any, Any]) -> tuple[Entry, ...]:
    """Return the chain of a document as it is written, keys and all."""
    return tuple(_entry(table_of(entry)) for entry in entries_of(document))


def _entry(table: Mapping[Any, Any]) -> Entry:
    return Entry(
        text_of(table.get("provider")),
        text_of(table.get("model")),
        address_of(table),
        text_of(table.get("api_mode")),
        count_of(table.get("context_length")),
        text_of(table.get("api_key")),
    )


def changed(text: str, old: tuple[Entry, ...], change: ChainChange, path: Path) -> str:
    """Return the text of the file at `path`, whose chain is `old`, with the change.

    Raises ConfigurationError where there is no such position, the entry cannot be written, or the text has a form in
    which this cannot be done.
    """
    if (wrong := _why_not(change, len(old))) is not None:
        raise ConfigurationError(wrong, path=path)
    chain: Chain = list(range(len(old)))
    return with_chain(text, rearranged(chain, change, _put(change, old)), path).text


def _put(change: ChainChange, old: Sequence[Entry]) -> int | EditedEntry | NewEntry:
    """Return what a change puts into the chain; of the others nobody asks."""
    match change:
        case AddEntry(entry):
            return NewEntry(**{name: getattr(entry, name) for name in _FIELDS})
        case EditEntry(position, entry):
            before, at = old[position - 1], position - 1
            other = {name: getattr(entry, name) for name in _FIELDS if getattr(entry, name) != getattr(before, name)}
            return EditedEntry(at, {name: value or None for name, value in other.items()}) if other else at
        case _:
            return 0


def _why_not(change: ChainChange, count: int) -> str | None:
    """Say why a change cannot be made in a chain of `count` entries, None where it can."""
    entry: Entry | None = None
    match change:
        case OwnChain():
            return "Hermes gives all sessions of a home one chain: none has its own"
        case AddEntry(entry, position):
            asked, last = [position or 1], count + 1
        case MoveEntry(position, to):
            asked, last = [position, to], count
        case EditEntry(position, entry):
            asked, last = [position], count
        case RemoveEntry(position):
            asked, last = [position], count
        case ClearChain():
            return None
    if entry is not None and entry.api_key.startswith(_NO_REFERENCES):
        return f"Hermes would take {entry.api_key.partition(':')[0]}:… for the key itself: write ${{NAME}}"
    wrong = next((number for number in asked if not 1 <= number <= last), None)
    if wrong is None:
        return None
    return f"there is no place {wrong} in a chain of {count}" if count else "the chain is empty"
