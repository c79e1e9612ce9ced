"""Opening sessions: what was said in one that no snapshot holds, read beside the screen."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.session import Message, Role, Session
from hermes_tui.core.snapshot import SessionState
from hermes_tui.core.source import Source
from hermes_tui.core.text import one_line
from hermes_tui.view.moment import Moment, standing_of

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp


class Opening:
    """Knows what was said in the session that was opened last: an archived one, or one that another program runs."""

    def __init__(self, app: "HermesApp", on_read: Callable[[], None]) -> None:
        self._app = app
        self._on_read = on_read
        self._wanted: tuple[Source, Session] | None = None
        self._reads = False
        self._read: tuple[Source, Session, tuple[Message, ...]] | None = None

    def opened(self, moment: Moment) -> Moment:
        """Return the moment with the selected session opened, where no snapshot holds what was said in it.

        What was read last stands until it is read anew.
        """
        row = moment.facts.sessions.get(moment.selection.session or "")
        state = moment.snapshot.session(row.name) if row is not None else None
        if row is None or (state is not None and (state.mine or state.takes_acts or state.messages)):
            return moment
        source = self._app.source
        messages: tuple[Message, ...] = ()
        if self._read is not None and self._read[0] is source and self._read[1].name == row.name:
            messages = self._read[2]
        if self._read is None or self._read[0] is not source or self._read[1] is not row:
            self._want(source, row)
        state = replace(state or SessionState(row, moment.source, mine=False), messages=messages)
        return replace(moment, opened=standing_of(moment.snapshot, state, moment.now))

    def _want(self, source: Source, row: Session) -> None:
        self._wanted = (source, row)
        if not self._reads:
            self._reads = True
            self._app.run_worker(self._work(), name="conversation", group="opening", exit_on_error=False)

    async def _work(self) -> None:
        """Read until what was wanted last is read."""
        try:
            while self._wanted is not None:
                (source, row), self._wanted = self._wanted, None
                try:
                    said = await source.messages(row.name)
                except HermesTuiError as error:
                    said = (Message(row.name, 0, Role.USER, one_line(str(error)), 0.0),)
                self._read = (source, row, said)
                self._on_read()
        finally:
            self._reads = False
