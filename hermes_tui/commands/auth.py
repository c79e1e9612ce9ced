"""`auth list` and `auth reset`: what is believed about every credential, and the end of one cooldown by hand."""

import json
import os
import sys
from pathlib import Path

import click

from hermes_tui.commands.naming import credential_named
from hermes_tui.commands.state import last_configuration, open_state
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import state_directory
from hermes_tui.core.acting import clear_cooldown
from hermes_tui.core.acts import ResetCooldown
from hermes_tui.core.decision import Decision
from hermes_tui.core.errors import RefusedError, UsageError
from hermes_tui.core.facts import Facts
from hermes_tui.core.preview import Confirm, Preview, Refused, preview
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.view.auth import auth_document, auth_lines, can_serve
from hermes_tui.view.known import known_credentials
from hermes_tui.view.status import SOURCE


def list_credentials(state: Path | None, *, as_json: bool) -> int:
    """Print every configured credential; return 0 when each of them can be used now, else 1."""
    with open_state(state_directory(state, os.environ)) as ledger:
        origin, at = last_configuration(ledger).origin, now()
        known = known_credentials(ledger.facts, at)
    if as_json:
        sys.stdout.write(json.dumps(auth_document(known, origin, at), indent=2, ensure_ascii=False) + "\n")
    else:
        show(auth_lines(known, origin, at))
    return 0 if known and all(map(can_serve, known)) else 1


def reset_cooldown(state: Path | None, name: str, *, yes: bool) -> int:
    """End the cooldowns of one credential, never its siblings' (M41); return 0.

    Raises RefusedError with the reason where there is nothing to end, and UsageError where it must be asked first
    and nobody can be.
    """
    with open_state(state_directory(state, os.environ), read_only=False) as ledger:
        command = ResetCooldown(credential_named(name, last_configuration(ledger)))

        def decide(facts: Facts) -> Decision[PlainText]:
            _unless_refused(command, facts)
            return clear_cooldown(facts, command.credential, now())

        answer = _unless_refused(command, ledger.facts)
        if isinstance(answer, Confirm) and not yes:
            ask(answer)
        sys.stdout.write(f"{ledger.commit(decide)}\n")
    return 0


def _unless_refused(command: ResetCooldown, facts: Facts) -> Preview:
    answer = preview(command, Snapshot(revision=0, at=now(), source=SOURCE, facts=facts), now())
    if isinstance(answer, Refused):
        raise RefusedError(answer.reason)
    return answer


def ask(answer: Confirm) -> None:
    """Ask on the terminal; raises RefusedError for a no, and UsageError where there is no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{answer.question} Nobody can be asked here: add --yes. {answer.effect}")
    if not click.confirm(f"{answer.effect}\n{answer.question}", err=True):
        raise RefusedError("nothing was changed")
