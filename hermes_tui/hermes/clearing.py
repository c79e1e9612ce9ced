"""Ending the cooldown of one login, as `hermes auth reset PROVIDER TARGET` does it: a deed of the user's own.

What it does not achieve, by how Hermes is made:

- A session that has fallen back keeps its own cooldown in memory, and asks the file only after that has passed: it
  stays on its fallback.
- A pool that lives in a release without `status_cleared_at` (0.19, 0.20) read the file once: it keeps the cooldown, and
  its next write puts it back. A process that starts afterwards has the row.
- From 0.22 on a living pool looks for the stamp when it next asks what is available, and only at rows that it believes
  to be exhausted or dead. The cooldown of a single model that it has in memory stays, and it writes it back.
- It gives no quota. Where the provider still refuses, the next request puts the cooldown back, and rightly so.
"""

import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import RefusedError, StateError, StateTooNewError
from hermes_tui.files.rights import given_group
from hermes_tui.files.writing import make_durable
from hermes_tui.hermes import auth_lock
from hermes_tui.hermes.auth_file import AUTH_FILE, AuthFile, Document, LoginsError, loaded
from hermes_tui.hermes.cooldowns import moment
from hermes_tui.hermes.stamp import Stamp, stamp
from hermes_tui.hermes.values import Home

NEW_FILE: Final = ".auth.json.hermes-tui"
"""Where the new content is written first. One name, so that what a killed process left is gone with the next clear."""

STATUS_FIELDS: Final = (
    "last_status",
    "last_status_at",
    "last_error_code",
    "last_error_reason",
    "last_error_message",
    "last_error_reset_at",
)
_GONE: Final = ("model_cooldowns", "failure_reason")


def cleared(document: Mapping[str, object], provider: str, credential: str, now: float) -> Document:
    """Return the document of `auth.json` with the cooldown of one login ended at `now`, in epoch seconds.

    `credential` is the id of the row. All else is as it was, in its order, and `document` itself too. Raises
    RefusedError where there is no such row, or where it was benched later than `now`: Hermes would not heed the clear.
    """
    pools = document.get("credential_pool")
    rows = pools.get(provider) if isinstance(pools, dict) else None
    if not isinstance(pools, dict) or not isinstance(rows, list) or not any(_is(row, credential) for row in rows):
        raise RefusedError(f"{provider} has no login {credential} any more: it was removed meanwhile")
    changed = [_cleared_row(row, now) if _is(row, credential) else row for row in rows]
    written_at = datetime.fromtimestamp(now, UTC).isoformat()
    return {**document, "credential_pool": pools | {provider: changed}, "updated_at": written_at}


def _is(row: object, credential: str) -> bool:
    return isinstance(row, dict) and bool(credential) and row.get("id") == credential


def _cleared_row(row: Document, now: float) -> Document:
    benched_at = moment(row.get("last_status_at"))
    if benched_at is not None and benched_at >= now:
        when = datetime.fromtimestamp(benched_at, UTC).isoformat(" ", "seconds")
        advice = "try again, or set the clock of this machine right"
        raise RefusedError(f"its cooldown began at {when}, later than this clear: {advice}")
    kept = {name: value for name, value in row.items() if name not in _GONE}
    return kept | dict.fromkeys(STATUS_FIELDS) | {"status_cleared_at": now}


def clear(
    home: Home,
    provider: str,
    credential: str,
    *,
    clock: Callable[[], float] = time.time,
    patience_seconds: float = auth_lock.PATIENCE_SECONDS,
) -> float:
    """End the cooldown of one login in the home's own `auth.json`; return the time that it was stamped with.

    It waits for Hermes' lock, reads the file under it, and puts the new one in its place whole: a process that is
    killed here leaves the old one or the new one. Blocks for up to `patience_seconds`. Raises RefusedError where the
    row is not there or not this home's, or the file is not ours to replace, StateLockedError where Hermes holds the
    lock too long, LoginsError where the file says nothing, StateTooNewError, and StateError where it cannot be
    written. Nothing was changed then, unless the error says so.
    """
    path = home.path / AUTH_FILE
    try:
        _ours(path, home)
        with auth_lock.held(home.path, patience_seconds):
            return _clear_held(home, provider, credential, clock)
    except OSError as error:
        reason = error.strerror or "input or output error"
    raise StateError(f"{path}: cannot be changed ({reason}); it is as it was")


def _clear_held(home: Home, provider: str, credential: str, clock: Callable[[], float]) -> float:
    path = home.path / AUTH_FILE
    found = _ours(path, home)
    before = stamp(path)
    file = _read(path)
    _refuse(file, home, provider)
    now = clock()
    document = cleared(file.document, provider, credential, now)
    _replace(path, _written(document, ends_its_line=file.ends_its_line), found, before)
    _make_durable(home.path)
    return now


def _ours(path: Path, home: Home) -> os.stat_result:
    """Return what the system says of the file. Raises RefusedError where it is not ours to replace."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        found = None
    if found is None:
        where = _lent(home) if home.profile is not None else "`hermes auth add` makes it"
        raise RefusedError(f"{path} is not there: {where}")
    if stat.S_ISLNK(found.st_mode):
        why = "is a link, and is not replaced"
    elif not stat.S_ISREG(found.st_mode):
        why = "is no regular file, and is not replaced"
    elif found.st_nlink > 1:
        why = "has a second name, which would keep the old content"
    elif found.st_uid != os.geteuid():
        why = "belongs to another user, and would become yours"
    else:
        return found
    raise RefusedError(f"{path} {why}: use `hermes auth reset`")


def _lent(home: Home) -> str:
    return f"the profile uses the login of {home.root}: end its cooldown there"


def _read(path: Path) -> AuthFile:
    outcome = loaded(path)
    if isinstance(outcome, LoginsError):
        raise outcome
    return outcome


def _refuse(file: AuthFile, home: Home, provider: str) -> None:
    if file.is_newer:
        raise StateTooNewError(f"{home.path / AUTH_FILE}: a newer Hermes wrote it, format {file.version}: not changed")
    if home.profile is not None and not file.rows(provider):
        raise RefusedError(f"{home.profile} has no login of its own for {provider}: {_lent(home)}")


def _written(document: Document, *, ends_its_line: bool) -> bytes:
    """Return the document as Hermes writes it; a half of a character pair can only be written in ASCII."""
    end = "\n" if ends_its_line else ""
    try:
        return (json.dumps(document, indent=2, ensure_ascii=False) + end).encode()
    except UnicodeEncodeError:
        return (json.dumps(document, indent=2) + end).encode()


def _replace(path: Path, content: bytes, found: os.stat_result, before: Stamp) -> None:
    """Put `content` in the place of the file, on disk, with its mode and group; the lock is held."""
    new = path.with_name(NEW_FILE)
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(descriptor, given_group(descriptor, found))
            os.fsync(descriptor)
        if stamp(path) != before:
            raise RefusedError(f"{path} was changed by something that does not heed its lock: try again")
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _make_durable(folder: Path) -> None:
    try:
        make_durable(folder)
    except OSError as error:
        reason = error.strerror or "input or output error"
    else:
        return
    raise StateError(f"{folder}: the cooldown is ended, but may be back after a power cut ({reason})")
