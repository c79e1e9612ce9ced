"""Keeping sessions on the dashboard: made, renamed and scheduled by forms; archived, and shown although they are."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.core.acts import ArchiveSession, BringBack, ChangeSchedule, NewSession, RenameSession
from hermes_tui.core.naming import free_name
from hermes_tui.core.preview import Refused
from hermes_tui.core.source import Source
from hermes_tui.view.session_forms import (
    Form,
    FormCommand,
    form_for_new,
    rename_form,
    schedule_form,
)
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp
    from hermes_tui.tui.screens.main import MainScreen


class Keeping:
    """Starts the acts that keep sessions, on the selected one."""

    def __init__(self, app: "HermesApp", screen: "MainScreen") -> None:
        self._app = app
        self._screen = screen

    def new(self) -> None:
        """Open the form for a new session; where several can make one, ask first who runs it."""
        makers = [source for source in self._app.sources if source.snapshot().runs_new is not None]
        if len(makers) > 1:
            self._choose(makers)
        else:
            self._new(makers[0] if makers else self._app.source)

    def _choose(self, makers: Sequence[Source]) -> None:
        from hermes_tui.tui.screens.choosing import ChoosingScreen  # noqa: PLC0415 - on first use
        from hermes_tui.view.makers import makers_body  # noqa: PLC0415 - as above

        if self._screen.moment is not None:
            begins = self._app.source if self._app.source in makers else makers[0]
            page = partial(makers_body, [source.snapshot() for source in makers])
            screen = ChoosingScreen(page, self._screen.moment, begins.snapshot().source)
            self._app.push_screen(screen, partial(self._chosen, makers))

    def _chosen(self, makers: Sequence[Source], name: Hashable) -> None:
        chosen = next((source for source in makers if source.snapshot().source == name), None)
        if chosen is not None:
            self._new(chosen)

    def _new(self, source: Source) -> None:
        snapshot = source.snapshot()
        name = free_name(None, snapshot.facts.sessions)
        if snapshot.runs_new is None and isinstance(answer := source.preview(NewSession(name)), Refused):
            self._screen.refuse(sentence(answer.reason))
        else:
            self._fill_in(source, form_for_new(snapshot))

    def rename(self) -> None:
        """Open the form for another name."""
        free = free_name(None, self._app.source.snapshot().facts.sessions)
        self._about(lambda session: RenameSession(session, free), rename_form)

    def schedule(self) -> None:
        """Open the form for how often the session runs by itself."""
        form = partial(schedule_form, self._app.source.snapshot().facts)
        self._about(lambda session: ChangeSchedule(session, 1.0, "?"), form)

    def _about(self, example: Callable[[str], FormCommand], form: Callable[[str], Form]) -> None:
        """Open the form about the selected session, or say at once why an `example` of what it asks for cannot be."""
        session = self._screen.selection.session
        if session is None:
            self._screen.refuse("No session is selected.")
            return
        answer = self._app.source.preview(example(session))
        if isinstance(answer, Refused):
            self._screen.refuse(sentence(answer.reason, session))
        else:
            self._fill_in(self._app.source, form(session))

    def _fill_in(self, source: Source, form: Form) -> None:
        from hermes_tui.tui.screens.session_form import (  # noqa: PLC0415 - the text area costs 30 ms: on first use
            SessionForm,
        )

        self._app.push_screen(SessionForm(self._app, source, form, partial(self._done, source)))

    def _done(self, source: Source, command: FormCommand) -> None:
        """Select the session that was made or renamed."""
        match command:
            case RenameSession(session=before, name=after):
                self._screen.prompting.called(before, after)
                self._screen.choose(after)
            case NewSession(session=name):
                self._screen.choose(name, self._app.sources.index(source))

    def archive(self) -> None:
        """Put the selected session aside, or bring it back."""
        session = self._screen.selection.session
        row = self._app.source.snapshot().facts.sessions.get(session) if session is not None else None
        if row is None:
            self._app.tell("No session is selected.", grave=True)
        else:
            self._app.performer.perform(BringBack(row.name) if row.archived else ArchiveSession(row.name))

    def show_archived(self) -> None:
        """Show the archived sessions below the others, or hide them."""
        self._screen.sessions.turn_archived()
        self._app.tick()
