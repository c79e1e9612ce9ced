"""A chain that is written as something else, written as a chain: text that holds a list, or one table (C114)."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from hermes_tui.config.entry_text import new_item
from hermes_tui.config.lines import LineIndex, Span, spliced
from hermes_tui.config.load import Parsed
from hermes_tui.config.problems import Where, spelled
from hermes_tui.config.slots import CHAIN


def mended(parsed: Parsed, key: str | None) -> str | None:
    """Return the text with what stands at `key` written as a chain, None where it is none or nobody can say which."""
    where = next((where for where in parsed.lines if where[-1] == CHAIN and spelled(where) == key), None)
    if where is None:
        return None
    value = _value(parsed.document, where)
    text = _with_two_brackets(parsed.lines, where) if isinstance(value, dict) else _unquoted(parsed.lines, where, value)
    return text if text is not None and _is_chain(text, where) else None


def _value(document: Mapping[str, Any], where: Where) -> Any:
    value: Any = document
    for part in where:
        value = value[part]
    return value


def _unquoted(lines: LineIndex, where: Where, value: object) -> str | None:
    """Return the text with a list in the place of the text that holds one."""
    entries = _entries(value) if isinstance(value, str) else None
    if entries is None:
        return None
    end = lines.line_break
    items = "".join(f"  {new_item(entry)},{end}" for entry in entries)
    return spliced(lines.text, (lines.values[where], f"[{end}{items}]" if items else "[]"))


def _entries(text: str) -> list[dict[str, Any]] | None:
    """Return the entries that a text holds, as JSON or as TOML, or as routes named provider/model."""
    try:
        read = json.loads(text or "[]")
    except (ValueError, RecursionError):
        try:
            read = tomllib.loads(f"chain = {text}")["chain"]
        except (ValueError, RecursionError, KeyError):
            read = [name.strip() for name in text.split(",")]
    found = [_entry(item) for item in (read if isinstance(read, list) else [read])]
    entries = [entry for entry in found if entry is not None]
    return entries if len(entries) == len(found) else None


def _entry(item: object) -> dict[str, Any] | None:
    if isinstance(item, dict):
        return {name: value for name, value in item.items() if value is not None}
    provider, slash, model = item.partition("/") if isinstance(item, str) else ("", "", "")
    return {"provider": provider.strip(), "model": model.strip()} if slash and provider and model else None


def _with_two_brackets(lines: LineIndex, where: Where) -> str | None:
    """Return the text with the header of the one table written as that of an entry."""
    header = next((header for header in lines.headers if header.where == where), None)
    if header is None:
        return None
    start, end = header.span
    return spliced(lines.text, (Span(start, end), f"[{lines.text[start:end]}]"))


def _is_chain(text: str, where: Where) -> bool:
    try:
        chain = _value(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(chain, list) and all(isinstance(entry, dict) for entry in chain)
