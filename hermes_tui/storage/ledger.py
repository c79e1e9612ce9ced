"""The ledger: the rows and their events, in one SQLite file that several processes share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Self, TypeVar

from hermes_tui.core.decision import Decision, Row
from hermes_tui.core.errors import StateError, StateTooNewError
from hermes_tui.core.event import Event
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.session import Message
from hermes_tui.storage import entries, writes
from hermes_tui.storage.entries import Entry
from hermes_tui.storage.readable import ReadableFile
from hermes_tui.storage.writable import STATE_FILE, WritableFile

T = TypeVar("T")

HISTORY_ENTRIES: Final = 20_000
"""So many entries a history has at most."""

KEPT_ENTRIES: Final = 200_000
KEPT_SECONDS: Final = 35 * 86400.0
PRUNE_STEP: Final = 1000


class SqliteLedger:
    """The truth on disk, and the facts in memory that never differ from what was last read of it.

    Faults of the file are StateError, which names the file and what to do. One thread uses it, but for `history`.
    """

    def __init__(self, file: WritableFile | ReadableFile) -> None:
        self._file = file
        self._listeners: list[Callable[[], None]] = []
        self._facts, self._position = file.read(entries.load)

    @classmethod
    def open(cls, directory: Path, *, read_only: bool = False) -> Self:
        """Open the state in `directory`, made where it is missing; a newer version's state opens read-only.

        With `read_only` nothing is made or locked, and a missing state is NoStateError.
        """
        if read_only:
            return cls(ReadableFile(directory / STATE_FILE))
        try:
            file = WritableFile(directory)
        except StateTooNewError as error:
            return cls(ReadableFile(directory / STATE_FILE, refusal=error))
        try:
            return cls(file)
        except BaseException:
            file.close()
            raise

    @property
    def facts(self) -> Facts:
        """The rows as last read; `refresh` brings what other processes wrote."""
        return self._facts

    @property
    def position(self) -> int:
        """The id of the newest journal entry that the facts contain: their revision."""
        return self._position

    @property
    def refusal(self) -> StateError | None:
        """Why nothing can be committed, None where it can: opened read-only, or written by a newer version."""
        return self._file.refusal

    def commit(self, decide: Callable[[Facts], Decision[T]]) -> T:
        """Run `decide` on the current rows inside one transaction, write its rows and events, return its value.

        Whatever is raised leaves disk and facts as they were. StateLockedError (another process holds the state
        for over 100 ms) asks for another try; StateTooNewError means that writing will never work.
        """
        known = self._position
        try:
            with self._file as connection:
                with self._file.faults:
                    self._catch_up()
                decision = decide(self._facts)
                if decision.records:
                    with self._file.faults:
                        newest = writes.write(connection, decision.records)
                        connection.execute("COMMIT")
                    fold((row for record in decision.records for row in record.rows), self._facts)
                    self._position = newest
        finally:
            self._tell(known)
        return decision.value

    def refresh(self) -> bool:
        """Read what other processes wrote since; tell whether anything changed."""
        known = self._position
        self._catch_up()
        self._tell(known)
        return self._position != known

    def _catch_up(self) -> None:
        found = self._file.read(lambda connection: entries.rows_after(connection, self._position))
        if found is None:
            self._facts, self._position = self._file.read(entries.load)
        else:
            rows, self._position = found
            fold(rows, self._facts)

    def _tell(self, known: int) -> None:
        if self._position != known:
            for listener in tuple(self._listeners):
                listener()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after every commit or refresh that changed something; the result unsubscribes.

        A listener must not raise: the commit has happened.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def messages(self, session: str) -> tuple[Message, ...]:
        """Return a session's conversation, oldest first."""
        return self._file.read(lambda connection: entries.messages(connection, session))

    def recent(self, limit: int, after: int = 0) -> tuple[tuple[int, Event], ...]:
        """Return the newest `limit` events of those after the id `after`, each with its id, newest last."""
        return self._file.read(lambda connection: entries.newest_events(connection, limit, after))

    def tail(self, after: int) -> tuple[tuple[int, Event], ...]:
        """Return all events after the id `after`, each with its id, newest last."""
        return self.recent(-1, after)

    def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        """Return the newest events of `session`, and of all credentials, since `since`, each with its id, newest last.

        None asks for what tells the course of every session. Reads by a connection of its own: any thread may ask.
        """
        file = ReadableFile(self._file.path)
        return file.read(lambda connection: entries.history(connection, session, since, HISTORY_ENTRIES))

    def journal(self, after: int = 0) -> Iterator[Entry]:
        """Yield every journal entry after the id `after`, oldest first, read in pages."""
        while page := self._page(after):
            yield from page
            after = page[-1].id

    def _page(self, after: int) -> list[Entry]:
        return self._file.read(lambda connection: entries.page_after(connection, after))

    def journal_rows(self) -> Iterator[Row]:
        """Yield the rows of the whole journal, oldest first; folded they are the facts while nothing is pruned."""
        for entry in self.journal():
            yield from entry.rows

    def prune(
        self, now: float, *, kept: int = KEPT_ENTRIES, seconds: float = KEPT_SECONDS, step: int = PRUNE_STEP
    ) -> int:
        """Delete up to `step` old journal entries, beyond `kept` of them or `seconds` old; return how many went.

        Call it again while it returns something, with a pause between: each call holds the lock.
        """
        with self._file as connection, self._file.faults:
            gone = writes.prune(connection, before=now - seconds, kept=kept, step=step)
            connection.execute("COMMIT")
        return gone

    def close(self) -> None:
        """Close the file; what was committed is safe without it, too."""
        self._file.close()
