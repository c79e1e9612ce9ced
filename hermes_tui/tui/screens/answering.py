"""Answering what a session asks: chosen among its answers, or written; whoever leaves has answered nothing."""

from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.core.acts import AnswerQuestion
from hermes_tui.core.question import Question
from hermes_tui.core.source import Source
from hermes_tui.tui.screens.choosing import ChoosingScreen
from hermes_tui.view.asking import OWN_WORDS, answers_body, careful

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp
    from hermes_tui.tui.screens.main import MainScreen


class AnswerScreen(ChoosingScreen, inherit_bindings=False):
    """A question with its answers; its other lines are there to be read, and choose nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # No letter does anything: who goes on typing a prompt allows nothing by it.
        Binding("enter", "choose", "Choose", show=False, priority=True),
        Binding("escape,ctrl+q", "dismiss(None)", "Leave", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
    ]

    def action_choose(self) -> None:
        """Answer, where the mark stands on an answer."""
        if isinstance(self._choices.key, str):
            super().action_choose()


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
