"""What is worth saying about the text of a `config.yaml` that can be read, and on which line it stands."""

import re
from collections.abc import Iterator
from typing import Any, Final

from hermes_tui.core.editing import Finding
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.entries import LITERAL
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY
from hermes_tui.hermes.values import Entry, HomeConfiguration

_PLACE: Final = re.compile(r"(?P<key>[^\[.]+)(?:\[(?P<number>\d+)\]|\.(?P<name>.+))?")
_PLAIN_KEY: Final = one_line("its key stands in the file: put it into .env, and write ${NAME} here")


def findings_of(file: HomeConfiguration, root: Any) -> tuple[Finding, ...]:
    """Return what is worth saying, in line order; `root` is the parser's node of the whole. None of it is grave."""
    notes = (Finding(what, line_of(root, where), grave=False) for where, what in _said(file))
    return tuple(sorted(notes, key=lambda finding: finding.line or 0))


def no_model(file: HomeConfiguration, root: Any) -> Finding | None:
    """Return that no model is asked for, which a chain needs to be behind; None where one is."""
    if file.primary is not None and file.primary.model:
        return None
    what = one_line("no model is asked for, so that there is nothing to fall back from: `hermes model` chooses one")
    return Finding(what, line_of(root, "model"))


def _said(file: HomeConfiguration) -> Iterator[tuple[str, PlainText]]:
    entries = (*((file.primary,) if file.primary is not None else ()), *file.chain, *file.custom_providers)
    for entry in entries:
        name = _name(entry)
        yield from ((entry.where, one_line(f"{name}: {fault}")) for fault in entry.faults)
        if entry.key_reference == LITERAL:
            yield entry.where, one_line(f"{name}: {_PLAIN_KEY}")
    for warning in file.warnings:
        key, _, _ = warning.partition(" ")
        yield key, warning


def _name(entry: Entry) -> str:
    place = _PLACE.fullmatch(entry.where)
    if place is not None and place["key"] == CHAIN and place["number"] is not None:
        return f"entry {int(place['number']) + 1}"
    return "the entry under fallback_model" if entry.where.startswith(LEGACY) else entry.where


def line_of(root: Any, where: str) -> int | None:
    """Return the line (from 1) of `key`, `key[number]` or `key.name` in a text, None where it does not stand there."""
    place = _PLACE.fullmatch(where)
    if root is None or place is None:
        return None
    key, value = _pair(root, place["key"]) or (None, None)
    if key is None or value is None:
        return None
    found = key
    if place["number"] is not None and isinstance(value.value, list):
        number = int(place["number"])
        found = value.value[number] if number < len(value.value) else key
    elif place["name"] is not None:
        found = (_pair(value, place["name"]) or (key, value))[0]
    return int(found.start_mark.line) + 1


def _pair(table: Any, name: str) -> tuple[Any, Any] | None:
    """Return the nodes of a key and its value in the node of a table."""
    pairs = table.value if isinstance(table.value, list) else []
    return next((pair for pair in pairs if isinstance(pair, tuple) and pair[0].value == name), None)
