"""The sessions of a home that run here: what is shown of them beside what the home says, and what can be done."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hermes_tui.core.acts import AnswerQuestion, NewSession, SendPrompt, StopTurn, SwitchModel
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.preview import Preview, Refused
from hermes_tui.core.question import Question
from hermes_tui.core.session import Message, Role
from hermes_tui.core.snapshot import Live, SessionState
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.handling import conversation_of
from hermes_tui.hermes.hosted_previews import ELSEWHERE, NOWHERE, SURFACE, Act, Ground, previewed
from hermes_tui.hermes.hosting import Host, HostedSession, Lost, OpenHost, Said
from hermes_tui.hermes.messages import words_of
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.values import Conversation

Look = Callable[[], Awaitable[Reading]]

_COMPARED: Final = 400
"""So much of a message tells whether it is another one: a home's is cut where it is very long."""


class HostedSessions:
    """Knows the sessions that run here, with what their conversations hold; who runs them is made on first use.

    Without `open_host` none can be run, and `ground` says why.
    """

    def __init__(self, open_host: OpenHost | None = None, ground: Ground = NOWHERE) -> None:
        self._open_host, self._ground = open_host, ground
        self.on_change: Callable[[], None] = lambda: None
        self.on_lost: Lost = lambda _session, _why: None
        self._host: Host | None = None
        self._waiting: frozenset[str] = frozenset()
        self._opens = asyncio.Lock()
        self._lost: dict[str, tuple[int, PlainText]] = {}
        self._stored: dict[str, tuple[Conversation, tuple[Message, ...]]] = {}
        self._shown: dict[str, tuple[HostedSession, tuple[Message, ...], tuple[Message, ...]]] = {}

    @property
    def can_be(self) -> bool:
        """Whether sessions can be run here."""
        return self._open_host is not None

    def sessions(self) -> Mapping[str, HostedSession]:
        """Return those that run here now, by the id of the conversation."""
        return self._host.sessions() if self._host is not None else {}

    def begun_to_wait(self) -> Iterator[tuple[HostedSession, Question]]:
        """Yield those that wait for an answer and did not when this was asked last, each with its question."""
        asked = {id_: one.question for id_, one in self.sessions().items() if one.question is not None}
        before, self._waiting = self._waiting, frozenset(asked)
        yield from ((self.sessions()[id_], question) for id_, question in asked.items() if id_ not in before)

    @property
    def _loaded(self) -> int | None:
        """The process of the Hermes that runs here."""
        return next((one.pid for one in self.sessions().values()), None)

    async def end(self) -> None:
        """End them all."""
        if self._host is not None:
            await self._host.end()

    # What is shown

    def within(self, reading: Reading) -> Reading:
        """Return the reading with them in it, those too that the home does not know yet."""
        sessions = self.sessions()
        self._shown = {id_: shown for id_, shown in self._shown.items() if id_ in sessions}
        if not sessions:
            return reading
        known = {one.id for one in reading.conversations}
        fresh = (_conversation(one) for one in sessions.values() if one.conversation not in known)
        told = (_titled(one, sessions.get(one.id)) for one in reading.conversations)
        return replace(reading, conversations=(*fresh, *told), hosted=self.turns())

    def turns(self) -> Mapping[str, float | None]:
        """Return by conversation when the turn began that runs, None where none does."""
        return {id_: one.turn_since if one.in_turn else None for id_, one in self.sessions().items()}

    def read(self, wanted: Collection[str], reading: Reading, messages: Callable[[str], tuple[Message, ...]]) -> bool:
        """Read what was said in the `wanted` ones where the home has anything new; tell whether it had."""
        before, found = self._stored, dict[str, tuple[Conversation, tuple[Message, ...]]]()
        for one in reading.conversations:
            if one.id in wanted:
                known = before.get(one.id)
                found[one.id] = known if known is not None and known[0] is one else (one, messages(one.id))
        self._stored = found
        return found != before

    def state(self, state: SessionState, conversation: str) -> SessionState:
        """Return the state of a session with what is known of it here."""
        one = self.sessions().get(conversation)
        if one is None:
            owner = None if state.owner == self._loaded else state.owner  # it has not quite forgotten what was closed
            trouble = self._why_lost(owner, conversation)
            return state if (owner, trouble) == (state.owner, None) else replace(state, owner=owner, trouble=trouble)
        live = Live(one.text, one.turn_since, queued=one.queued, doing=one.doing) if one.in_turn or one.queued else None
        return replace(
            state,
            owner=one.pid,
            mine=True,
            messages=self._messages(one, state.name),
            live=live,
            question=one.question,
            trouble=one.trouble or None,
        )

    def _messages(self, one: HostedSession, name: str) -> tuple[Message, ...]:
        """Return what the home has of a conversation, and what was said here that it has not."""
        stored = self._stored[one.conversation][1] if one.conversation in self._stored else ()
        known = self._shown.get(one.conversation)
        if known is not None and known[0].said is one.said and known[0].in_turn == one.in_turn and known[1] is stored:
            return known[2]
        number = stored[-1].number if stored else 0
        more = tuple(
            Message(name, number + place, said.role, said.text, said.at)
            for place, said in enumerate(unsaved(one.said, stored, in_turn=one.in_turn), 1)
        )
        shown = (*stored, *more)
        self._shown[one.conversation] = one, stored, shown
        return shown

    def was_lost(self, one: HostedSession, why: PlainText) -> None:
        """Note why a session runs here no more."""
        self._lost[one.conversation] = one.pid, why

    def _why_lost(self, owner: int | None, conversation: str) -> PlainText | None:
        """Return why a session was lost, as long as nobody else has it open; the home may still name its process."""
        pid, why = self._lost.get(conversation, (None, None))
        if owner not in (None, pid):
            self._lost.pop(conversation, None)
            return None
        return why

    # What can be done

    def preview(self, command: Act | SwitchModel, reading: Reading) -> Preview | None:
        """Return what `command` will do, None where it is about a session that does not run here, nor could."""
        one = None if isinstance(command, NewSession) else self._found(command.session, reading)
        return previewed(command, one, reading, self._ground, self._loaded)

    def _found(self, name: str, reading: Reading) -> HostedSession | None:
        return self.sessions().get(conversation_of(name, reading) or "")

    async def execute(self, command: Act, reading: Reading, look: Look) -> PlainText:
        """Do `command`, and return what it did; `look` reads the home again.

        Raises RefusedError and NothingReachableError.
        """
        host, name = self._made(), command.session
        if isinstance(command, NewSession):
            await host.start(name, command.prompt)
            return PlainText(f"{name} runs in Hermes")
        id_ = conversation_of(name, reading)
        if id_ is None:
            raise RefusedError(f"there is no {name} any more")
        match command:
            case SendPrompt() if id_ not in self.sessions():
                return await self._open(command, id_, host, look)
            case SendPrompt():
                return await _send(command, id_, host)
            case StopTurn():
                await host.stop(id_)
                return PlainText(f"{name}'s turn is stopped")
            case AnswerQuestion(key=key, answer=answer):
                said = _answered(command, self.sessions().get(id_))
                await host.answer(id_, key, answer)
                return said
            case _:
                await host.let_go(id_)
                return PlainText(f"{name} is closed here; Hermes keeps its conversation")

    async def _open(self, command: SendPrompt, id_: str, host: Host, look: Look) -> PlainText:
        """Open a session with a prompt, once: another prompt, or another process, may have opened it meanwhile."""
        async with self._opens, host.ready():
            answer = self.preview(command, await look())
            if id_ in self.sessions():
                return await _send(command, id_, host)
            if isinstance(answer, Refused):
                raise RefusedError(answer.reason)
            await host.open(id_, command.session, command.text)
            self._lost.pop(id_, None)
            return PlainText(f"{command.session} is open here; sent to it")

    def _made(self) -> Host:
        if self._open_host is None:
            raise RefusedError(ELSEWHERE)
        if self._host is None:
            self._host = self._open_host(self.on_change, self.on_lost)
        return self._host


async def _send(command: SendPrompt, id_: str, host: Host) -> PlainText:
    waits = await host.prompt(id_, command.text)
    return PlainText(f"{command.session} takes it when its turn has ended" if waits else f"sent to {command.session}")


def _conversation(one: HostedSession) -> Conversation:
    return Conversation(
        one.conversation, one.title, SURFACE, started_at=one.started_at, last_activity_at=one.turn_since
    )


def _titled(conversation: Conversation, one: HostedSession | None) -> Conversation:
    """Return a conversation under the name that it was opened with, until the home has written one down."""
    return conversation if one is None or conversation.title else replace(conversation, title=one.title)


def _answered(command: AnswerQuestion, one: HostedSession | None) -> PlainText:
    """Return the answer with what it answers, as the timeline keeps it."""
    question = one.question if one is not None else None
    answers = question.answers if question is not None else ()
    words = next((answer.words for answer in answers if answer.id == command.answer), command.answer)
    asked = f" to: {question.text} {question.about}" if question is not None else ""
    return one_line(f"{command.session} has your answer, {words},{asked}")


def unsaved(said: Sequence[Said], stored: Sequence[Message], *, in_turn: bool) -> Iterator[Said]:
    """Yield what was `said` in the newest turn and does not stand among the `stored` messages yet.

    Hermes may write a prompt or a reply down in other words: a prompt that stands there is this one, and so are replies
    once the turn is over and there are as many.
    """
    since = [message for message in stored if said and message.at >= said[0].at]
    spoken = (_compared(words_of(message)) for message in since if message.role is Role.ASSISTANT)
    replies = [words for words in spoken if words]
    is_prompt_there = any(message.role is Role.USER for message in since)
    heard = sum(one.role is Role.ASSISTANT for one in said)
    are_all_there = not in_turn and len(replies) >= heard > 0
    for one in said:
        beginning = _compared(one.text)
        if one.role is Role.USER:
            is_there = is_prompt_there
        else:
            is_there = are_all_there or any(reply.startswith(beginning) for reply in replies)
        if not is_there:
            yield one


def _compared(text: str) -> str:
    return " ".join(text.split())[:_COMPARED]
