"""What Hermes says, made safe where it enters: any value may stand anywhere, and text may hold keys."""

import json
from collections.abc import Mapping
from typing import Any, Final

from hermes_tui.core.secret import Redactor, without_keys
from hermes_tui.core.text import PlainText, one_line, plain

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
    """Return text of several lines without keys and tokens."""
    return plain(_REDACTOR.clean(text(value)))


def command(value: object) -> PlainText:
    """Return a command without keys and tokens; whatever else stands in it is there to be judged."""
    return without_keys(text(value))


def sentence(value: object) -> PlainText:
    """Return text on one line without keys and tokens."""
    return one_line(_REDACTOR.clean(text(value)))
