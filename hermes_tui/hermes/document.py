"""`config.yaml` as plain values: read as Hermes reads it (YAML 1.1), within bounds, and never expanded."""

import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.errors import ConfigurationError

LARGEST: Final = 256 << 10
"""Bytes of a file that is read: ten times what Hermes writes itself. Reading this much takes seconds."""

_MOST_VALUES: Final = 200_000
"""Values that a file may hold once its aliases are unfolded."""

_MOST_OPEN_BRACKETS: Final = 300
"""What stands in more is too deep for the parser, which takes long to find out."""

_BRACKET: Final = re.compile(r"[\[\]{}]")

_TOO_DEEP: Final = "it is nested too deep to be read"
_MEANWHILE: Final = "Hermes uses an older copy or its defaults until this is mended."
_SENTENCES: Final = (
    ("'\\t'", "a tab stands where YAML takes only spaces: replace it"),
    ("duplicate key", "a key stands twice in one table: remove one (0.22 refuses the file, 0.19 takes the last)"),
    ("mapping values are not allowed", "a colon makes a second value of this line: put the text in quotes"),
    ("undefined alias", "an alias (*) names no anchor (&) above it: put the text in quotes, or define it"),
    ("unexpected end of stream", "a quote or bracket is never closed: close it"),
    ("another document", "a second document begins (---): keep one"),
)
"""What is said of a fault, by a part of the parser's own words: these quote the file, keys and all."""


def read_document(data: bytes, path: Path) -> Mapping[Any, Any]:
    """Return the tables that the bytes of the file at `path` hold; an empty file holds none.

    Raises ConfigurationError with the line where Hermes could not read it either, or where it is out of all bounds.
    """
    text = _text(data, path)
    if _is_deep(text):
        raise ConfigurationError(_TOO_DEEP, path=path)
    from ruamel.yaml import YAML  # noqa: PLC0415 - no home, no YAML
    from ruamel.yaml.error import MantissaNoDotYAML1_1Warning, ReusedAnchorWarning, YAMLError  # noqa: PLC0415

    for harmless in (MantissaNoDotYAML1_1Warning, ReusedAnchorWarning):
        warnings.simplefilter("ignore", harmless)
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 1)
    try:
        root = yaml.compose(text)
        if root is None:
            return {}
        if _unfolded(root, {}) > _MOST_VALUES:
            raise ConfigurationError("its aliases unfold to more than any file needs", path=path)
        document = yaml.constructor.construct_document(root)
    except YAMLError as error:
        raise ConfigurationError(_said(error), path=path, line=_line(error, text)) from None
    except RecursionError:
        raise ConfigurationError(_TOO_DEEP, path=path) from None
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):  # of `!!bool x`, or of 2024-99-99
        raise ConfigurationError(f"a number, date or tag in it says nothing. {_MEANWHILE}", path=path) from None
    if not isinstance(document, Mapping):
        raise ConfigurationError(f"it must begin with the name of a setting. {_MEANWHILE}", path=path, line=1)
    return document


def _text(data: bytes, path: Path) -> str:
    if len(data) > LARGEST:
        raise ConfigurationError(f"it is larger than {LARGEST >> 10} KiB and is not read", path=path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(f"it is not UTF-8: save it as such. {_MEANWHILE}", path=path, line=line) from None


def _is_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > _MOST_OPEN_BRACKETS:
            return True
    return False


def _unfolded(node: Any, known: dict[int, int]) -> int:
    """Return how many values a node holds with every alias unfolded; one that holds itself has no end."""
    children = node.value if isinstance(node.value, list) else ()
    if (size := known.get(id(node))) is not None:
        return size
    known[id(node)] = _MOST_VALUES + 1  # what it is to those inside
    total = 1
    for child in children:
        total += sum(_unfolded(one, known) for one in (child if isinstance(child, tuple) else (child,)))
    known[id(node)] = total
    return total


def _said(error: Exception) -> str:
    words = str(getattr(error, "problem", None) or "")
    sentence = next((sentence for part, sentence in _SENTENCES if part in words), "this is not valid YAML from here on")
    return f"{sentence}. {_MEANWHILE}"


def _line(error: Exception, text: str) -> int | None:
    """Return the line that an error names, from 1; some name only how many characters stand before it."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    position = getattr(error, "position", None)
    return text.count("\n", 0, position) + 1 if isinstance(position, int) else None
