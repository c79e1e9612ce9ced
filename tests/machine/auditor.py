"""The auditor reads the journal as it grows, and holds each entry against the laws, knowing all that came before it."""

import json
from typing import Protocol

from hermes_tui.core.codec import encode, encode_event
from hermes_tui.core.facts import Facts, fold
from hermes_tui.storage.entries import Entry
from hermes_tui.storage.ledger import SqliteLedger
from tests.machine.credential_laws import CredentialLaws
from tests.machine.reopening_laws import ReopeningLaws
from tests.machine.session_laws import SessionLaws
from tests.machine.world import World

CONTEXT_ENTRIES = 25


class Laws(Protocol):
    """Laws about one thing."""

    def examine(self, entry: Entry, before: Facts) -> None:
        """Fail where `entry` breaks a law; `before` are the facts until then."""


class Auditor:
    """Knows nothing but what is on disk, and what the providers were asked.

    `facts` are the fold of the journal up to the entry `position`.
    """

    def __init__(self, world: World) -> None:
        self.facts = Facts()
        self.reopening = ReopeningLaws(world)
        self._credentials = CredentialLaws(world)
        self._laws: tuple[Laws, ...] = (SessionLaws(), self._credentials, self.reopening)
        self._world = world
        self._ledger = SqliteLedger.open(world.state, read_only=True)
        self.position = 0

    def audit(self) -> None:
        """Examine everything that was written since the last time."""
        for entry in self._ledger.journal(self.position):
            self.position = entry.id
            try:
                self._keeps_secrets(entry)
                for laws in self._laws:
                    laws.examine(entry, self.facts)
            except AssertionError as error:
                raise AssertionError(f"entry {entry.id}: {error}\n{self._context(entry)}") from None
            fold(entry.rows, self.facts)
        self._credentials.the_dead_are_left_alone()

    def _keeps_secrets(self, entry: Entry) -> None:
        assert entry.event is not None, "an event that is unknown here"
        written = json.dumps([encode_event(entry.event), [encode(row) for row in entry.rows]])
        found = [key for key in self._world.keys if key in written]
        assert not found, f"the secret {found} is written"

    def _context(self, entry: Entry) -> str:
        recent = self._ledger.tail(entry.id - CONTEXT_ENTRIES)
        return "\n".join(f"  {number} {event}" for number, event in recent if number <= entry.id)
