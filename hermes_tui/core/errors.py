"""Every error that this program raises on purpose.

HermesTuiError
├── UsageError              the command line asks for what cannot be
├── ConfigurationError      the file, a key in it, or what it refers to
│   ├── ConflictError       the file was changed elsewhere since it was read
│   └── UselessEntryError   an entry that is about to be written would be skipped
├── StateError              the state on disk cannot be used
│   ├── StateLockedError    another process holds it too long
│   └── StateTooNewError    a newer version wrote it
├── NothingReachableError   there is nothing to read or to ask
├── RequestError            one request to a model (core.failure)
└── RefusedError            a user's act that cannot be done now
"""

from pathlib import Path


class HermesTuiError(Exception):
    """The root: its text is one sentence for a person: what happened, where, and what to do."""


class UsageError(HermesTuiError):
    """The command line asks for something that cannot be."""


class ConfigurationError(HermesTuiError):
    """A configuration cannot be used. `line` counts from 1, None where no line is to blame."""

    def __init__(self, what: str, *, path: Path, line: int | None = None, key: str | None = None) -> None:
        where = f"{path}" + (f", line {line}" if line is not None else "")
        super().__init__(f"{where}: {what}")
        self.what = what
        self.path = path
        self.line = line
        self.key = key


class ConflictError(ConfigurationError):
    """The file is not the one any more that an edit began with; nothing was written."""


class UselessEntryError(ConfigurationError):
    """An entry of a chain could not work, or would only repeat another one; it was not written."""


class StateError(HermesTuiError):
    """The state cannot be read or written."""


class StateLockedError(StateError):
    """Another process held the state for too long; the write was not made."""


class StateTooNewError(StateError):
    """The state was written by a newer version: it is read, never written."""


class NothingReachableError(HermesTuiError):
    """There is nothing to read or to ask: no state yet, or no endpoint."""


class RefusedError(HermesTuiError):
    """An act cannot be done now; the text is its reason."""


def told(error: BaseException) -> str:
    """Return an error as a person reads it: the sentence of one made on purpose, else its kind and its words."""
    return str(error) if isinstance(error, HermesTuiError) else f"{type(error).__name__}: {error}"
