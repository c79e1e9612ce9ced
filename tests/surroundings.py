"""The environment of a program that runs in a terminal of its own."""

import os


def surroundings() -> dict[str, str]:
    """Return the environment without the size of another terminal, which would outrank the program's own."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
