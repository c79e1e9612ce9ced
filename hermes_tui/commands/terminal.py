"""The terminal: what a screen needs of it, and lines that fit it."""

import sys
from shutil import get_terminal_size

from hermes_tui.core.errors import UsageError
from hermes_tui.view.folding import folded
from hermes_tui.view.words import to_ascii


def require_terminal(what: str, instead: str) -> None:
    """Raise UsageError that proposes something else where `what` has no terminal; it draws on standard error."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(f"{what} needs a terminal, and standard input or output is none: use {instead}")


def show(text: str) -> None:
    """Write lines for a person on standard output.

    On a terminal they are folded to its width; into a file or a pipe they go as they are. Where the encoding has no
    place for a mark, all of it is ASCII.
    """
    if sys.stdout.isatty():
        text = folded(text, get_terminal_size().columns)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = to_ascii(text)
    sys.stdout.write(text)
