"""What Hermes says, made safe where it enters: any value may stand anywhere, and text may hold keys."""

import json
from collections.abc import Mapping
from typing import Any, Final

from hermes_tui.core.secret import Redactor, without_keys
from hermes_tui.core.text import PlainText, one_line

Table = Mapping[str, Any]

_REDACTOR: Final = Redactor()


def frame(line: bytes) -> Table | None:
    """Return the table that a line holds, None for whatever else it is."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def table(value: object) -> Table:
    """Return a table, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """Return a text as it came, empty for anything else: for what is sent back, never shown."""
    return value if isinstance(value, str) else ""


def passage(value: object) -> PlainText:
    """Return what is said, or a command, without keys and tokens; whatever else stands in it is there to be read."""
    return without_keys(text(value))


def line(value: object) -> PlainText:
    """Return the same on one line."""
    return one_line(without_keys(text(value)))


def sentence(value: object) -> PlainText:
    """Return what went wrong on one line, without keys, tokens, addresses and the ids of accounts."""
    return one_line(_REDACTOR.clean(text(value)))
