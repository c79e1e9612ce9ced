"""Writing to sessions: the prompt box, what is sent from it, and what was asked before."""

from collections import deque
from typing import TYPE_CHECKING, Final

from hermes_tui.core.acts import SendPrompt, SwitchModel
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.preview import Confirm, Refused
from hermes_tui.core.prompting import SWITCH, earlier, names, typed
from hermes_tui.core.source import Source
from hermes_tui.view.prompting import prompt_keys, prompt_title
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp
    from hermes_tui.tui.screens.main import MainScreen
    from hermes_tui.tui.widgets.prompt_box import PromptBox

CONVERSATION: Final = 5
SENT_KEPT: Final = 50
"""So many prompts of a session are known before its conversation holds them."""


class Prompting:
    """Opens the prompt box for a session, sends what is written, and gives back what cannot be sent."""

    def __init__(self, app: "HermesApp", screen: "MainScreen") -> None:
        self._app = app
        self._screen = screen
        self._to = app.sources[0]
        self._sent: dict[tuple[Source, str], deque[str]] = {}
        self.box: PromptBox | None = None
        """The box, made on first use."""

    def open(self) -> None:
        """Let the user write to the selected session; where nothing can be sent there, the box says why."""
        source = self._app.source
        session, snapshot = self._screen.selection.session, source.snapshot()
        if session is None:
            key = snapshot.facts.keymap.word("new_session")
            self._screen.refuse(f"No session is selected. Press {key} to make one.")
            return
        answer = source.preview(SendPrompt(session, "?"))
        if isinstance(answer, Confirm):
            self._app.confirm(answer.question, answer.effect, lambda yes: self._open(source, session) if yes else None)
            return
        if isinstance(answer, Refused):
            self._app.tell(sentence(answer.reason, session), grave=True)
        self._open(source, session)

    def _open(self, source: Source, session: str) -> None:
        self._screen.action_panel(CONVERSATION)
        switches = [f"{SWITCH} {name}" for name in names(source.snapshot().facts.configuration)]
        self._to = source
        self._made().open(session, lambda: self._earlier(session), switches)
        self._app.tick()

    def _made(self) -> "PromptBox":
        from hermes_tui.tui.widgets.prompt_box import PromptBox  # noqa: PLC0415 - the text area costs 30 ms: on first use

        if self.box is None:
            self.box = PromptBox(id="prompt")
            self._screen.mount(self.box, after=self._screen.entry)
        return self.box

    def _earlier(self, session: str) -> tuple[str, ...]:
        state = self._to.snapshot().session(session)
        return earlier(state.messages if state else (), self._sent.get((self._to, session), ()))

    def show(self) -> None:
        """Say around the box whom it is for, and whether what is sent has to wait or cannot be."""
        if self.box is not None and self.box.display:
            session = self.box.session
            answer = self._to.preview(SendPrompt(session, "?"))
            why_not = answer.reason if isinstance(answer, Refused) else None
            title = prompt_title(session, self._to.snapshot().session(session), why_not)
            self.box.entitle(title, prompt_keys(self._app.size.width))

    def send(self, session: str, text: str) -> None:
        """Send what was written to `session`; what cannot be sent is given back."""
        try:
            command = typed(session, text.strip())
        except RefusedError as error:
            self._app.tell(sentence(str(error)), grave=True)
            self._made().give_back(session, text)
            return
        self._app.run_worker(self._send(command, text, self._to), name="prompt", group="act", exit_on_error=False)

    async def _send(self, command: SendPrompt | SwitchModel, text: str, source: Source) -> None:
        if await self._app.performer.do(command, source):
            self._sent.setdefault((source, command.session), deque(maxlen=SENT_KEPT)).append(text.strip())
            if (source, command.session) == (self._app.source, self._screen.selection.session):
                self._screen.conversation.go_last()  # what was sent, and its reply, are what is waited for
        else:
            self._made().give_back(command.session, text)

    def close(self) -> None:
        """Close the box, with what stands in it kept."""
        if self.box is not None and self.box.display:
            self.box.display = False
            if self._screen.focused is self.box:
                self._screen.set_focus(self._screen.panel)

    def called(self, before: str, after: str) -> None:
        """Keep the draft and the prompts of a session that is called otherwise now."""
        if self.box is not None:
            self.box.called(before, after)
        if (self._app.source, before) in self._sent:
            self._sent[self._app.source, after] = self._sent.pop((self._app.source, before))
