"""A route as `config.yaml` writes it, and where its key comes from: never what it is."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final

from hermes_tui.core.secret import Redactor, Secret
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.known import API_MODES
from hermes_tui.hermes.values import Entry

LITERAL: Final = "a literal key"
VARIABLE: Final = "a variable"
COMMAND: Final = "a command"

Table = Mapping[Any, Any]

_LONGEST: Final = 200
_LONGEST_NUMBER_BITS: Final = 256
_REFERENCE: Final = re.compile(r"\s*\$\{\s*(?:env:)?\s*([^}]+?)\s*\}\s*")
_VARIABLE_NAME: Final = re.compile(r"[A-Z_][A-Z0-9_]{0,99}")
_CAMEL: Final = {
    "apiKey": "api_key",
    "baseUrl": "base_url",
    "apiMode": "api_mode",
    "keyEnv": "key_env",
    "apiKeyEnv": "key_env",
    "defaultModel": "default_model",
    "contextLength": "context_length",
}
_REDACTOR: Final = Redactor()


def text_of(value: Any) -> str:
    """Return a value as Hermes takes it for text: nothing, `false`, 0 and what is no single value are empty."""
    match value:
        case str():
            return value.strip()
        case bool() | float() | dt.date():
            return str(value) if value else ""
        case int() if value and value.bit_length() <= _LONGEST_NUMBER_BITS:
            return str(value)
    return ""


def shown(text: str) -> PlainText:
    """Return text of the file as it may be shown: one line, without keys, of bounded length."""
    return one_line(_REDACTOR.clean(text), _LONGEST)


def table_of(value: Any) -> Table:
    """Return a value if it is a table, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def in_snake_case(table: Table) -> Table:
    """Return the table of a custom provider with its keys as Hermes spells them: `apiKey` stands in for `api_key`."""
    ours = {ours: table[theirs] for theirs, ours in _CAMEL.items() if theirs in table}
    return {**ours, **table}


def address_of(table: Table) -> str:
    """Return the base URL of an entry as Hermes compares it; anything but text is none."""
    value = table.get("base_url")
    return value.strip().rstrip("/") if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    """Return a positive number of tokens, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        count = int(value)
    except (ValueError, OverflowError):
        return None
    return count if count > 0 else None


def entry_of(table: Table, where: str, *, provider: str, model: str, base_url: str = "") -> Entry:
    """Return the entry that a table at `where` describes: names as they may be shown, the key as a reference."""
    mode = text_of(table.get("api_mode") or table.get("transport"))
    return Entry(
        shown(provider),
        shown(model),
        where,
        shown(base_url or address_of(table)),
        shown(API_MODES.get(mode.lower(), mode)),
        _key_reference(table),
        count_of(table.get("context_length")),
    )


def _key_reference(table: Table) -> str:
    """Return `${NAME}` of the variable that holds the key, a word for where else it is from, or nothing."""
    if written := text_of(table.get("api_key")):
        reference = _REFERENCE.fullmatch(written)
        if reference is not None:
            return _variable(reference[1])
        Secret(written)  # from now on a crash report leaves it out
        return LITERAL
    if name := text_of(table.get("key_env") or table.get("api_key_env")):
        return _variable(name)
    return COMMAND if text_of(table.get("key_cmd")) else ""


def _variable(name: str) -> str:
    """Return a reference to a variable; a name that does not look like one may be the key itself."""
    is_name = _VARIABLE_NAME.fullmatch(name) is not None and _REDACTOR.clean(name) == name
    return f"${{{name}}}" if is_name else VARIABLE
