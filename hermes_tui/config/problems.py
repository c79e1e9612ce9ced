"""What can be wrong with a configuration file, as sentences that know their line and key.

ConfigurationError          (core)
├── InvalidFileError        the file was read, and something in it is wrong; `also` has the rest
└── MissingFileError        there is no such file
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.secret import Redactor
from hermes_tui.core.text import PlainText, one_line

Where = tuple[str | int, ...]
"""The way to a value in a document: table and key names, and positions in lists from 0."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: what it is and what to do, at which key, on which line (from 1)."""

    what: str
    line: int | None = None
    key: str | None = None


class MissingFileError(ConfigurationError):
    """There is no file at the path."""


class InvalidFileError(ConfigurationError):
    """A file's content cannot be used. Its text is the first problem; `also` holds the others, in line order."""

    def __init__(self, path: Path, problems: Iterable[Problem]) -> None:
        first, *rest = sorted(problems, key=lambda problem: problem.line or 0)
        super().__init__(safe(first.what), path=path, line=first.line, key=first.key)
        self.also = tuple(
            ConfigurationError(safe(problem.what), path=path, line=problem.line, key=problem.key) for problem in rest
        )


def safe(text: str) -> PlainText:
    """Return words about a file as one plain line, with what looks like a key taken out of them."""
    return one_line(Redactor().clean(text))


def spelled(where: Where) -> str:
    """Return a way as a person writes it: `fallback_providers[2].model`, positions counted from 1."""
    words = ""
    for part in where:
        words += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if words else part
    return safe(words)
