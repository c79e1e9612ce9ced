"""A turn: one prompt and every request made until it is answered or fails (M1 ... M12)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from hermes_tui.core.acting import use_fallback
from hermes_tui.core.compaction import Compacted, budget, compact, conversation_tokens
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import ConversationCompacted, PrimaryRecoveryTried
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure, RequestError
from hermes_tui.core.leaving import Leave, Skip, activate, exhausted, failed, skip_for, skipped, why_skip
from hermes_tui.core.lifecycle import end_wait, start_turn, take_chain, wait
from hermes_tui.core.outcome import Answer, Sent, request_failed, request_served
from hermes_tui.core.pool import Asker, Candidate, NoneUsable, Selected, failure_of, none_usable, usable
from hermes_tui.core.ports import ModelRequest, Wire
from hermes_tui.core.route import Route
from hermes_tui.core.session import Message, Session, Tried, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.turning import (
    Compact,
    GiveUp,
    NextRoute,
    RecoverPrimary,
    Retry,
    Rotate,
    TurnState,
    after_failure,
)
from hermes_tui.engine.attempt import Stream, attempt
from hermes_tui.engine.interruptible import InterruptedWork, Interruptible, Interruption
from hermes_tui.engine.restoring import choose, lift_reopened_cooldowns, restore_primary_runtime
from hermes_tui.engine.surroundings import Surroundings


@dataclass(slots=True)
class Conversation:
    """A session's messages as this process knows them, and how they are shown while they stream."""

    system_prompt: str | None
    messages: tuple[Message, ...]
    on_text: Callable[[PlainText], None]
    on_waiting: Callable[[float | None], None]

    def add(self, message: Message) -> None:
        """Go on with one more message."""
        self.messages = (*self.messages, message)

    def tokens(self) -> int:
        """Return the size of the conversation in tokens."""
        return conversation_tokens(self.system_prompt, self.messages)


class Turn:
    """Runs one turn of one session. Every step is a decision of the core; this asks, acts and records."""

    def __init__(
        self, around: Surroundings, name: str, wire: Wire, conversation: Conversation, control: Interruptible
    ) -> None:
        self._around = around
        self._name = name
        self._wire = wire
        self._conversation = conversation
        self._control = control
        self._settings = around.configuration.settings
        self._state = TurnState(around.clock.now() + self._settings.turn_timeout_seconds)
        self._tried: list[Tried] = []

    async def run(self, prompt: PlainText) -> bool:
        """Play the turn to its end; tell whether a reply came."""
        around, now = self._around, self._around.clock.now()
        await around.commit(lambda facts: take_chain(facts.sessions[self._name], around.configuration, now))
        said = await around.commit(lambda facts: start_turn(facts.sessions[self._name], prompt, now))
        self._conversation.add(said)
        try:
            async with around.clock.timeout(self._settings.turn_timeout_seconds):
                await restore_primary_runtime(around, self._name, deadline=self._state.deadline)
                return await self._play()
        except TimeoutError:
            limit = self._settings.turn_timeout_seconds
            return await self._fail(PlainText(f"The turn took longer than {limit:g} s and was ended."))

    async def _play(self) -> bool:
        if self._must_walk_first() and not await self._walk(None, start=0):
            return False
        while True:
            try:
                done = await self._one_request()
            except InterruptedWork as interrupted:
                done = await self._interrupted(interrupted.why)
            if done is not None:
                return done

    def _must_walk_first(self) -> bool:
        """A turn that starts on a route on hold, or after an exhausted walk, walks from entry 1 (M24)."""
        session, now = self._session, self._around.clock.now()
        if session.forced_at is not None:
            return False
        if not session.on_fallback:
            own = session.cooldown
            if own is None or own.kind is not WaitKind.FAILING or own.until <= now:
                return False
            why = Tried(PlainText(str(session.requested)), PlainText("it failed just now, and waits"), own.until)
            self._tried.append(why)
            return True
        return session.exhaustion is not None or session.hold_on(session.active, now) is not None

    async def _one_request(self) -> bool | None:
        """Send one request and take the step that its outcome asks for; None means that the turn goes on."""
        session = self._session
        route = session.active
        asker = Asker(self._name, self._state.failed, forced=session.forced_at is not None and not session.on_fallback)
        chosen = await choose(
            self._around, route, asker, attempt=self._state.retry_count + 1, deadline=self._state.deadline
        )
        if isinstance(chosen, NoneUsable):
            return await self._leave(Leave(failure_of(chosen)), chosen.until)
        sent = Sent(
            self._name,
            route,
            Candidate(self._around.pool_of(route), chosen.member, route.model),
            self._around.clock.now(),
        )
        try:
            answer = await self._send(sent, chosen)
        except RequestError as error:
            return await self._after(error.failure, sent)
        now = self._around.clock.now()
        said = await self._around.commit(lambda facts: request_served(facts, sent, answer, now=now))
        self._conversation.add(said)
        return True

    async def _send(self, sent: Sent, chosen: Selected) -> Answer:
        keyring, pool = self._around.configured.keyring, self._around.pool_of(sent.route)
        request = ModelRequest(
            route=sent.route,
            system_prompt=self._conversation.system_prompt,
            messages=self._fitting(sent.route).messages,
            timeout_seconds=pool.request_timeout_seconds,
        )
        stream = Stream(self._wire, self._around.clock, self._settings, self._conversation.on_text, keyring.redact)
        return await self._control.run(attempt(stream, request, keyring.secret(chosen.key)))

    def _fitting(self, route: Route) -> Compacted:
        messages, attempts = self._conversation.messages, self._state.compression_attempts
        if not attempts:
            return Compacted(messages, 0)
        return compact(messages, budget_tokens=budget(route.context_length, attempts, self._conversation.tokens()))

    async def _after(self, failure: Failure, sent: Sent) -> bool | None:
        around, now = self._around, self._around.clock.now()
        await around.commit(lambda facts: request_failed(facts, sent, failure, now=now))
        on_primary = not self._session.on_fallback
        step = after_failure(failure, self._state, self._settings, on_primary=on_primary, now=now, dice=around.dice)
        if isinstance(step, Rotate):
            self._state = self._state.without(sent.by.key)
        match step:
            case GiveUp(error=error):
                return await self._fail(error)
            case Rotate() if await self._can_serve(sent.route):
                return None
            case Retry(seconds=seconds):
                await self._wait(seconds)
                return None
            case RecoverPrimary():
                await self._recover(sent.route)
                return None
            case Compact():
                await self._compact(sent.route)
                return None
            case Rotate() | NextRoute():
                return await self._leave(Leave(failure, sent.by.member.label), None)

    async def _can_serve(self, route: Route) -> bool:
        """Tell whether the route's pool has a credential for this turn: usable, or reopened early (M18)."""
        asker = Asker(self._name, self._state.failed)
        pool = self._around.pool_of(route)
        if usable(self._around.facts, pool, route.model, self._now(), asker):
            return True
        return pool.reopens_early and await lift_reopened_cooldowns(
            self._around, route, asker, deadline=self._state.deadline
        )

    async def _wait(self, seconds: float) -> None:
        """Wait before a retry, in a way that the user can end (M2)."""
        until = self._now() + seconds
        self._state = replace(self._state, retry_count=self._state.retry_count + 1)
        attempt_number = self._state.retry_count + 1
        await self._around.commit(lambda facts: wait(facts.sessions[self._name], until, attempt_number, self._now()))
        self._conversation.on_waiting(until)
        interruption = None
        try:
            await self._control.run(self._around.clock.sleep(seconds))
        except InterruptedWork as interrupted:
            interruption = interrupted
        self._conversation.on_waiting(None)
        await self._around.commit(
            lambda facts: end_wait(facts.sessions[self._name], self._now(), by_user=interruption is not None)
        )
        if interruption is not None and interruption.why is Interruption.USE_FALLBACK:
            raise interruption

    async def _recover(self, route: Route) -> None:
        """Rebuild the primary's client and connections for one more try (M3: try_recover_primary_transport)."""
        self._state = replace(self._state, primary_recovery_attempted=True)
        event = PrimaryRecoveryTried(time=self._now(), session=self._name, provider=route.provider, model=route.model)
        await self._around.commit(lambda _facts: Decision(None, (Record(event),)))
        await self._wire.rebuild()

    async def _compact(self, route: Route) -> None:
        self._state = replace(self._state, compression_attempts=self._state.compression_attempts + 1)
        left_out = self._fitting(route).left_out
        event = ConversationCompacted(time=self._now(), session=self._name, left_out=left_out)
        await self._around.commit(lambda _facts: Decision(None, (Record(event),)))

    async def _leave(self, leave: Leave, until: float | None) -> bool | None:
        """Leave the active route along the chain; False means that the chain is exhausted."""
        route = self._session.active
        self._state = replace(self._state, tried=(*self._state.tried, route))
        reason = f"{leave.failure}: {leave.failure.message}" if leave.failure.message else str(leave.failure)
        self._tried.append(Tried(PlainText(str(route)), PlainText(reason), until))
        return None if await self._walk(leave, start=self._session.index) else False

    async def _walk(self, leave: Leave | None, *, start: int) -> bool:
        """Try the chain's entries beyond `start` in order until one can serve (M6, M7); tell whether one does."""
        for position in range(start + 1, len(self._session.chain) + 1):
            skip = await self._enter(position, leave)
            if skip is None:
                return True
            route = self._session.chain[position - 1].route
            self._tried.append(Tried(PlainText(str(route)), skip.reason, skip.until))
            await self._around.commit(partial(self._skip, position, skip))
        tried = tuple(self._tried)
        await self._around.commit(lambda facts: exhausted(facts, facts.sessions[self._name], tried, leave, self._now()))
        return False

    def _skip(self, position: int, skip: Skip, facts: Facts) -> Decision[None]:
        return Decision(None, (skipped(facts.sessions[self._name], position, skip, self._now()),))

    async def _enter(self, position: int, leave: Leave | None) -> Skip | None:
        """Move to chain entry `position` where it can serve (try_activate_fallback); return why not otherwise."""
        session, around = self._session, self._around
        link = session.chain[position - 1]
        tried = (*self._state.tried, session.requested)
        tokens = self._conversation.tokens()
        skip = why_skip(around.facts, session, link, tried=tried, tokens=tokens, now=self._now())
        if skip is not None:
            return skip
        if not await self._can_serve(link.route):
            return skip_for(none_usable(around.facts, around.pool_of(link.route), link.route.model, self._now()))
        await around.commit(lambda facts: activate(facts, facts.sessions[self._name], position, leave, self._now()))
        self._state = self._state.on_new_route(link.route)
        await self._wire.rebuild()
        return None

    async def _interrupted(self, why: Interruption) -> bool | None:
        """Go on along the chain because the user said so; the attempt that ran is dropped."""
        if why is Interruption.USE_FALLBACK:
            tokens, now = self._conversation.tokens(), self._now()
            position = await self._around.commit(
                lambda facts: use_fallback(facts, facts.sessions[self._name], tokens=tokens, now=now)
            )
            if position is not None:
                self._state = self._state.on_new_route(self._session.active)
        return None

    async def _fail(self, error: PlainText) -> bool:
        await self._around.commit(lambda facts: failed(facts.sessions[self._name], error, self._now()))
        return False

    def _now(self) -> float:
        return self._around.clock.now()

    @property
    def _session(self) -> Session:
        return self._around.session(self._name)
