"""What a screen needs: a terminal to draw on and to read keys from."""

import sys

from hermes_tui.core.errors import UsageError


def require_terminal(what: str, instead: str) -> None:
    """Raise UsageError that proposes something else where `what` has no terminal; it draws on standard error."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(f"{what} needs a terminal, and standard input or output is none: use {instead}")
