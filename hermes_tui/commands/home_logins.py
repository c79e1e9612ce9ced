"""`auth list` and `auth reset` of a real Hermes: every login of its auth.json, and the end of one cooldown by hand."""

import asyncio
import sys
from collections.abc import Sequence

from hermes_tui.commands.auth import ask
from hermes_tui.commands.homes import Asked, Opened, choose, opened, unless_unread, write
from hermes_tui.commands.naming import credential_keys
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.acts import ResetCooldown
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import RefusedError, UsageError
from hermes_tui.core.preview import Confirm, Refused
from hermes_tui.view.auth import can_serve
from hermes_tui.view.homes import credentials_document, credentials_lines
from hermes_tui.view.known import known_credentials


def credentials(asked: Asked, *, as_json: bool) -> int:
    """Print every login of the homes; return 0 when each of them can be used now, else 1."""
    homes, at = [home.shown() for home in opened(asked)], now()
    if as_json:
        write(credentials_document(homes, at))
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


def login_names(asked: Asked) -> tuple[str, ...]:
    """Return the names of all logins of the homes, each once."""
    return tuple(dict.fromkeys(str(key) for home in opened(asked) for key in _keys(home)))


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
        raise UsageError(f"several profiles have {found[0][1]}: {choose([home for home, _ in found])}")
    from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - as above

    unless_unread(homes)
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
