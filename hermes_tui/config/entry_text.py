"""One entry of a chain as TOML text: written anew, or its fields changed with everything else kept."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, cast

import tomlkit

from hermes_tui.core.editing import Entry

FIELDS: Final = tuple(field.name for field in fields(Entry))


def written(entry: Entry) -> dict[str, Any]:
    """Return the fields of an entry that are not empty, in the order in which they are written."""
    return {name: value for name in FIELDS if (value := getattr(entry, name)) not in ("", None)}


def entry_of(values: Mapping[str, object]) -> Entry:
    """Return the entry that a table of the file is; a field of the wrong type is not there."""
    kinds = {name: int if name == "context_length" else str for name in FIELDS}
    fitting: dict[str, Any] = {name: values[name] for name, kind in kinds.items() if type(values.get(name)) is kind}
    return Entry(**fitting)


def new_table(header: str, values: Mapping[str, Any]) -> str:
    """Return a table under `header`, a line for each value."""
    lines = [f"{tomlkit.key(name).as_string()} = {value.as_string()}" for name, value in _inline(values).items()]
    return "".join(f"{line}\n" for line in (header, *lines))


def new_item(values: Mapping[str, Any]) -> str:
    """Return an inline table."""
    return f"{{ {_inline(values).as_string()[1:-1]} }}" if values else "{}"


def _inline(values: Mapping[str, Any]) -> Any:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def edited_table(text: str, way: tuple[str, ...], entry: Entry) -> str:
    """Return the text of a table, whose header names `way`, with the fields of `entry`; what is no field stays."""
    document = tomlkit.parse(text)
    table = cast("Any", document)
    for name in way:
        table = table[name]
    _write(entry, table[0] if isinstance(table, list) else table)
    return document.as_string()


def edited_item(text: str, entry: Entry) -> str:
    """Return the text of an inline table with the fields of `entry`; what is no field stays."""
    before = "entry = "
    document = tomlkit.parse(before + text)
    _write(entry, document["entry"])
    edited = document.as_string().removeprefix(before)
    return f"{edited[:-1].rstrip()} }}" if text.endswith(" }") else edited


def _write(entry: Entry, table: Any) -> None:
    values = written(entry)
    for name in FIELDS:
        if name not in values:
            table.pop(name, None)
        elif table.get(name) != values[name]:
            table[name] = values[name]
