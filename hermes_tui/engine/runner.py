"""A session's runner: takes prompts from its inbox or its schedule, and plays them as turns, one after another."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from hermes_tui.core.acting import force_restore, reset_chain, switch_model, use_fallback
from hermes_tui.core.compaction import conversation_tokens
from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.lifecycle import PROGRAM_ENDED, interrupt, schedule, take_chain
from hermes_tui.core.plans import plan_of
from hermes_tui.core.ports import Wire
from hermes_tui.core.route import Link
from hermes_tui.core.session import Message, Phase, Session
from hermes_tui.core.snapshot import NOTHING_YET, Live
from hermes_tui.core.text import PlainText, plain
from hermes_tui.engine.conversation import Conversation
from hermes_tui.engine.interruptible import Interruptible, Interruption
from hermes_tui.engine.live_text import LiveText
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.engine.turn import Turn

WAKE_SECONDS = 30.0
"""A scheduled session looks at the clock at least this often, so that a laptop's sleep delays it by no more."""


@dataclass(slots=True)
class Prompt:
    """A prompt in the inbox; `answered` resolves to whether a reply came."""

    text: PlainText
    answered: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def answer(self, done: bool) -> None:
        """Say whether a reply came; the first word counts."""
        if not self.answered.done():
            self.answered.set_result(done)


class SessionRunner:
    """Runs one session. `on_change` is called when what is shown of it changed without a commit."""

    def __init__(
        self, around: Surroundings, name: str, wire: Wire, on_change: Callable[[], None], *, first_at_once: bool = False
    ) -> None:
        self.name = name
        self.wanted = True
        """Whether the session goes on when the turn that runs has ended."""

        self._live = Live()
        self._text_is_new = False
        self._messages = around.ledger.messages(name)
        self._conversation: Conversation | None = None
        self._around = around
        self._wire = wire
        self._on_change = on_change
        self._first_at_once = first_at_once
        self._every: float | None = None
        self._prompts: deque[Prompt] = deque()
        self._woken = asyncio.Event()
        self._text = LiveText(around.configured.keyring.redact)
        self._step = Interruptible()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The session's conversation, with what the running turn has added."""
        return self._messages if self._conversation is None else self._conversation.messages

    @property
    def busy(self) -> bool:
        """Whether a turn runs, or a prompt waits for one."""
        return self._conversation is not None or bool(self._prompts)

    @property
    def live(self) -> Live:
        """What is true of the running turn and on no disk; the same object while nothing has changed."""
        if self._text_is_new:
            self._live, self._text_is_new = replace(self._live, text=self._text.read()), False
        return self._live

    async def run(self) -> None:
        """Play prompts while the session is wanted; a turn that is cut off by the end is recorded as interrupted."""
        prompt = None
        try:
            while (prompt := await self._next()) is not None:
                prompt.answer(await self._play(prompt.text))
        finally:
            try:
                await self._interrupted(PROGRAM_ENDED)
            finally:
                await self._wire.close()
                for unanswered in (prompt, *self._prompts):
                    if unanswered is not None:
                        unanswered.answer(False)

    def send(self, text: str) -> Prompt:
        """Put a prompt into the inbox. Raises RefusedError where the session is ending, so that none is lost."""
        if not self.wanted:
            raise RefusedError(f"{self.name} ends here, or is about to be called otherwise: it takes no prompt now")
        prompt = Prompt(plain(text))
        self._prompts.append(prompt)
        self._woken.set()
        self._show(replace(self.live, queued=len(self._prompts)))
        return prompt

    def wake(self) -> None:
        """Look at the schedule again: it may have changed."""
        self._woken.set()

    def interrupt(self, why: Interruption) -> bool:
        """Cut the step that runs short, with a reason; tell whether there was any."""
        return self._step.interrupt(why)

    async def use_fallback(self) -> PlainText:
        """Go to the next fallback: in the turn that runs, else at once (M42)."""
        if self.interrupt(Interruption.USE_FALLBACK):
            return PlainText(f"{self.name} goes on along its chain")
        if self._session.phase is not Phase.IDLE:
            raise RefusedError(f"{self.name}'s turn is just ending: try again")
        tokens = conversation_tokens(self._plan.system_prompt, self.messages)
        now = self._around.clock.now()
        position = await self._around.commit(
            lambda facts: use_fallback(facts, facts.sessions[self.name], tokens=tokens, now=now)
        )
        if position is None:
            return PlainText("no later entry of the chain can serve now; the events say why")
        return PlainText(f"{self.name} uses {self._session.active} from now on")

    async def force_restore(self) -> PlainText:
        """Ask for the primary at the next request (M39)."""
        return await self._around.commit(
            lambda facts: force_restore(facts.sessions[self.name], self._around.clock.now())
        )

    async def reset_chain(self) -> PlainText:
        """Start at the first entry again (M40)."""
        return await self._around.commit(lambda facts: reset_chain(facts.sessions[self.name], self._around.clock.now()))

    async def switch_model(self, link: Link) -> PlainText:
        """Give the session another requested primary (M43)."""
        configuration = self._around.configuration
        return await self._around.commit(
            lambda facts: switch_model(facts.sessions[self.name], link, configuration, self._around.clock.now())
        )

    async def take_chain(self) -> None:
        """Take the configuration's chain now where no turn runs; else the next turn does (M44)."""
        if self._session.phase is Phase.IDLE:
            configuration, now = self._around.configuration, self._around.clock.now()
            await self._around.commit(lambda facts: take_chain(facts.sessions[self.name], configuration, now))
        self.wake()

    async def _next(self) -> Prompt | None:
        """Wait for the next prompt; None when the session is not wanted any more."""
        while self.wanted:
            due = await self._due()
            if due is not None and due <= self._around.clock.now():
                self._prompts.appendleft(Prompt(plain(self._plan.prompt or "")))
                await self._schedule()
            if self._prompts:
                return self._prompts.popleft()
            patience = WAKE_SECONDS if due is None else min(due - self._around.clock.now(), WAKE_SECONDS)
            self._woken.clear()
            with suppress(TimeoutError):
                async with self._around.clock.timeout(patience):
                    await self._woken.wait()
        return None

    async def _due(self) -> float | None:
        every, known = self._plan.every_seconds, self._every
        self._every = every
        due, now = self._session.next_run_at, self._around.clock.now()
        if every is None:
            if due is not None:
                await self._schedule()
            return None
        if due is None and self._first_at_once:
            return now
        if due is None or (every != known and due > now + every):
            await self._schedule()
        return self._session.next_run_at

    async def _schedule(self) -> None:
        plan, now = self._plan, self._around.clock.now()
        await self._around.commit(lambda facts: schedule(facts.sessions[self.name], plan, now))

    async def _play(self, text: PlainText) -> bool:
        conversation = self._conversation = Conversation(
            self._plan.system_prompt, self.messages, self._on_text, self._on_attempt, self._on_wait
        )
        turn = Turn(self._around, self.name, self._wire, conversation, self._step)
        self._on_attempt()
        try:
            return await turn.run(text)
        finally:
            self._messages, self._conversation = conversation.messages, None
            self._show(Live(queued=len(self._prompts)))

    async def _interrupted(self, why: PlainText) -> None:
        await self._around.commit(
            lambda facts: interrupt(facts, facts.sessions[self.name], why, self._around.clock.now())
        )

    def _on_attempt(self) -> None:
        self._text = LiveText(self._around.configured.keyring.redact)
        self._show(Live(sent_at=self._around.clock.now(), queued=len(self._prompts)))

    def _on_text(self, piece: str) -> None:
        self._text.add(piece)
        self._text_is_new = True
        self._on_change()

    def _on_wait(self, until: float | None) -> None:
        self._show(replace(self.live, waiting_until=until, text=NOTHING_YET))

    def _show(self, live: Live) -> None:
        self._live, self._text_is_new = live, False
        self._on_change()

    @property
    def _session(self) -> Session:
        return self._around.session(self.name)

    @property
    def _plan(self) -> SessionPlan:
        return plan_of(self._around.configuration, self._session)
