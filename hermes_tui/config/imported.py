"""The text of a configuration that was taken over from elsewhere: its tables, and what has to be known of it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any, Final

import tomli_w

from hermes_tui.config.load import digest
from hermes_tui.config.saving import locked
from hermes_tui.core.text import plain

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def imported_text(tables: Mapping[str, Any], origin: str, lacks: Iterable[str], notes: Iterable[str]) -> str:
    """Return the text of a file with `tables`, and one session to begin with."""
    whole = {**tables, "sessions": [{"name": "main"}]}
    return "\n".join(
        (
            f"# Taken over from {plain(origin)}. Keys stay where they are: this file names the places.\n",
            *_told("To be done before every route can serve", lacks),
            *_told("Otherwise than there", notes),
            *_sections((), whole),
        )
    )


def _told(title: str, told: Iterable[str]) -> Iterator[str]:
    lines = [fill(f"- {line}", 116, initial_indent="# ", subsequent_indent="#   ") for line in told]
    if lines:
        yield "\n".join((f"# {title}:", *lines, ""))


def _sections(where: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables inside of one, each under a header of its own."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _section((*where, name), value, "[{}]")
        elif isinstance(value, list):
            for each in value:
                yield from _section((*where, name), each, "[[{}]]")


def _section(where: tuple[str, ...], table: Mapping[str, Any], header: str) -> Iterator[str]:
    values = {name: value for name, value in table.items() if not isinstance(value, Mapping | list)}
    if values:
        names = (name if _BARE.fullmatch(name) else json.dumps(name) for name in where)
        yield f"{header.format('.'.join(names))}\n{tomli_w.dumps(values)}"
    yield from _sections(where, table)


def replace_with(path: Path, text: str) -> None:
    """Write `text` in the place of the file at `path`, of which one backup stays. Raises ConfigurationError."""
    with locked(path) as file:
        file.replace(text.encode(), digest(file.read()))
