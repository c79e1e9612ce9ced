"""Codex logins that another program owns: read where it keeps them, never refreshed, never written (C55).

A token is read anew at every look, so that one which its owner has renewed is the one that goes out.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.secret import Redactor
from hermes_tui.core.text import one_line
from hermes_tui.core.tokens import claims

AUTH_FILE: Final = "auth.json"
PROVIDER: Final = "openai-codex"
"""Whose logins can be borrowed; nobody else is sent one."""

_LARGEST: Final = 2 * 1024 * 1024
"""Bytes beyond which no program's logins are read."""

_LONGEST_NAME: Final = 40

_SINGLE: Final = "device_code"
"""What Hermes calls the one login that it has not put into its pool yet."""

Document = Mapping[str, Any]


class NotBorrowedError(Exception):
    """There is no token to borrow; the text says why and what to do, and holds nothing of the file."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A program that keeps logins of its own.

    `variable` and `usual`, in the home directory, say where its folder is; `sign_in` is the command that makes a login
    in a file of it.
    """

    name: str
    variable: str
    usual: str
    sign_in: Callable[[Path], str]
    token: Callable[[Document, str], str]

    def file(self, named: str, environ: Mapping[str, str], folder: Path) -> Path:
        """Return where it keeps its logins: in the folder that is `named`, else in its usual one.

        Raises NotBorrowedError where there is no such home directory.
        """
        path = named or environ.get(self.variable, "").strip() or str(Path(environ.get("HOME") or "~", self.usual))
        try:
            return folder / Path(path).expanduser() / AUTH_FILE
        except RuntimeError:
            raise NotBorrowedError(f"{path} cannot be found: there is no such home directory") from None

    def borrow(self, path: Path, login: str, now: float) -> str:
        """Return the token of a login in the file at `path`. Raises NotBorrowedError."""
        document = self._document(path)
        token = self.token(document, login)
        if not token:
            raise NotBorrowedError(f"{path} holds no access token: run `{self.sign_in(path)}`")
        expires_at = claims(token).expires_at
        if expires_at is not None and expires_at <= now:
            remedy = f"only {self.name} may renew it: use it once, or run `{self.sign_in(path)}`"
            raise NotBorrowedError(f"the token in {path} has expired, and {remedy}")
        return token

    def _document(self, path: Path) -> Document:
        try:
            content = _own_file(path)
        except FileNotFoundError:
            raise NotBorrowedError(f"{path} is not there: run `{self.sign_in(path)}`") from None
        except OSError as error:
            raise NotBorrowedError(f"{path} cannot be read: {error.strerror or 'input or output error'}") from None
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            document = None  # raised outside: the reader's own error would hold the text
        if not isinstance(document, dict):
            raise NotBorrowedError(f"{path} is no JSON object, or half of one: run `{self.sign_in(path)}`")
        return document


def _own_file(path: Path) -> bytes:
    """Return the content of a file of this user. Raises OSError, NotBorrowedError for any other."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # nobody waits for a pipe's writer
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise NotBorrowedError(f"{path} is not a regular file")
        if hasattr(os, "geteuid") and facts.st_uid != os.geteuid():
            raise NotBorrowedError(f"{path} belongs to another user: only a login of your own is borrowed")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            content = stream.read(_LARGEST + 1)
    finally:
        os.close(descriptor)
    if len(content) > _LARGEST:
        raise NotBorrowedError(f"{path} is too large to hold logins")
    return content


def exposed(path: Path) -> str | None:
    """Say that others can read the logins at `path`, None where nobody can or where there are none."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    if os.name != "posix" or not mode & (stat.S_IRGRP | stat.S_IROTH):
        return None
    return f"leads to logins that others can read (mode {stat.S_IMODE(mode):o}): run chmod 600 {path}"


def _codex_token(document: Document, _login: str) -> str:
    """Return the token of the one login that the Codex command line keeps."""
    token = _text(_table(document.get("tokens")), "access_token")
    if not token and _text(document, "OPENAI_API_KEY"):
        raise NotBorrowedError("Codex uses an API key here, and has no login: write api_key for provider openai")
    return token


def _hermes_token(document: Document, login: str) -> str:
    """Return the token of the login that is called so, by its id or its label; of the first where none is named."""
    rows = sorted(_rows(document), key=lambda row: _number(row.get("priority")))
    if not login:
        return next((token for row in rows if (token := _text(row, "access_token"))), "")
    by_id = [row for row in rows if row.get("id") == login]
    named = by_id or [row for row in rows if row.get("label") == login]
    if len(named) > 1:
        ids = ", ".join(_text(row, "id") for row in named)
        raise NotBorrowedError(f"more than one login of Hermes is called so: name one by its id, of {ids}")
    if not named:
        names = ", ".join(map(_shown, rows))
        raise NotBorrowedError(f"Hermes has no such login for {PROVIDER}: there is {names or 'none'}")
    return _text(named[0], "access_token")


def _rows(document: Document) -> Iterator[Document]:
    """Yield the logins of the pool; where it has none, the single one that Hermes would put there."""
    pool = _table(document.get("credential_pool")).get(PROVIDER)
    rows = [row for row in pool if isinstance(row, dict)] if isinstance(pool, list) else []
    single = _table(_table(document.get("providers")).get(PROVIDER))
    yield from rows or ({"label": _SINGLE, **_table(single.get("tokens"))},)


def _shown(row: Document) -> str:
    """Return what a login is called where it may be read by anybody: its label, unless that tells who somebody is."""
    label = one_line(_text(row, "label"), _LONGEST_NAME)
    return label if label and Redactor().clean(label) == label else one_line(_text(row, "id"), _LONGEST_NAME) or "?"


def _table(value: object) -> Document:
    return value if isinstance(value, dict) else {}


def _text(table: Document, name: str) -> str:
    value = table.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _hermes_sign_in(path: Path) -> str:
    """Return the command that signs in to the home of an auth.json: that of a profile has to be named."""
    profile = path.parent.name if path.parent.parent.name == "profiles" else ""
    return f"hermes{f' -p {profile}' if profile else ''} auth add {PROVIDER}"


CODEX: Final = Owner("Codex", "CODEX_HOME", ".codex", lambda _: "codex login", _codex_token)
HERMES: Final = Owner("Hermes", "HERMES_HOME", ".hermes", _hermes_sign_in, _hermes_token)
