"""`sessions`: listed, made, renamed, archived, brought back and scheduled, in the state that a dashboard may share."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from hermes_tui.commands.edge import FINE
from hermes_tui.commands.handing_over import do, hand_over
from hermes_tui.commands.state import open_state
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.core import keeping
from hermes_tui.core.acts import (
    ArchiveSession,
    BringBack,
    ChangeSchedule,
    NewSession,
    OnSession,
    RenameSession,
)
from hermes_tui.core.claiming import claim
from hermes_tui.core.decision import Decision
from hermes_tui.core.facts import Facts
from hermes_tui.core.lifecycle import PROGRAM_ENDED, interrupt
from hermes_tui.core.text import PlainText
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.session_list import session_list_document, session_list_lines
from hermes_tui.wiring import load_configuration, open_ledger


def list_sessions(state: Path | None, *, with_archived: bool, as_json: bool) -> int:
    """Print every session, the archived ones where they are asked for; return 0."""
    directory = state_directory(state, os.environ)
    with open_state(directory) as ledger:
        owner = Ownership(directory).owner
        document = session_list_document(ledger.facts, owner, now(), with_archived=with_archived)
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(session_list_lines(document))
    return FINE


def new_session(
    config: Path | None, state: Path | None, name: str, *, like: str | None, prompt: str, every_seconds: float | None
) -> int:
    """Make a session by the configuration file; return 0. Raises RefusedError."""
    directory = state_directory(state, os.environ)
    configuration = load_configuration(config_path(config, os.environ), os.environ, now()).configuration

    def decide(facts: Facts) -> Decision[PlainText]:
        made = keeping.make(
            facts.under(configuration), name, like=like, prompt=prompt, every_seconds=every_seconds, now=now()
        )
        told = f"{name} starts on {made.value.requested} with its first prompt"
        if every_seconds is not None:
            told = f"{name} {keeping.schedule_words(every_seconds)}, once a dashboard or `hermes-tui run` is there"
        return Decision(PlainText(told), made.records)

    with open_ledger(directory) as ledger:
        return _change(ledger, directory, NewSession(name, like, prompt, every_seconds), decide)


def rename_session(state: Path | None, before: str, after: str) -> int:
    """Call a session otherwise; return 0. Raises RefusedError."""
    return _change_known(state, RenameSession(before, after), lambda facts: keeping.rename(facts, before, after, now()))


def archive_session(state: Path | None, name: str, *, yes: bool) -> int:
    """Put a session aside, after a question where that stops a turn; return 0. Raises RefusedError, UsageError."""
    if Ownership(state_directory(state, os.environ)).owner(name) is not None:
        return do(state, ArchiveSession(name), yes=yes)
    return _change_known(state, ArchiveSession(name), lambda facts: keeping.archive(facts, name, now()))


def bring_back_session(state: Path | None, name: str) -> int:
    """Let an archived session be there again; return 0. Raises RefusedError."""
    return _change_known(state, BringBack(name), lambda facts: keeping.bring_back(facts, name, now()))


def schedule_session(state: Path | None, name: str, *, every_seconds: float | None, prompt: str | None) -> int:
    """Let a session run by itself, or no more (None); without a prompt its own stays. Return 0. Raises RefusedError."""

    directory = state_directory(state, os.environ)
    with open_state(directory, read_only=False) as ledger:
        row = ledger.facts.sessions.get(name)
        said = prompt or (row.arranged.prompt if row is not None else None) or ""
        command = ChangeSchedule(name, every_seconds, said)
        return _change(
            ledger, directory, command, lambda facts: keeping.change_schedule(facts, name, every_seconds, said, now())
        )


def _change_known(state: Path | None, command: OnSession, decide: Callable[[Facts], Decision[PlainText]]) -> int:
    directory = state_directory(state, os.environ)
    with open_state(directory, read_only=False) as ledger:
        return _change(ledger, directory, command, decide)


def _change(
    ledger: SqliteLedger, directory: Path, command: OnSession, decide: Callable[[Facts], Decision[PlainText]]
) -> int:
    """Print what was done: by the process that runs the session, else here, while no other one can run it."""
    told = hand_over(directory, command)
    if told is None:
        told = _decided(ledger, Ownership(directory), command, decide)
    sys.stdout.write(f"{told}\n")
    return FINE


def _decided(
    ledger: SqliteLedger, owners: Ownership, command: OnSession, decide: Callable[[Facts], Decision[PlainText]]
) -> PlainText:
    names = (command.session, command.name) if isinstance(command, RenameSession) else (command.session,)
    try:
        claim(owners, *names)
        for name in names:
            ledger.commit(lambda facts, name=name: _left_behind(facts, name))  # type: ignore[misc]
        return ledger.commit(decide)
    finally:
        owners.release_all()


def _left_behind(facts: Facts, name: str) -> Decision[None]:
    """End the turn that a process which is gone has left in a session that nobody runs."""
    row = facts.sessions.get(name)
    if row is None:
        return Decision(None)
    return Decision(None, interrupt(facts, row, PROGRAM_ENDED, now()).records)
