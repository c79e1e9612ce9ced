"""A change of the chain as the editor means it, made in the text of a `config.yaml`."""

from collections.abc import Mapping
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
    chain: Chain = list(range(len(old)))
    if (wrong := _why_not(change, len(old))) is not None:
        raise ConfigurationError(wrong, path=path)
    match change:
        case AddEntry(entry, position):
            chain.insert(len(old) if position is None else position - 1, _new(entry))
        case RemoveEntry(position):
            del chain[position - 1]
        case MoveEntry(position, to):
            chain.insert(to - 1, chain.pop(position - 1))
        case EditEntry(position, entry):
            before = old[position - 1]
            values = {
                name: getattr(entry, name) or None for name in _FIELDS if getattr(entry, name) != getattr(before, name)
            }
            chain[position - 1] = EditedEntry(position - 1, values) if values else position - 1
        case ClearChain():
            chain = []
    return with_chain(text, chain, path).text


def _new(entry: Entry) -> NewEntry:
    return NewEntry(**{name: getattr(entry, name) for name in _FIELDS})


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
