"""Answering what a session asks: chosen among its answers, or written; whoever leaves has answered nothing."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.core.acts import AnswerQuestion
from hermes_tui.core.question import Question
from hermes_tui.core.source import Source
from hermes_tui.tui.screens.choosing import ChoiceRows, ChoosingScreen
from hermes_tui.view.asking import OWN_WORDS, Offered, answers_body, answers_keys, careful
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp
    from hermes_tui.tui.screens.main import MainScreen


class _Asked(ChoiceRows):
    """A page that knows how far it has been read: down to the last line that has been in sight without a gap before.

    It begins on the careful answer where all of it is in sight, else on its first line.
    """

    def __init__(self, make: Callable[[int], Body], careful: str) -> None:
        super().__init__(make, None)
        self._careful = careful
        self._begun = False
        self._read = 0
        """How many lines from the top have been in sight."""
        self._folded_for = 0

    @property
    def reads_on(self) -> bool:
        """Whether more has to be read before the answer can be given that is marked, or any where none is."""
        rows, marked = self._body.rows, self._key
        if not isinstance(marked, Offered):
            needed = sum(not isinstance(row.key, Offered) for row in rows)
        elif marked.id == self._careful:
            needed = 0
        else:
            needed = max(
                at for at, row in enumerate(rows, 1) if isinstance(row.key, Offered) and row.key.id == marked.id
            )
        return needed > self._read

    def read_on(self) -> None:
        """Go to the first line that has not been in sight."""
        self._top = self._read
        self._go(self._read)

    def _build(self, moment: Moment, cells: int) -> None:
        """Begin to read anew where the lines are folded otherwise and not all of them have been read."""
        is_read = 0 < len(self._body.rows) <= self._read
        super()._build(moment, cells)
        if cells != self._folded_for:
            self._folded_for, self._read = cells, len(self._body.rows) if is_read else 0

    def _place(self) -> None:
        rows, room = self._body.rows, self.size.height
        if not self._begun and rows and room:
            self._begun = True
            if len(rows) <= room:
                self.mark(Offered(self._careful))
        super()._place()

    def _entitle(self, where: str) -> None:
        """Note what is in sight now, and say what the keys do."""
        if self._top <= self._read:
            self._read = max(self._read, min(self._top + self._room(), len(self._body.rows)))
        super()._entitle(" · ".join(filter(None, (answers_keys(reads_on=self.reads_on), where))))


class AnswerScreen(ChoosingScreen, inherit_bindings=False):
    """A question with its answers; its other lines are there to be read, and choose nothing.

    No answer but the careful one is taken before all that it is about has been in sight; until then enter reads on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # No letter does anything: who goes on typing a prompt allows nothing by it.
        Binding("enter", "choose", "Choose", show=False, priority=True),
        Binding("escape,ctrl+q", "dismiss(None)", "Leave", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Page down", show=False, priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
    ]

    def _made(self, make: Callable[[int], Body], key: Hashable) -> _Asked:
        self._asked = _Asked(make, str(key))
        return self._asked

    def action_page(self, by: int) -> None:
        """Move the mark by pages."""
        self._asked.move(by * self._asked.page())

    def action_choose(self) -> None:
        """Answer where the mark stands on an answer that may be given, else read on."""
        if self._asked.reads_on:
            self._asked.read_on()
        elif isinstance(self._asked.key, Offered):
            self.dismiss(self._asked.key.id)


class Answering:
    """Opens the page of a question, and sends what is answered."""

    TARGET: ClassVar = "answer"
    """What a line is written for that is an answer."""

    def __init__(self, app: "HermesApp", screen: "MainScreen") -> None:
        self._app, self._screen = app, screen
        self._written_to: tuple[Source, str, Question] | None = None

    def open(self, source: Source, session: str, question: Question) -> None:
        """Let the user answer the question of a session."""
        if self._screen.moment is not None:
            page = AnswerScreen(partial(answers_body, session, question), self._screen.moment, careful(question))
            self._app.push_screen(page, partial(self._chosen, source, session, question))

    def _chosen(self, source: Source, session: str, question: Question, answer: Hashable) -> None:
        if answer == OWN_WORDS:
            self._written_to = source, session, question
            self._screen.entry.open(self.TARGET, f"{session}: {question.text} · enter answers, esc leaves")
        elif isinstance(answer, str):
            self._send(source, AnswerQuestion(session, question.key, answer))

    def written(self, text: str) -> None:
        """Send an answer in the user's own words; an empty one is none."""
        if self._written_to is not None and text.strip():
            source, session, question = self._written_to
            self._send(source, AnswerQuestion(session, question.key, text.strip()))

    def _send(self, source: Source, command: AnswerQuestion) -> None:
        self._app.run_worker(self._do(source, command), name="answer", group="act", exit_on_error=False)

    async def _do(self, source: Source, command: AnswerQuestion) -> None:
        await self._app.performer.do(command, source)
