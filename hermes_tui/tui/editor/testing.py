"""The test of a chain as its text stands: every server is asked without a prompt, and each row gets its answer."""

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.worker import Worker

from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.examining import Examiner
from hermes_tui.core.route import Link
from hermes_tui.view.examined import Examined, Result
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.screens.editor import EditorScreen


class Testing:
    """Runs one test at a time; it ends with the editor, and once the text is another than the one it is about."""

    def __init__(self, screen: "EditorScreen") -> None:
        self._screen = screen
        self._worker: Worker[None] | None = None
        self._text = ""

    def start(self) -> None:
        """Test the chain as it stands in the text."""
        screen, examiner = self._screen, self._screen.program.source.examiner
        if examiner is None:
            screen.program.tell("There is nobody to ask here.", grave=True)
        elif screen.can_change():
            self.stop()
            self._text = screen.area.text
            screen.amend(examined=Examined(runs=True))
            work = self._ask(examiner, self._text, screen.editing.owner, screen.editing.links)
            self._worker = screen.run_worker(work, name="test", group="test", exit_on_error=False)

    def stop(self) -> None:
        """Give up what is still open."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            self._screen.amend(examined=replace(self._screen.editing.examined, runs=False))

    def stop_unless(self, text: str) -> None:
        """Give up what is still open where the text is another by now."""
        if text != self._text:
            self.stop()

    async def _ask(self, examiner: Examiner, text: str, owner: str | None, links: tuple[Link, ...]) -> None:
        screen = self._screen
        try:
            async with aclosing(examiner.examine(text, owner)) as answers:
                async for one in answers:
                    result = Result(one, links[one.position], screen.program.source.now())
                    known = screen.editing.examined
                    screen.amend(examined=replace(known, results=(*known.results, result)))
        except HermesTuiError as error:
            screen.program.tell(sentence(str(error)), grave=True)
        self._worker = None
        screen.amend(examined=replace(screen.editing.examined, runs=False))
