"""The content of `auth.json`, or why it says nothing now: what passes by is told apart from what is broken.

The file holds tokens. Whatever is raised here carries none of them, neither in its words nor in what a debugger finds
on its way: no error of the JSON reader, which keeps the whole text, is its cause or its context.
"""

import json
import os
import re
import stat
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

from hermes_tui.core.errors import StateError
from hermes_tui.core.secret import Secret
from hermes_tui.core.tokens import claims

AUTH_FILE: Final = "auth.json"
FORMAT: Final = 1
"""The newest `version` whose rows are known."""

LARGEST: Final = 2 * 1024 * 1024
"""Bytes beyond which a file is not read: a hundred logins take a fifth of it."""

Document: TypeAlias = dict[str, object]

_SECRET_KEY: Final = re.compile(r"(?:token|key|secret|password|credential|authorization)s?$", re.IGNORECASE)
_IDENTITY_KEY: Final = re.compile(r"(?:account|user|org|organization|project|tenant)_?id$", re.IGNORECASE)


class Fault(Enum):
    """Why the file says nothing."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    UNFINISHED = "unfinished"
    BROKEN = "broken"


class LoginsError(StateError):
    """`auth.json` says nothing now: not that there are no logins, but that they are unknown."""

    def __init__(self, what: str, *, path: Path, fault: Fault) -> None:
        super().__init__(f"{path}: {what}")
        self.path = path
        self.fault = fault

    @property
    def passing(self) -> bool:
        """Tell whether the same question a moment later may be answered: ask once more, and keep what was known."""
        return self.fault is not Fault.BROKEN


class AuthFile:
    """What stands in the file. No printed form of it tells any of that, and a crash report knows its secrets (C121)."""

    __slots__ = ("document", "ends_its_line", "identities", "secrets")

    def __init__(self, document: Document, *, ends_its_line: bool = False) -> None:
        self.document = document
        self.ends_its_line = ends_its_line
        self.secrets = tuple(map(Secret, sorted(set(_values(document, _SECRET_KEY)), key=len, reverse=True)))
        accounts = filter(None, (claims(secret.reveal()).account for secret in self.secrets))
        self.identities = tuple(map(Secret, dict.fromkeys([*accounts, *_values(document, _IDENTITY_KEY)])))

    @property
    def version(self) -> int | None:
        """The format that the file names."""
        version = self.document.get("version")
        return version if isinstance(version, int) and not isinstance(version, bool) else None

    @property
    def is_newer(self) -> bool:
        """Tell whether the format is newer than the one known here."""
        return self.version is not None and self.version > FORMAT

    def rows(self, provider: str) -> list[object]:
        """Return the pool's rows of `provider` as they stand there, whatever they are."""
        rows = self.pools().get(provider)
        return rows if isinstance(rows, list) else []

    def pools(self) -> Document:
        """Return the rows of all providers."""
        pools = self.document.get("credential_pool")
        return pools if isinstance(pools, dict) else {}


def _values(document: object, named: re.Pattern[str]) -> Iterator[str]:
    """Yield the texts that stand under a key so `named`, and all that stand below such a key."""
    waiting: list[tuple[object, bool]] = [(document, False)]
    while waiting:
        value, inside = waiting.pop()
        match value:
            case str() if inside and value:
                yield value
            case dict():
                waiting += [(below, inside or bool(named.search(key))) for key, below in value.items()]
            case list():
                waiting += [(below, inside) for below in value]


def loaded(path: Path) -> AuthFile | LoginsError:
    """Return the content of the file at `path`, or why there is none; nothing is raised.

    A read that failed is no empty file (C117): only bytes that were read to their end, and hold no JSON, are broken.
    """
    try:
        content, is_still = _read(path)
    except FileNotFoundError:
        return LoginsError("is not there: `hermes auth add` makes it", path=path, fault=Fault.MISSING)
    except OSError as error:
        why = f"cannot be read ({error.strerror or 'input or output error'}): its logins are unknown, not lost"
        return LoginsError(why, path=path, fault=Fault.UNREADABLE)
    if content is None:
        return LoginsError("is no regular file", path=path, fault=Fault.BROKEN)
    if len(content) > LARGEST:
        return LoginsError(f"is larger than {LARGEST // 1024**2} MiB, and is not read", path=path, fault=Fault.BROKEN)
    return _parsed(content, path, is_still=is_still)


def _read(path: Path) -> tuple[bytes | None, bool]:
    """Return the bytes of a regular file, and whether it stayed as it was while they were read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe without a writer does not hold us
    with os.fdopen(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return None, True
        content = stream.read(LARGEST + 1)
        after = os.fstat(descriptor)
    return content, (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)


def _parsed(content: bytes, path: Path, *, is_still: bool) -> AuthFile | LoginsError:
    try:
        text = content.decode("utf-8-sig")
        document = json.loads(text)
    except json.JSONDecodeError as error:
        whole = error.doc.rstrip()
        if not is_still or not whole.endswith("}") or error.pos >= len(whole):
            what = "ends in the middle: it is being written, or a write was cut off"
            return LoginsError(what, path=path, fault=Fault.UNFINISHED)
        what = f"is not JSON (line {error.lineno}, column {error.colno})"
    except UnicodeDecodeError as error:
        if not is_still or error.end >= len(content):
            what = "ends in the middle of a character: it is being written, or a write was cut off"
            return LoginsError(what, path=path, fault=Fault.UNFINISHED)
        what = "is not text in UTF-8"
    except (ValueError, RecursionError):
        what = "is not JSON that can be read: a number too long, or too much inside of each other"
    else:
        if isinstance(document, dict):
            return AuthFile(document, ends_its_line=text.endswith("\n"))
        what = "holds no JSON object"
    advice = "Hermes would go on without logins: put a copy back, or log in anew"
    return LoginsError(f"{what}. {advice}", path=path, fault=Fault.BROKEN)
