"""`--hermes`: where the sessions of a real Hermes stand and why, and its logins, from its files alone."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hermes_tui.commands.auth import ask
from hermes_tui.commands.naming import credential_keys
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.acts import ResetCooldown
from hermes_tui.core.chronicle import Chronicle
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import NothingReachableError, RefusedError, UsageError
from hermes_tui.core.preview import Confirm, Refused
from hermes_tui.hermes.homes import profile_name
from hermes_tui.hermes.reader import BUSY_SECONDS
from hermes_tui.hermes.source import HermesHome
from hermes_tui.view.auth import can_serve
from hermes_tui.view.course_document import course_document, course_lines
from hermes_tui.view.homes import (
    Shown,
    credentials_document,
    credentials_lines,
    homes_document,
    homes_lines,
    needs_attention,
)
from hermes_tui.view.known import known_credentials
from hermes_tui.view.status import Document, is_off, why_lines
from hermes_tui.wiring import open_homes

_PAUSE_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """The homes that a command is about: that in the folder `home`, else Hermes' own; of its profiles one, or all."""

    home: Path | None = None
    profile: str | None = None


class Opened(NamedTuple):
    """One home with its folder and the name of its profile."""

    path: str
    profile: str
    source: HermesHome

    def shown(self) -> Shown:
        """Return the home as it is told."""
        return Shown(self.path, self.profile, self.source.snapshot())


def opened(
    asked: Asked, clock: Callable[[], float] = now, sleep: Callable[[float], None] = time.sleep
) -> tuple[Opened, ...]:
    """Return the homes that are asked for, read; while Hermes keeps its sessions to itself, they are waited for a bit.

    Raises UsageError where there is none.
    """
    homes = open_homes(asked.home, asked.profile, os.environ, clock)
    deadline = time.monotonic() + BUSY_SECONDS
    for _, source in homes:
        while source.waits and time.monotonic() < deadline:
            sleep(_PAUSE_SECONDS)
            source.look()
    return tuple(Opened(str(home.path), profile_name(home), source) for home, source in homes)


def status(asked: Asked, *, as_json: bool, with_archived: bool) -> int:
    """Print where every session of the homes stands; return 0 when all is well, 1 when something needs attention."""
    homes, at = [home.shown() for home in opened(asked)], now()
    document = homes_document(homes, at, with_archived=with_archived)
    if as_json:
        _write(document)
    else:
        show(homes_lines(document, at))
    return 1 if needs_attention(document) else 0


def why(asked: Asked, name: str) -> int:
    """Print why a session is where it is; return 0 on a primary that works, else 1.

    Raises UsageError where there is no such session, or one in several profiles.
    """
    home, at = _home_with(name, opened(asked)), now()
    document = homes_document([home.shown()], at, with_archived=True)
    found = next(session for session in document["sessions"] if session["name"] == name)
    show(why_lines(found, at))
    return 1 if is_off(found) else 0


def timeline(asked: Asked, name: str, since: float | None, *, as_json: bool) -> int:
    """Print which route served a session when, as far as the logs tell; `since` is how many seconds back.

    Return 0 on a primary that works, else 1. Raises UsageError as `why` does.
    """
    home, at = _home_with(name, opened(asked)), now()
    snapshot = home.source.snapshot()
    session, begin = snapshot.facts.sessions[name], at - since if since is not None else None
    chronicle = Chronicle(begin)
    chronicle.add(event for _, event in snapshot.events if begin is None or event.time >= begin)
    course = chronicle.course(snapshot.facts, session, at)
    if as_json:
        _write(course_document(course))
    else:
        show(course_lines(course))
    return 1 if session.on_fallback or session.exhaustion is not None else 0


def credentials(asked: Asked, *, as_json: bool) -> int:
    """Print every login of the homes; return 0 when each of them can be used now, else 1."""
    homes, at = [home.shown() for home in opened(asked)], now()
    if as_json:
        _write(credentials_document(homes, at))
    else:
        show(credentials_lines(homes, at))
    known = [one for home in homes for one in known_credentials(home.snapshot.facts, at)]
    is_read = not any(home.snapshot.problem for home in homes)
    return 0 if known and is_read and all(map(can_serve, known)) else 1


def reset_cooldown(asked: Asked, name: str, *, yes: bool) -> int:
    """End the cooldown of one login in its home's auth.json, as `hermes auth reset` does; return 0.

    Raises RefusedError with the reason where that cannot be, UsageError where the name is none or several, or where it
    must be asked first and nobody can be.
    """
    home, credential = _login_named(name, opened(asked))
    command = ResetCooldown(credential)
    answer = home.source.preview(command)
    if isinstance(answer, Refused):
        raise RefusedError(answer.reason)
    if isinstance(answer, Confirm) and not yes:
        ask(answer)
    sys.stdout.write(f"{asyncio.run(home.source.execute(command))}\n")
    return 0


def session_names(asked: Asked) -> tuple[str, ...]:
    """Return the names of all sessions of the homes."""
    return tuple(name for home in opened(asked) for name in home.source.snapshot().facts.sessions)


def login_names(asked: Asked) -> tuple[str, ...]:
    """Return the names of all logins of the homes, each once."""
    return tuple(dict.fromkeys(str(key) for home in opened(asked) for key in _keys(home)))


def _home_with(name: str, homes: Sequence[Opened]) -> Opened:
    """Return the home that has the session `name`, whether it ended or not."""
    found = [home for home in homes if name in home.source.snapshot().facts.sessions]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f'several profiles have a session "{name}": {_choose(found)}')
    from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - only a mistyped name needs it

    _unless_unread(homes)
    names = [name for home in homes for name in home.source.snapshot().facts.sessions]
    hint = did_you_mean(name, names) or "."
    raise UsageError(f'there is no session "{name}"{hint} There are: {", ".join(names) or "none"}')


def _login_named(name: str, homes: Sequence[Opened]) -> tuple[Opened, CredentialKey]:
    """Return the login that `name` means: PROVIDER/LABEL, or the label alone; one that is lent is meant last."""
    every = [(home, key) for home in homes for key in _keys(home)]
    named = [one for one in every if str(one[1]) == name] or [one for one in every if one[1].label == name]
    found = [(home, key) for home, key in named if not _is_lent(home, key)] or named[:1]
    if len(found) == 1:
        return found[0]
    if len({key for _, key in found}) > 1:
        choices = ", ".join(dict.fromkeys(str(key) for _, key in found))
        raise UsageError(f'several logins are called "{name}": write one of {choices}')
    if found:
        raise UsageError(f"several profiles have {found[0][1]}: {_choose([home for home, _ in found])}")
    from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - as above

    _unless_unread(homes)
    names = list(dict.fromkeys(str(key) for _, key in every))
    hint = did_you_mean(name, [*names, *(key.label for _, key in every)]) or "."
    raise UsageError(f'there is no login "{name}"{hint} There are: {", ".join(names) or "none"}')


def _keys(home: Opened) -> tuple[CredentialKey, ...]:
    configuration = _configuration(home)
    return credential_keys(configuration) if configuration is not None else ()


def _is_lent(home: Opened, key: CredentialKey) -> bool:
    configuration = _configuration(home)
    pools = configuration.pools if configuration is not None else ()
    members = (member for pool in pools if pool.name == key.pool for member in pool.members)
    return any(member.label == key.label and member.lender is not None for member in members)


def _configuration(home: Opened) -> Configuration | None:
    return home.source.snapshot().facts.configuration


def _choose(homes: Sequence[Opened]) -> str:
    return f"add --profile {' or '.join(home.profile for home in homes)}"


def _unless_unread(homes: Sequence[Opened]) -> None:
    """Raise NothingReachableError where a home could not be read: what is asked for may be there."""
    for home in homes:
        if problem := home.source.snapshot().problem:
            raise NothingReachableError(f"{home.path} cannot be read now: {problem}")


def _write(document: Document) -> None:
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
