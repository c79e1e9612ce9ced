"""The nearest known name to one that was mistyped."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to `name`, None where none is close."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistyped name needs it

    return next(iter(get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that proposes the nearest known name, empty where none is close."""
    close = nearest(name, known)
    return f'; did you mean "{close}"?' if close else ""
