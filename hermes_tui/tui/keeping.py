"""Keeping sessions on the dashboard: made, renamed and scheduled by forms; archived, and shown although they are."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.core.acts import ArchiveSession, BringBack, ChangeSchedule, NewSession, RenameSession
from hermes_tui.core.naming import free_name
from hermes_tui.core.preview import Refused
from hermes_tui.core.source import Source
from hermes_tui.view.session_forms import Form, FormCommand, new_session_form, rename_form, schedule_form
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
        """Open the form for a new session."""
        own = self._app.sources[0]
        self._fill_in(own, new_session_form(own.snapshot().facts))

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
            self._app.tell("No session is selected.", grave=True)
            return
        answer = self._app.source.preview(example(session))
        if isinstance(answer, Refused):
            self._app.tell(sentence(answer.reason, session), grave=True)
        else:
            self._fill_in(self._app.source, form(session))

    def _fill_in(self, source: Source, form: Form) -> None:
        from hermes_tui.tui.screens.session_form import (  # noqa: PLC0415 - the text area costs 30 ms: on first use
            SessionForm,
        )

        self._app.push_screen(SessionForm(self._app, source, form, self._done))

    def _done(self, command: FormCommand) -> None:
        """Select the session that was made or renamed."""
        match command:
            case RenameSession(session=before, name=after):
                self._screen.prompting.called(before, after)
                self._screen.choose(after)
            case NewSession(session=name):
                self._screen.choose(name, 0)

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
