"""The guided start as a dialogue: what choosing does, apart from how it is drawn.

The way back is the stack of states before. Nothing is sent and nothing written but for a choice that says so.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import Final

from hermes_tui.core.beginning import Beginning, FirstFile, FirstRoute, Question
from hermes_tui.core.catalogue import Answer, Catalogue
from hermes_tui.core.errors import ConfigurationError, HermesTuiError
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import one_line
from hermes_tui.view import welcome
from hermes_tui.view.choosing import Page
from hermes_tui.view.welcome import Scene, page
from hermes_tui.view.words import count, sentence


class Outcome(Enum):
    """What comes after the guided start."""

    LEAVE = auto()
    DEMO = auto()
    DASHBOARD = auto()
    ATTACH = auto()


_OUTCOMES: Final = {
    welcome.DEMO: Outcome.DEMO,
    welcome.LEAVE: Outcome.LEAVE,
    welcome.OPEN: Outcome.DASHBOARD,
    welcome.WATCH: Outcome.ATTACH,
}
_ASKS: Final = (welcome.LOOK, welcome.LIST, welcome.WRITE, welcome.WRITE_AND_ASK)

Asking = Callable[[], Coroutine[object, object, None]]
"""Something that takes a while: it asks servers, and changes what the page is when it is done."""


class Dialogue:
    """Leads from question to question; `outcome` is set when it is over.

    `turn` is called when there is another page in the middle of what takes a while.
    """

    def __init__(self, file: FirstFile, turn: Callable[[], None]) -> None:
        self._file = file
        self._turn = turn
        self._before: list[Beginning] = []
        self._answers: dict[str, Answer] = {}
        self._scene = Scene(Beginning(), file.path, file.keys(), file.sightings(), file.hermes_home())
        self.outcome: Outcome | None = None

    @property
    def page(self) -> Page:
        """What is asked now."""
        return page(self._scene)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a question before this one."""
        return bool(self._before)

    def back(self) -> None:
        """Go back to the question before; before the first one there is the shell."""
        if self._before:
            self._ask(self._before.pop())
        else:
            self.outcome = Outcome.LEAVE

    def type(self, text: str) -> None:
        """Take note of what is in the text field."""
        self._scene = replace(self._scene, typed=text, said="")

    def say(self, text: str) -> None:
        """Answer what the user did, on the page."""
        self._scene = replace(self._scene, said=text)

    def choose(self, choice: str) -> Asking | None:
        """Do what a choice says; return what has to be waited for, if anything."""
        if choice in _ASKS:
            return self._wait(choice)
        if choice in _OUTCOMES:
            self.outcome = _OUTCOMES[choice]
        else:
            self._answer(choice)
        return None

    def _answer(self, choice: str) -> None:
        state, keys = self._scene.state, self._scene.keys
        kind, colon, value = choice.partition(":")
        match kind + colon:
            case welcome.SET_UP:
                self._go(state.asking(Question.PROVIDER))
            case welcome.TAKE:
                self._go(state.with_routes(self._file.proposed()))
            case welcome.HOME:
                self._take_over()
            case welcome.OTHER:
                self._go(replace(state, choosing=FirstRoute(), question=Question.ADDRESS))
            case welcome.NONE:
                self._go(state.asking(Question.REVIEW))
            case welcome.PROVIDER:
                self._go(state.with_provider(value, keys))
            case welcome.KEY:
                self._go(state.with_key(value))
            case welcome.MODEL:
                self._go(state.with_model(value))
            case welcome.TYPED:
                self._take_typed()
            case _:
                self._go(state.asking(Question[choice]))

    def _go(self, state: Beginning) -> None:
        self._before.append(self._scene.state)
        self._ask(state)

    def _ask(self, state: Beginning) -> None:
        """Ask what `state` asks."""
        route = state.choosing
        self._scene = replace(
            self._scene,
            state=state,
            typed="",
            said="",
            answer=self._answers.get(route.url),
            key_file=welcome.reference_words(self._file.key_file(route.provider)),
            text=state.taken or (self._file.text(state.routes) if state.question is Question.REVIEW else ""),
        )

    def _take_over(self) -> None:
        """Show the file that comes of the Hermes home."""
        try:
            self._go(Beginning(Question.REVIEW, taken=self._file.taken_over()))
        except HermesTuiError as error:
            self.say(sentence(str(error)))

    def _take_typed(self) -> None:
        state, typed = self._scene.state, self._scene.typed.strip()
        fault = self._file.fault(state.question, typed)
        if fault is not None:
            self.say(sentence(fault))
            return
        match state.question:
            case Question.ADDRESS:
                self._go(state.with_address(typed.rstrip("/"), self._scene.keys))
            case Question.VARIABLE:
                self._go(state.with_key(f"env:{typed}"))
            case Question.KEY_FILE:
                self._go(state.with_key(f"file:{typed}"))
            case _:
                self._go(state.with_key(self._file.key_file(state.choosing.provider), Secret(typed)))

    # What takes a while

    def _wait(self, choice: str) -> Asking:
        match choice:
            case welcome.LOOK:
                self.say("Looking on this machine ...")
                return self._look
            case welcome.LIST:
                self.say(f"Asking {self._scene.state.choosing.provider} ...")
                return partial(self._list, self._scene.state)
            case _:
                return partial(self._write, ask=choice == welcome.WRITE_AND_ASK)

    async def _look(self) -> None:
        servers = await self._file.look_here()
        for server in servers:
            self._answers[FirstRoute(server.provider).url] = server.catalogue
        said = "" if servers else f"None of them answers here: {', '.join(welcome.local_names())}."
        self._scene = replace(self._scene, servers=servers, said=said)

    async def _list(self, state: Beginning) -> None:
        answer = await self._file.models(state.choosing)
        if state is not self._scene.state:
            return  # the user went on meanwhile
        if isinstance(answer, Catalogue) and answer.windows:
            self._answers[state.choosing.url] = answer
            self._scene = replace(self._scene, answer=answer, said=f"It lists {count(len(answer.windows), 'model')}.")
        else:
            why = "" if isinstance(answer, Catalogue) else f" ({answer}: {getattr(answer, 'message', '')})"
            self.say(one_line(f"No list came{why}. Type the model's name."))

    async def _write(self, *, ask: bool) -> None:
        """Write the file; from then on there is no way back."""
        try:
            if taken := self._scene.state.taken:
                self._file.write_text(taken)
            else:
                self._file.write(self._scene.state.routes)
        except ConfigurationError as error:
            self.say(sentence(str(error)))
            return
        self._before.clear()
        self._ask(Beginning(Question.DONE))
        self.say("Asking, without a prompt ..." if ask else "")
        self._turn()
        self._scene = replace(self._scene, done=await self._file.check(ask=ask), said="")
