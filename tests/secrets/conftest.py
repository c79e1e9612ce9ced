"""The real terminal, for what the screen must not tell."""

from tests.terminal.conftest import terminal

__all__ = ["terminal"]
