"""The file behind the text: saved, read again, changed by somebody else meanwhile, and left."""

from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.core.acts import SaveConfiguration
from hermes_tui.core.editing import Desk, Draft
from hermes_tui.core.errors import ConfigurationError, ConflictError, HermesTuiError
from hermes_tui.core.merging import merged
from hermes_tui.core.preview import Confirm, Ready, Refused
from hermes_tui.tui.screens.conflict import Choice, ConflictScreen
from hermes_tui.tui.screens.saving import SavingScreen
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.screens.editor import EditorScreen


class FileDeeds:
    """Does what concerns the file. `draft` is its text as it was read."""

    def __init__(self, screen: "EditorScreen", desk: Desk, draft: Draft) -> None:
        self._screen = screen
        self._desk = desk
        self.draft = draft

    @property
    def changed(self) -> bool:
        """Whether the text is not the file's."""
        return self._screen.area.text != self.draft.text

    def look_elsewhere(self) -> None:
        """Take the file's new text where nothing was changed here, else say that there is one."""
        try:
            theirs = self._desk.read()
        except ConfigurationError:
            return  # saving will say what is the matter with it
        if theirs.digest == self.draft.digest:
            return
        if self.changed:
            self._screen.amend(elsewhere=True)
        else:
            self._begin_with(theirs)

    def save(self) -> None:
        """Write the text into the file and put it in force, or say what stands in the way."""
        screen = self._screen
        screen.look()
        fault = screen.editing.first_fault
        if fault is not None:
            screen.program.tell(sentence(fault.what), grave=True)
            if fault.line is not None:
                screen.go_to(fault.line)
        elif not screen.editing.changed:
            screen.program.tell("Nothing has changed.")
        else:
            self._ask(screen.area.text)

    def _ask(self, text: str) -> None:
        """Save at once, or ask first with the lines that change, as the source wants it."""
        screen = self._screen
        match screen.program.source.preview(SaveConfiguration(text, self.draft.digest)):
            case Refused(reason):
                screen.program.tell(sentence(reason), grave=True)
            case Confirm() as asked:
                question = SavingScreen(asked, self.draft.text, text, screen.moment)
                screen.program.push_screen(question, lambda yes: self._begin_saving(text) if yes else None)
            case Ready():
                self._begin_saving(text)

    def _begin_saving(self, text: str) -> None:
        self._screen.run_worker(self._save(text), group="act", exclusive=True, exit_on_error=False)

    async def _save(self, text: str) -> None:
        program, command = self._screen.program, SaveConfiguration(text, self.draft.digest)
        try:
            effect = await program.source.execute(command)
        except ConflictError:
            self._resolve(text)
        except HermesTuiError as error:
            program.tell(sentence(str(error)), grave=True)
        else:
            program.tell(sentence(effect))
            program.done(command)
            self._screen.dismiss()

    def _resolve(self, mine: str) -> None:
        """Show both edits, and let the user decide."""
        theirs = self._read()
        if theirs is None:
            return
        program = self._screen.program
        both = merged(self.draft.text, mine, theirs.text)
        screen = ConflictScreen(theirs.text, mine, self._screen.moment, both=both is not None)
        program.push_screen(screen, partial(self._decided, theirs, both))

    def _read(self) -> Draft | None:
        try:
            return self._desk.read()
        except ConfigurationError as error:
            self._screen.program.tell(sentence(str(error)), grave=True)
            return None

    def _decided(self, theirs: Draft, both: str | None, choice: Choice | None) -> None:
        if choice is None:
            return
        self.draft = theirs
        if choice is Choice.THEIRS:
            self._begin_with(theirs)
        elif choice is Choice.BOTH and both is not None:
            self._screen.area.adopt(both)
        self._screen.amend(elsewhere=False)
        self._screen.look()
        if choice is Choice.MINE:
            self.save()

    def _begin_with(self, draft: Draft) -> None:
        self.draft = draft
        self._screen.area.adopt(draft.text)
        self._screen.amend(elsewhere=False)
        self._screen.look()

    def read_again(self) -> None:
        """Take the file's text again, after asking where the edit would be lost."""
        theirs = self._read()
        if theirs is not None:
            effect = "What you changed is dropped; ctrl+z brings it back."
            self._unless_kept("Read the file again?", effect, theirs)

    def close(self) -> None:
        """Go back to the dashboard, after asking where the edit would be lost."""
        self._unless_kept("Close without saving?", "What you changed is dropped; the file stays as it is.", None)

    def _unless_kept(self, question: str, effect: str, draft: Draft | None) -> None:
        """Begin with `draft`, or close where that is None; ask first while there is something to lose."""

        def answered(yes: bool | None) -> None:
            if not yes:
                return
            if draft is None:
                self._screen.dismiss()
            else:
                self._begin_with(draft)

        if self.changed:
            self._screen.program.confirm(question, effect, answered)
        else:
            answered(yes=True)
