"""`fallback`: a chain listed, and changed in the file: the file's own, or that of one session."""

import json
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import click

from hermes_tui.commands.edge import ATTENTION, FINE, PROGRAM
from hermes_tui.commands.state import open_state
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.config.desk import FileDesk
from hermes_tui.config.locate import config_path, state_directory
from hermes_tui.config.masking import is_reference
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.editing import AddEntry, Applied, ClearChain, Entry, MakeChange, MoveEntry, RemoveEntry
from hermes_tui.core.errors import NothingReachableError, RefusedError, StateError, UsageError, UselessEntryError
from hermes_tui.core.event import ActPerformed
from hermes_tui.core.fitness import fault
from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.plans import listed
from hermes_tui.core.prompting import split_name
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.taking import takings
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.fallback import chain_document, chain_lines, change_words, routes, taking_lines
from hermes_tui.view.status import SOURCE


class ChainTarget(Protocol):
    """A chain in a file, and those who take it; `session` is the one whose own it is, None where it is the file's."""

    @property
    def session(self) -> str | None:
        """The session whose own chain it is."""

    def configuration(self) -> Configuration:
        """Return what the file means. Raises ConfigurationError, UsageError where it has no such session."""

    def fitting(self, entry: Entry) -> Entry:
        """Return an entry as the file writes it. Raises UsageError where that would give a key away."""

    def before(self) -> Snapshot | None:
        """Return where the sessions stand, None where nothing has run yet."""

    @property
    def asks(self) -> bool:
        """Whether `apply` asks before it writes."""

    def apply(self, make: MakeChange, *, anyway: bool, yes: bool) -> Applied:
        """Change the chain in the file; with `yes` nobody is asked. Raises UselessEntryError, ConfigurationError."""

    def told(self, before: Snapshot | None, applied: Applied) -> None:
        """Say who takes the change when, and record it."""


@dataclass(frozen=True)
class Target:
    """Whose chain: the file's, or that of `session`; and the state of those who take it.

    Implements `ChainTarget` for this program's own file.
    """

    config: Path | None
    state: Path | None
    session: str | None
    asks = False

    @cached_property
    def desk(self) -> FileDesk:
        """Where the file is read and changed."""
        return FileDesk(config_path(self.config, os.environ), environ=os.environ, now=now)

    @property
    def directory(self) -> Path:
        """The folder of the state."""
        return state_directory(self.state, os.environ)

    def configuration(self) -> Configuration:
        """Return what the file means. Raises ConfigurationError, UsageError where it has no such session."""
        configuration = self.desk.load().configuration
        known_session(self, configuration)
        return configuration

    def fitting(self, entry: Entry) -> Entry:
        """Return an entry as it is; raises UsageError where it holds a key."""
        if is_reference(entry.api_key):
            return entry
        raise UsageError(
            "--api-key says where the key is and is never the key itself: write '${NAME}' (in single quotes), "
            "env:NAME, file:PATH, command:ARGV, codex: or hermes:LABEL"
        )

    def before(self) -> Snapshot | None:
        """Return where the sessions stand, None where nothing has run yet."""
        return _snapshot(self)

    def apply(self, make: MakeChange, *, anyway: bool, yes: bool) -> Applied:  # noqa: ARG002 - nobody is asked
        """Change the chain in the file. Raises UselessEntryError, ConfigurationError."""
        return self.desk.apply(self.session, make, anyway=anyway)

    def told(self, before: Snapshot | None, applied: Applied) -> None:
        """Say who takes the change when, and record it."""
        if before is not None:
            configuration = applied.configuration
            show(_who_takes_it(before, configuration))
            _record(self, change_words(applied.change, configuration, self.session), configuration.origin)


def list_chain(target: ChainTarget, *, as_json: bool) -> int:
    """Print the chain; return 0 when every entry can be used as configured, else 1."""
    configuration = target.configuration()
    if as_json:
        document = chain_document(configuration, target.session)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(chain_lines(configuration, target.session))
    links = routes(configuration, target.session)
    return ATTENTION if any(fault(links, at, configuration) for at in range(len(links))) else FINE


def known_session(target: Target, configuration: Configuration) -> None:
    """Raise UsageError for a session that is not in the file."""
    if target.session is not None and configuration.plan(target.session) is None:
        names = [plan.name for plan in configuration.sessions]
        hint = did_you_mean(target.session, names) or "."
        raise UsageError(f'there is no session "{target.session}"{hint} There are: {", ".join(names) or "none"}')


def add_entry(target: ChainTarget, entry: Entry, position: int | None, *, anyway: bool, yes: bool) -> int:
    """Put an entry into the chain, at its end where `position` is None; return 0.

    Raises UsageError for one that could not work or repeats another, unless it is written `anyway`.
    """
    written = target.fitting(entry)
    return _change(target, lambda _: AddEntry(written, position), anyway=anyway, yes=yes)


def entry_named(name: str) -> Entry:
    """Return the entry that PROVIDER/MODEL means. Raises UsageError."""
    provider, model = split_name(name)
    if not provider or not model:
        raise UsageError(f'"{name}" is not PROVIDER/MODEL: write both, as in openrouter/z-ai/glm-5')
    return Entry(provider=provider, model=model)


def remove_entry(target: ChainTarget, which: str, *, yes: bool) -> int:
    """Take an entry out; return 0."""
    return _change(target, lambda entries: RemoveEntry(_position(which, entries)), yes=yes)


def move_entry(target: ChainTarget, which: str, to: int, *, yes: bool) -> int:
    """Take an entry to another position; return 0."""
    return _change(target, lambda entries: MoveEntry(_position(which, entries), to), yes=yes)


def clear_chain(target: ChainTarget, *, yes: bool) -> int:
    """Take every entry out, after asking; return 0.

    Raises UsageError where nobody can be asked, RefusedError for a no.
    """
    if not (yes or target.asks):
        _ask(target)
    return _change(target, lambda _: ClearChain(), yes=yes)


def _ask(target: ChainTarget) -> None:
    configuration = target.configuration()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("every entry would be taken out, and nobody can be asked here: add --yes")
    sys.stderr.write(chain_lines(configuration, target.session))
    if not click.confirm("Take every entry out?", err=True):
        raise RefusedError("nothing was changed")


def _position(which: str, entries: tuple[Entry, ...]) -> int:
    """Return the position (from 1) that N or PROVIDER/MODEL means. Raises UsageError."""
    if which.isdecimal():
        return int(which)
    names = [f"{entry.provider}/{entry.model}" for entry in entries]
    found = [at for at, name in enumerate(names, 1) if name == which]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{which} stands there more than once: write one of the numbers {', '.join(map(str, found))}")
    hint = did_you_mean(which, names) or "."
    raise UsageError(f"there is no entry {which}{hint} There are: {', '.join(names) or 'none'}")


def _change(target: ChainTarget, make: MakeChange, *, anyway: bool = False, yes: bool) -> int:
    """Change the chain in the file, and say what it is now, what it lacks, and who takes it when."""
    before = target.before()
    try:
        applied = target.apply(make, anyway=anyway, yes=yes)
    except UselessEntryError as error:
        why = f"nothing was written to {error.path}: {error.what}"
        raise UsageError(f"{why} (--anyway writes it all the same)") from None
    configuration = applied.configuration
    show(chain_lines(configuration, target.session))
    if isinstance(applied.change, AddEntry):
        _warn(configuration, target.session, applied.change.position)
    target.told(before, applied)
    return FINE


def _warn(configuration: Configuration, session: str | None, position: int | None) -> None:
    """Say on standard error why an entry that was added cannot be used yet."""
    links = routes(configuration, session)
    at = len(links) - 1 if position is None else position
    if lack := fault(links, at, configuration):
        sys.stderr.write(f"{PROGRAM}: {links[at].route} is added and cannot be used yet: {lack}\n")


def _snapshot(target: Target) -> Snapshot | None:
    """Return where the sessions stand before the change, None where nothing has run yet."""
    owner = Ownership(target.directory).owner
    try:
        with open_state(target.directory) as ledger:
            rows = tuple(listed(ledger.facts))
            states = tuple(SessionState(row, SOURCE, owner=owner(row.name), mine=False) for row in rows)
            return Snapshot(revision=0, at=now(), source=SOURCE, facts=ledger.facts, sessions=states)
    except NothingReachableError:
        return None


def _who_takes_it(before: Snapshot, configuration: Configuration) -> str:
    there = {state.name for state in before.sessions}
    return taking_lines(one for one in takings(before, configuration, now()) if one.session in there)


def _record(target: Target, effect: PlainText, origin: PlainText) -> None:
    """Put the change into the timeline (M45); the file has it whether that succeeds or not."""
    act = ActPerformed(time=now(), act="edit_chain", target=origin, effect=effect)
    try:
        with open_state(target.directory, read_only=False) as ledger:
            ledger.commit(lambda _: Decision(None, (Record(act),)))
    except StateError as error:
        sys.stderr.write(f"{PROGRAM}: the change is saved, but could not be recorded: {one_line(str(error))}\n")
