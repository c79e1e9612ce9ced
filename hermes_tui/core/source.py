"""A source: what a screen, `status` and scripts talk to, whoever runs the sessions behind it."""

from typing import Protocol

from hermes_tui.core.acts import Command
from hermes_tui.core.editing import Desk
from hermes_tui.core.event import Event
from hermes_tui.core.examining import Examiner
from hermes_tui.core.preview import Preview
from hermes_tui.core.session import Message
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText


class Source(Protocol):
    """Sessions and the machinery behind them, seen as snapshots and steered by commands."""

    @property
    def desk(self) -> Desk | None:
        """Where the source's configuration can be edited, None where it cannot."""

    @property
    def examiner(self) -> Examiner | None:
        """What asks servers about a chain while it is edited, None where nobody can be asked."""

    def now(self) -> float:
        """Return the source's time in epoch seconds: what countdowns are measured against."""

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot; the same object while nothing has changed."""

    async def changed(self, revision: int) -> Snapshot:
        """Wait until the snapshot's revision is not `revision`, and return the newest."""

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        """Return what `session` went through since `since` (epoch seconds), oldest first, with journal numbers.

        What happened to credentials and accounts is in it, whoever caused it. None asks for what tells the course of
        every session (`event.COURSE`). Of very much the newest part is given. Raises StateError where it cannot be
        read.
        """

    async def messages(self, session: str) -> tuple[Message, ...]:
        """Return the conversation of a session, one that no snapshot shows too. Raises StateError as `history`."""

    def preview(self, command: Command) -> Preview:
        """Return what `command` will do now."""

    async def execute(self, command: Command) -> PlainText:
        """Do `command`, and return what it did in one sentence. Raises RefusedError with the reason where it can't."""
