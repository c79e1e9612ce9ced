"""Changing a chain in the text of the file, and proof that nothing else of it changed.

What comes out of a change is read again, and is not used unless it is the old document with exactly that change.
"""

import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard

from tomlkit.exceptions import TOMLKitError

from hermes_tui.config.entry_text import FIELDS, entry_of, written
from hermes_tui.config.lines import LineIndex, index_lines
from hermes_tui.config.load import Parsed, parse
from hermes_tui.config.problems import Where
from hermes_tui.config.rewriting import UnusualFormError, rewritten
from hermes_tui.config.slots import CHAIN, LEGACY, Chain, Slot, find_chain
from hermes_tui.core.editing import (
    AddEntry,
    ChainChange,
    ClearChain,
    EditEntry,
    Entry,
    MoveEntry,
    OwnChain,
    Place,
    RemoveEntry,
    rearranged,
)
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.naming import NAME_LIMIT
from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.text import one_line

_Tables = list[dict[str, Any]]
_UNUSUAL: Final = "the chain is written in a form that cannot be changed here: change the text itself"


def entries_of(document: Mapping[str, Any], owner: str | None) -> tuple[Entry, ...]:
    """Return the chain of the file, or of the session called `owner`, as it is written; () where it has none."""
    at = _way(document, owner)
    chain = None if at is None else _chain(document, at)
    return tuple(map(entry_of, chain)) if _is_tables(chain) else ()


def places_of(parsed: Parsed, owner: str | None) -> tuple[Place, ...]:
    """Return the lines of the chain's entries, none where it is not written as so many."""
    at = _way(parsed.document, owner)
    chain = None if at is None else _chain(parsed.document, at)
    if at is None or not _is_tables(chain):
        return ()
    slots = find_chain(parsed.lines, at).all_slots
    line_at = parsed.lines.line_at
    found = tuple(Place(line_at(slot.body.start), line_at(slot.body.end - 1)) for slot in slots)
    return found if len(found) == len(chain) else ()


def changed(text: str, owner: str | None, change: ChainChange, *, path: Path) -> str:
    """Return `text`, the content of the file at `path`, with the chain changed of the file or of session `owner`.

    Raises ConfigurationError where it is not TOML, has no such session or position, or is written in a form in
    which this change cannot be made.
    """
    parsed = parse(path, text.encode(errors="surrogatepass"))
    at = _way(parsed.document, owner)
    if at is None:
        hint = did_you_mean(owner or "", [_name(session) for session in _sessions(parsed.document)])
        raise ConfigurationError(f'there is no session "{owner}"{hint}', path=path)
    places = find_chain(parsed.lines, at)
    line = parsed.lines.line(places.where)
    chain = _chain(parsed.document, at)
    if wrong := _misplaced(chain, owner, change):
        raise ConfigurationError(wrong, path=path, line=line)
    after = None
    if len(places.all_slots) == len(chain or ()):
        after = _attempt(parsed.lines, at, change)
    if after is None or not _is_exactly(after, places, change):
        raise ConfigurationError(_UNUSUAL, path=path, line=line)
    return after


def _sessions(document: Mapping[str, Any]) -> list[Any]:
    sessions = document.get("sessions")
    return sessions if isinstance(sessions, list) else []


def _name(session: object) -> str:
    name = session.get("name") if isinstance(session, dict) else None
    return one_line(name, NAME_LIMIT) if isinstance(name, str) else ""


def _way(document: Mapping[str, Any], owner: str | None) -> Where | None:
    """Return the way to the table that holds the owner's chain, None where there is no such session."""
    if owner is None:
        return ()
    numbers = (number for number, session in enumerate(_sessions(document)) if _name(session) == owner)
    return next((("sessions", number) for number in numbers), None)


def _chain(document: Mapping[str, Any], at: Where) -> Any:
    """Return what is written as the chain, the legacy single entry last; None where nothing is."""
    own = _holder(document, at).get(CHAIN)
    if at or LEGACY not in document or not isinstance(own, list | None):
        return own
    return [*(own or ()), document[LEGACY]]


def _is_tables(chain: Any) -> TypeGuard[_Tables]:
    return isinstance(chain, list) and all(isinstance(entry, dict) for entry in chain)


def _holder(document: Mapping[str, Any], at: Where) -> Any:
    holder: Any = document
    for part in at:
        holder = holder[part]
    return holder


def _misplaced(chain: Any, owner: str | None, change: ChainChange) -> str | None:
    """Say why a change has no place in a chain, None where it has."""
    if chain is not None and not _is_tables(chain):
        return f"{CHAIN} must be a list of tables: correct it first"
    count = len(chain or ())
    match change:
        case AddEntry(position=None) | ClearChain():
            return None
        case OwnChain():
            return None if chain is None else f'session "{owner}" has a chain of its own already'
        case AddEntry(position=int(position)):
            asked, last = [position], count + 1
        case MoveEntry(position, to):
            asked, last = [position, to], count
        case RemoveEntry(position) | EditEntry(position):
            asked, last = [position], count
    wrong = next((number for number in asked if not 1 <= number <= last), None)
    if wrong is None:
        return None
    if chain is None and owner is not None:
        return f'session "{owner}" has no chain of its own: it takes the file\'s'
    return f"there is no place {wrong} in a chain of {count}" if count else "the chain is empty"


def _attempt(index: LineIndex, at: Where, change: ChainChange) -> str | None:
    try:
        return rewritten(index, at, change)
    except (UnusualFormError, TOMLKitError, tomllib.TOMLDecodeError):
        return None


def _is_exactly(after: str, before: Chain, change: ChainChange) -> bool:
    """Tell whether `after` is the text before with the change, and lost no comment but those of a changed entry."""
    at = before.owner
    try:
        rest, chain = _apart(after, at)
    except tomllib.TOMLDecodeError:
        return False
    old_rest, old_chain = _apart(before.index.text, at)
    own = _comments(before.index, _changed(before, change))
    lost = _comments(before.index) - _comments(index_lines(after)) - own
    is_list = chain is not None or not at  # a session without one would take the file's
    wanted = _chain(old_rest, ()) or [] if isinstance(change, OwnChain) else _applied(old_chain or [], change)
    return rest == old_rest and (chain or []) == wanted and not lost and is_list


def _apart(text: str, at: Where) -> tuple[dict[str, Any], Any]:
    """Return a document without the chain, and the chain; numbers so that equal ones are equal (nan is not)."""
    document = tomllib.loads(text, parse_float=lambda digits: ("float", repr(float(digits))))
    chain = _chain(document, at)
    _holder(document, at).pop(CHAIN, None)
    if not at:
        document.pop(LEGACY, None)
    return document, chain


def _applied(chain: _Tables, change: AddEntry | RemoveEntry | MoveEntry | EditEntry | ClearChain) -> _Tables:
    """Return what the chain must be after a change of its entries."""
    match change:
        case AddEntry(entry):
            return rearranged(chain, change, written(entry))
        case EditEntry(position, entry):
            kept = {name: value for name, value in chain[position - 1].items() if name not in FIELDS}
            return rearranged(chain, change, kept | written(entry))
        case _:
            return rearranged(chain, change, {})


def _changed(chain: Chain, change: ChainChange) -> tuple[Slot, ...]:
    """Return the slots of the entries whose own comments may go: those removed, or written anew."""
    match change:
        case RemoveEntry(position) | EditEntry(position):
            return (chain.all_slots[position - 1],)
        case ClearChain():
            return chain.all_slots
        case AddEntry() | MoveEntry() | OwnChain():
            return ()


def _comments(index: LineIndex, slots: tuple[Slot, ...] | None = None) -> Counter[str]:
    """Count the comments of a text, or those in the slots of some entries."""
    return Counter(
        index.text[span.start : span.end].strip()
        for span in index.comments
        if slots is None or any(slot.lead.start <= span.start < slot.tail.end for slot in slots)
    )
