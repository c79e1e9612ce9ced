"""Reading a home again and again: only what has changed is read, and what cannot be read keeps what it said before."""

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import HermesTuiError, StateError
from hermes_tui.core.event import Event
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.clearing import clear
from hermes_tui.hermes.configuration import read_configuration
from hermes_tui.hermes.cooldowns import rules_of
from hermes_tui.hermes.database import Database
from hermes_tui.hermes.flights import Flights
from hermes_tui.hermes.life import Table
from hermes_tui.hermes.log_files import HAPPENINGS, Log
from hermes_tui.hermes.logins import read_logins
from hermes_tui.hermes.messages import Transcripts, shown
from hermes_tui.hermes.processes import processes
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.stamp import Stamp, stamp
from hermes_tui.hermes.state import FILE_NAME as STATE_FILE
from hermes_tui.hermes.state import SessionReader, Sessions
from hermes_tui.hermes.story import story
from hermes_tui.hermes.timeline import MOST_OF_A_LINE, Telling
from hermes_tui.hermes.values import Happening, Home, Release

AGAIN_SECONDS: Final = 5.0
"""A file that could not be read, and has not changed, is tried again after so long: that may pass by itself."""

NO_MODEL: Final = PlainText(
    "config.yaml names no model yet, so that no login can be told: choose one with `hermes model`."
)

BUSY_SECONDS: Final = 2.0
"""So long another process may keep the sessions to itself before that is told: what was read before stands for them."""


class HomeReader:
    """Implements `hermes.source.Reader` for the files of `home`; used by one thread at a time."""

    def __init__(self, home: Home, release: Release | None) -> None:
        self._home = home
        self._rules = rules_of(release)
        self._database = Database(home.path / STATE_FILE)
        self._sessions = SessionReader(self._database)
        self._transcripts = Transcripts(self._database)
        self._table = Table()
        self._log = Log(home.path)
        self._heard: deque[Happening] = deque(maxlen=HAPPENINGS)
        self._heard_ever = 0
        self._stamps: dict[str, tuple[Stamp, ...]] = {}
        self._tried_at: dict[str, float] = {}
        self._faults: dict[str, PlainText] = {}
        self._warnings: dict[str, PlainText] = {}
        self._notes: dict[str, tuple[PlainText, ...]] = {}
        self._reading = Reading(home, 0.0, release)
        self._told_with: tuple[object, ...] = ()
        self._telling = Telling({}, ())
        self._told = 0
        self._events: tuple[tuple[int, Event], ...] = ()
        self._flights = Flights()

    def look(self, now: float) -> Reading:
        """Return what the home says at `now` (epoch seconds), the same object while nothing has changed."""
        before = self._reading
        after = self._with_sessions(
            self._with_logs(self._with_logins(self._with_configuration(before, now), now), now), now
        )
        troubles = tuple(sorted((self._warnings | self._faults).items()))
        notes = tuple(note for _, told in sorted(self._notes.items()) for note in told)
        if (troubles, notes) != (before.troubles, before.notes):
            after = replace(after, troubles=troubles, notes=notes)
        if after is not before:
            self._reading = replace(after, at=now)
            self._tell()
        return self._reading

    def _tell(self) -> None:
        """Tell what the logs say that is new, or all of it where names or the chain are others; forget with them."""
        now, oldest, before = self._reading, self._heard_ever - len(self._heard) + 1, self._events
        chain = now.configuration.chain if now.configuration is not None else ()
        if (now.names, chain) != self._told_with:
            self._told_with, self._telling = (now.names, chain), Telling(now.names, chain)
            self._told, before = oldest - 1, ()  # what others see meanwhile stays whole
        if self._told < self._heard_ever:
            first = max(self._told + 1, oldest)
            fresh = self._telling.told(now.happenings[first - oldest :], first)
            kept = before[bisect_left(before, (oldest * MOST_OF_A_LINE,)) :]
            self._told, self._events = self._heard_ever, (*kept, *fresh)

    def _with_configuration(self, before: Reading, now: float) -> Reading:
        if not self._is_new("config.yaml", now, self._home.path):
            return before
        try:
            found = read_configuration(self._home)
        except HermesTuiError as error:
            return self._faulty("config.yaml", str(error), before)
        self._faults.pop("config.yaml", None)
        self._notes["config.yaml"] = () if found.primary is not None else (NO_MODEL,)
        return before if found == before.configuration else replace(before, configuration=found)

    def _with_logins(self, before: Reading, now: float) -> Reading:
        if not self._is_new("auth.json", now, self._home.path, self._home.root):
            return before
        try:
            found = read_logins(self._home, self._rules)
        except HermesTuiError as error:
            return self._faulty("auth.json", str(error), before)
        self._faults.pop("auth.json", None)
        self._warn("auth.json", found.warnings)
        self._notes["auth.json"] = found.notes
        return before if found == before.logins else replace(before, logins=found)

    def _is_new(self, name: str, now: float, *folders: Path) -> bool:
        """Tell whether a file may have changed since it was last read, or could not be read then and may be now."""
        stamps = tuple(stamp(folder / name) for folder in dict.fromkeys(folders))
        waits = 0.0 <= now - self._tried_at.get(name, now) < AGAIN_SECONDS
        if self._stamps.get(name) == stamps and (name not in self._faults or waits):
            return False
        self._stamps[name], self._tried_at[name] = stamps, now
        return True

    def _warn(self, name: str, warnings: Sequence[PlainText]) -> None:
        """Tell what a person should know of a file that can be read: of a newer format, say, only what is known."""
        if warnings:
            self._warnings[name] = one_line(" ".join(warnings))
        else:
            self._warnings.pop(name, None)

    def _faulty(self, name: str, why: str, before: Reading) -> Reading:
        self._faults[name] = one_line(why)
        return before

    def _with_logs(self, before: Reading, now: float) -> Reading:
        heard = self._log.read(now)
        missing = (heard.missing,) if heard.missing else ()
        self._notes["logs"] = () if self._heard else missing
        if faults := heard.faults or (missing if self._heard else ()):
            self._faults["logs"] = one_line("; ".join(faults))
        else:
            self._faults.pop("logs", None)
        if not heard.happenings:
            return before
        self._heard_ever += len(heard.happenings)
        self._heard.extend(heard.happenings)
        told = tuple(self._heard)
        by_session: dict[str, list[Happening]] = {}
        for happening in told:
            by_session.setdefault(happening.session, []).append(happening)
        fresh = {happening.session for happening in heard.happenings}
        stories = {
            session: before.stories[session] if session in before.stories and session not in fresh else story(lines)
            for session, lines in by_session.items()
        }
        return replace(before, happenings=told, stories=stories)

    def _with_sessions(self, before: Reading, now: float) -> Reading:
        found = self._sessions.read(now, [one.session for one in before.running if one.session is not None])
        self._tell_of_state(found, now)
        self._warn(STATE_FILE, found.warnings)
        at_work = processes(self._home.path, found.conversations, now, self._table)
        self._notes["processes"] = at_work.notes
        conversations = self._flights.left(found.conversations, at_work.given_up, now)
        told = (conversations, at_work.alive, at_work.registered, found.more, not (found.known or found.fault))
        if told == (before.conversations, before.running, before.registered, before.left_out, before.waits):
            return before
        conversations, running, registered, more, waits = told
        return replace(
            before, conversations=conversations, running=running, registered=registered, left_out=more, waits=waits
        )

    def _tell_of_state(self, found: Sessions, now: float) -> None:
        self._notes[STATE_FILE] = (found.fault,) if found.missing else ()
        since = found.busy_since
        waits = since is not None and found.known and 0.0 <= now - since < BUSY_SECONDS
        if found.fault and not found.missing:
            self._faults[STATE_FILE] = one_line(found.fault)
        elif since is not None and not waits:
            clock = time.strftime("%H:%M:%S", time.localtime(since))
            self._faults[STATE_FILE] = one_line(f"kept busy by another process since {clock}")
        else:
            self._faults.pop(STATE_FILE, None)

    def messages(self, conversation: str) -> tuple[Message, ...]:
        """Return the newest of what was said in the conversation with that id, or why it cannot be read."""
        try:
            return shown(self._transcripts.read(conversation), conversation)
        except StateError as error:
            return (Message(conversation, 0, Role.USER, one_line(str(error)), 0.0),)

    def events(self) -> tuple[tuple[int, Event], ...]:
        """Return the newest of what the logs tell, oldest first, numbered."""
        return self._events

    def clear(self, provider: str, login: str) -> None:
        """Clear the cooldown of a login as Hermes does. Raises RefusedError with the reason where it cannot."""
        clear(self._home, provider, login)
