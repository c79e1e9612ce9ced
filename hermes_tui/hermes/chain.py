"""Another chain in the text of a `config.yaml`: only its own lines change, and entries taken over keep theirs (C110).

What comes out is read again, and is not used unless it is the old document with exactly that chain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.editing import Place
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.blocks import read_blocks
from hermes_tui.hermes.chain_text import INDENT, ChainText, UnusualFormError
from hermes_tui.hermes.entry_lines import Value, edited_lines, new_lines
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY, MOST_ENTRIES

_OTHERWISE: Final = "changed, the file would say something else"

Document = dict[Any, Any]


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that is not in the file yet. Of its keys, those with a default are not written while they have it."""

    provider: str
    model: str
    base_url: str = ""
    api_key: str = ""
    key_env: str = ""
    api_mode: str = ""
    context_length: int | None = None

    @property
    def table(self) -> dict[str, Value]:
        """The entry as the file will hold it."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value or name in ("provider", "model")}


@dataclass(frozen=True, slots=True)
class EditedEntry:
    """The entry at a place, from 0, with other values of some keys: None is a key that goes."""

    at: int
    values: Mapping[str, Value | None]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with another chain; `folded` tells that there was one under the legacy `fallback_model`, which is gone."""

    text: str
    folded: bool


def with_chain(text: str, chain: Sequence[int | EditedEntry | NewEntry], path: Path) -> Rewritten:
    """Return the text of the file at `path` with another chain.

    A number stands for the entry at that place, from 0, of the chain that `understood` returns, legacy ones last: it
    keeps its bytes, with the remarks above and in it. An entry that is left out takes its remarks along. A chain under
    `fallback_model` moves to `fallback_providers`. Raises ConfigurationError where the text is not YAML, has no such
    entry, or is written in a form in which this cannot be done.
    """
    mark = text[: text.startswith("\ufeff")]
    root, before = read_blocks(text[len(mark) :], path)
    old = entries_of(before)
    missing = next((at for one in chain if (at := _place(one)) is not None and not 0 <= at < len(old)), None)
    if missing is not None:
        raise ConfigurationError(f"there is no entry {missing + 1} in a chain of {len(old)}: read it again", path=path)
    wanted = [_wanted(one, old) for one in chain]
    if _is_same(wanted, old) and isinstance(before.get(CHAIN), list) and LEGACY not in before:
        return Rewritten(text, folded=False)
    try:
        after = mark + _rewritten(text[len(mark) :], root, chain, len(old), path)
        after.encode()
        read = dict(read_blocks(after[len(mark) :], path)[1])
    except UnusualFormError as error:
        raise _unusual(str(error), path, error.line) from None
    except ConfigurationError as error:
        why, _, _ = error.what.partition(":")
        raise _unusual(why, path, error.line) from None
    except UnicodeEncodeError:
        raise _unusual("a character in it stands for nothing", path) from None
    if not _is_same(read.pop(CHAIN, None), wanted) or repr(read) != repr(_without_chain(before)):
        raise _unusual(_OTHERWISE, path)
    return Rewritten(after, folded=bool(before.get(LEGACY)))


def places_of(text: str, root: Any) -> tuple[Place, ...]:
    """Return the lines of the chain's entries in a text; `root` is the parser's node of the whole."""
    return tuple(ChainText(text).places(root))


def entries_of(document: Mapping[Any, Any]) -> list[Any]:
    """Return the entries of a document's chain as they are written, legacy ones last."""
    found: list[Any] = []
    for name in (CHAIN, LEGACY):
        value = document.get(name)
        found += value if isinstance(value, list) else [value] if isinstance(value, dict) and value else []
    return found


def _unusual(why: str, path: Path, line: int | None = None) -> ConfigurationError:
    what = f"the chain is written in a form that cannot be changed here ({why}): change the text itself"
    return ConfigurationError(what, path=path, line=line)


def _place(one: int | EditedEntry | NewEntry) -> int | None:
    match one:
        case int():
            return one
        case EditedEntry(at):
            return at
        case NewEntry():
            return None


def _wanted(one: int | EditedEntry | NewEntry, old: Sequence[Any]) -> Any:
    """Return what an entry of the new chain must be once it is read again."""
    match one:
        case int():
            return old[one]
        case NewEntry():
            return one.table
        case EditedEntry(at, values):
            whole = {**old[at], **values} if isinstance(old[at], dict) else {}
            return {name: value for name, value in whole.items() if name not in values or value is not None}


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, their kinds too; tables may have their keys in another order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return repr(one) == repr(other)


def _without_chain(document: Mapping[Any, Any]) -> Document:
    return {key: value for key, value in document.items() if key not in (CHAIN, LEGACY)}


def _rewritten(text: str, root: Any, chain: Sequence[int | EditedEntry | NewEntry], count: int, path: Path) -> str:
    reader = ChainText(text)
    parts = dict(reader.parts(root))
    entries = [entry for name in (CHAIN, LEGACY) if name in parts for entry in parts[name].entries]
    if count > MOST_ENTRIES:
        raise UnusualFormError(f"it has more than {MOST_ENTRIES} entries")
    if len(entries) != count:
        raise UnusualFormError("its entries cannot be told apart")
    lines = reader.lines
    end = reader.newline
    here = parts.get(CHAIN) or parts.get(LEGACY)
    column = here.column if here is not None else INDENT
    written = [_lines_of(one, entries, path) for one in chain]
    body = [" " * column + line + end if line else end for entry in written for line in entry]
    head, aside = (parts[CHAIN].head, parts[CHAIN].aside) if CHAIN in parts else ("", "")
    block = [f"{head or f'{CHAIN}:{aside}'}{end}", *body] if body else [f"{CHAIN}: []{aside}{end}"]
    pieces = {part.start: (part.end, block if part is here else []) for part in parts.values()}
    if here is None:
        tail = [] if not lines or lines[-1].endswith("\n") else [end]
        return "".join([*lines, *tail, *block])
    for start in sorted(pieces, reverse=True):
        lines[start : pieces[start][0]] = pieces[start][1]
    return "".join(lines)


def _lines_of(one: int | EditedEntry | NewEntry, entries: Sequence[tuple[str, ...]], path: Path) -> tuple[str, ...]:
    match one:
        case int():
            return entries[one]
        case EditedEntry(at, values):
            return edited_lines(entries[at], values, path)
        case NewEntry():
            return new_lines(one.table)
