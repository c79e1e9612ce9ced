"""One entry of a chain as lines of `config.yaml`: written anew, or with some of its values changed in place."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hermes_tui.hermes.chain_text import UnusualFormError
from hermes_tui.hermes.document import read_nodes

Value = str | int

_PLAIN: Final = re.compile(r"[A-Za-z](?:[\w./:-]*\w)?", re.ASCII)
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_HOLDER: Final = "entry:\n"
"""What stands above the lines of an entry, so that they are a document."""


def new_lines(table: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the lines of an entry that is not in the file yet, from its dash on."""
    written = [f"{name}: {_scalar(value)}" for name, value in table.items()]
    return (f"- {written[0]}", *(f"  {line}" for line in written[1:]))


def edited_lines(lines: tuple[str, ...], values: Mapping[str, Value | None], path: Path) -> tuple[str, ...]:
    """Return the lines of an entry with other values, all else as it was; None takes a key out, with its line.

    Raises UnusualFormError where the entry is no table of single values there, ConfigurationError where it is not one.
    """
    text = _HOLDER + "\n".join(lines)
    for name, value in values.items():
        text = _with(text, name, value, path)
    return tuple(text.removeprefix(_HOLDER).split("\n"))


def _with(text: str, name: str, value: Value | None, path: Path) -> str:
    entry = _entry(text, path)
    number = next((number for number, (key, _) in enumerate(entry.value) if key.value == name), None)
    if number is None:
        return text if value is None else _added(text, entry, f"{name}: {_scalar(value)}")
    return _removed(text, entry, number) if value is None else _replaced(text, entry.value[number], _scalar(value))


def _entry(text: str, path: Path) -> Any:
    """Return the parser's node of the entry in a text."""
    root, _ = read_nodes(text.encode(), path)
    entry = root.value[0][1].value[0]
    if not isinstance(entry.value, list) or not entry.value:
        raise UnusualFormError("the entry is no table")
    return entry


def _replaced(text: str, pair: tuple[Any, Any], written: str) -> str:
    key, value = pair
    if isinstance(value.value, list) or value.anchor or value.start_mark.index < key.end_mark.index:
        raise UnusualFormError(f"{key.value} is no single value of its own")
    start, end = value.start_mark.index, value.end_mark.index
    if start == end:  # nothing is written, and the parser looked further for it
        start = end = text.index(":", key.end_mark.index) + 1
        written = f" {written}"
    return f"{text[:start]}{written}{text[end:]}"


def _added(text: str, entry: Any, written: str) -> str:
    """Put a key after the last one that has a single value."""
    if entry.flow_style:
        end = entry.value[-1][1].end_mark.index
        return f"{text[:end]}, {written}{text[end:]}"
    single = [pair for pair in entry.value if not isinstance(pair[1].value, list) and pair[1].style not in ("|", ">")]
    if not single:
        raise UnusualFormError("the entry has no single value")
    key, value = single[-1]
    end = text.find("\n", max(value.end_mark.index if value.value else key.end_mark.index, key.end_mark.index))
    end = len(text) if end < 0 else end
    return f"{text[:end]}\n{' ' * key.start_mark.column}{written}{text[end:]}"


def _removed(text: str, entry: Any, number: int) -> str:
    """Take a key out: the first up to the next one, another with its line, or with the comma before it."""
    pairs = entry.value
    key, value = pairs[number]
    if len(pairs) == 1 or isinstance(value.value, list):
        raise UnusualFormError(f"{key.value} cannot be taken out alone")
    if number == 0:
        return text[: key.start_mark.index] + text[pairs[1][0].start_mark.index :]
    if entry.flow_style:
        return text[: pairs[number - 1][1].end_mark.index] + text[value.end_mark.index :]
    start = text.rindex("\n", 0, key.start_mark.index)
    end = text.find("\n", value.end_mark.index if value.value else key.end_mark.index)
    return text[:start] + (text[end:] if end >= 0 else "")


def _scalar(value: Value) -> str:
    if isinstance(value, int) or (_PLAIN.fullmatch(value) and value.lower() not in _WORDS):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
