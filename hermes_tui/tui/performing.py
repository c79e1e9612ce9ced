"""Acts: previewed, then done at once, asked about, or refused with the reason and the time when that changes."""

from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.core.acts import Command, ProbeNow, ResetCooldown, SessionCommand
from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.preview import Confirm, Ready, Refused
from hermes_tui.core.source import Source
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.view.words import countdown, sentence, wall

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp


class Performer:
    """Carries the user's acts to the source, and its answers back."""

    def __init__(self, app: "HermesApp") -> None:
        self._app = app

    def perform(self, command: Command | None, missing: str = "nothing is selected") -> None:
        """Preview `command` and do what the preview says; None is refused as `missing`."""
        if command is None:
            self._app.tell(sentence(missing), grave=True)
            return
        source = self._app.source
        match source.preview(command):
            case Ready():
                self._execute(command, source)
            case Confirm(question=question, effect=effect):
                self._app.push_screen(ConfirmScreen(question, effect), partial(self._answered, command, source))
            case Refused(reason=reason, until=until):
                self._app.tell(self._refusal(reason, until, _object_of(command)), grave=True)

    def _execute(self, command: Command, source: Source) -> None:
        self._app.run_worker(self._do(command, source), name="act", group="act", exit_on_error=False)

    async def do(self, command: Command, source: Source) -> bool:
        """Have `source` do `command` and tell what came of it; tell whether it was done."""
        try:
            effect = await source.execute(command)
        except HermesTuiError as error:
            self._app.tell(sentence(str(error), _object_of(command)), grave=True)
            return False
        self._app.tell(sentence(effect, _object_of(command)))
        self._app.done(command)
        return True

    async def _do(self, command: Command, source: Source) -> None:
        await self.do(command, source)

    def _answered(self, command: Command, source: Source, yes: bool | None) -> None:
        if yes:
            self._execute(command, source)

    def _refusal(self, reason: str, until: float | None, name: str) -> str:
        if until is None:
            return sentence(reason, name)
        now = self._app.source.now()
        return f"Not yet: {reason.rstrip('.')}. That changes in {countdown(until, now)} ({wall(until, now)})."


def _object_of(command: Command) -> str:
    """Return the name of what a command is about, which no sentence spells otherwise."""
    match command:
        case SessionCommand(session=name):
            return name
        case ResetCooldown(credential=key) | ProbeNow(credential=key):
            return str(key)
        case _:
            return ""
