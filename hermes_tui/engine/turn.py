"""A turn: one prompt and every request made until it is answered or fails (M1 ... M12)."""

import asyncio
from dataclasses import replace
from typing import Final

from hermes_tui.core.acting import use_fallback
from hermes_tui.core.advice import explained, reason_to_leave
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import AttemptAbandoned, ConversationCompacted, Event, PrimaryRecoveryTried
from hermes_tui.core.failure import Failure, FailureKind, RequestError, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.leaving import Leave, Passed, exhausted, failed, misconfigured
from hermes_tui.core.lifecycle import end_wait, interrupt, start_turn, take_chain, wait
from hermes_tui.core.outcome import Answer, Sent, request_failed, request_served
from hermes_tui.core.pool import Asker, Candidate, NoneUsable, failure_of
from hermes_tui.core.ports import ModelRequest, Wire
from hermes_tui.core.restoring import way_back
from hermes_tui.core.route import Route
from hermes_tui.core.sealing import unseal
from hermes_tui.core.session import Phase, Session, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.turning import (
    MAX_COMPRESSION_ATTEMPTS,
    Compact,
    GiveUp,
    NextRoute,
    RecoverPrimary,
    Retry,
    Rotate,
    TurnState,
    Unseal,
    after_failure,
    understood,
)
from hermes_tui.engine.attempt import Stream, attempt
from hermes_tui.engine.conversation import Conversation
from hermes_tui.engine.interruptible import InterruptedWork, Interruptible, Interruption
from hermes_tui.engine.restoring import choose, restore_primary_runtime
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.engine.walk import Walker

_KEYLESS: Final = Failure(
    FailureKind.NO_CREDENTIAL,
    Scope.CREDENTIAL,
    PlainText("its key is not there: the file that names it cannot be read"),
)
"""A credential with a key is never sent without it."""


class Turn:
    """Runs one turn of one session. Every step is a decision of the core; this asks, acts and records.

    `control` is how the user cuts a step short: a wait that is over, or a route that is left.
    """

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
        self._passed: list[Passed] = []

    async def run(self, prompt: PlainText) -> bool:
        """Play the turn to its end; tell whether a reply came."""
        around, now = self._around, self._now()
        if take_chain(self._session, around.configuration, now).records:
            await around.commit(lambda facts: take_chain(facts.sessions[self._name], around.configuration, now))
        said = await around.commit(lambda facts: start_turn(facts.sessions[self._name], prompt, now))
        self._conversation.add(said)
        try:
            async with around.clock.timeout(self._settings.turn_timeout_seconds):
                return await self._play()
        except TimeoutError:
            limit = self._settings.turn_timeout_seconds
            return await self._fail(PlainText(f"The turn took longer than {limit:g} s and was ended."))

    async def _play(self) -> bool:
        steps = self._begin
        while True:
            try:
                done = await self._control.run(steps())
            except InterruptedWork as interrupted:
                done = await self._interrupted(interrupted.why)
            steps = self._one_request
            if done is not None:
                return done

    async def _begin(self) -> bool | None:
        """Try to go home, and leave a route that is on hold; False means that no route is left (M1, M24)."""
        await self._around.fetch_keys(self._session.requested.pool)
        if await restore_primary_runtime(self._around, self._name, deadline=self._state.deadline):
            await self._wire.rebuild()
        why = self._why_not_here()
        if why is not None:
            self._passed.append(Passed(self._session.requested, why))
            return None if await self._walk(None, start=0) else False
        self._state = self._state.on_new_route(self._session.active)
        return None

    def _why_not_here(self) -> PlainText | None:
        """Return why the primary does not serve a turn that walks at once, None where it begins with the route in use.

        It walks where that route is on hold, or the last walk was exhausted: by every entry, the one in use too, for
        nothing has been tried in this turn.
        """
        session, now = self._session, self._now()
        if session.forced_at is not None or not session.chain:
            return None
        if session.on_fallback:
            if session.exhaustion is None and session.hold_on(session.active, now) is None:
                return None
            gate = way_back(self._around.facts, session, now).blocked_by
            return gate.text if gate is not None else PlainText("it was not tried")
        own = session.cooldown
        if own is None or own.kind is not WaitKind.FAILING or own.until <= now:
            return None
        return PlainText("it failed just now, and waits")

    async def _one_request(self) -> bool | None:
        """Send one request and take the step that its outcome asks for; None means that the turn goes on."""
        session = self._session
        route = session.active
        if session.requested_fault is not None and not session.on_fallback:
            return await self._leave(misconfigured(session.requested_fault))
        await self._around.fetch_keys(route.pool)
        forced = session.forced_at is not None and not session.on_fallback
        asker = Asker(self._name, self._state.failed_for(route.model), forced=forced)
        chosen = await choose(
            self._around, route, asker, attempt=self._state.retry_count + 1, deadline=self._state.deadline
        )
        if isinstance(chosen, NoneUsable):
            failure = failure_of(chosen)
            return None if await self._read_keys_again(failure, route) else await self._leave(Leave(failure))
        by = Candidate(self._around.pool_of(route), chosen.member, route.model)
        sent = Sent(self._name, route, by, self._now())
        try:
            answer = await self._send(sent)
        except RequestError as error:
            return await self._after(error, sent)
        except asyncio.CancelledError:
            await self._tell_abandoned(sent)
            raise
        said = await self._around.commit(lambda facts: request_served(facts, sent, answer, now=self._now()))
        self._conversation.add(said)
        return True

    async def _send(self, sent: Sent) -> Answer:
        keyring = self._around.configured.keyring
        secret = keyring.secret(sent.by.key)
        if secret is None and sent.by.member.fingerprint:
            raise RequestError(_KEYLESS)
        request = ModelRequest(
            route=sent.route,
            system_prompt=self._conversation.system_prompt,
            messages=self._conversation.fitting(sent.route, self._state.compression_attempts).messages,
            timeout_seconds=sent.by.pool.request_timeout_seconds,
            account=sent.by.member.account,
        )
        self._conversation.on_attempt()
        stream = Stream(self._wire, self._around.clock, self._settings, self._conversation.on_text, keyring.redact)
        return await attempt(stream, request, secret)

    async def _tell_abandoned(self, sent: Sent) -> None:
        event = AttemptAbandoned(
            time=self._now(),
            session=self._name,
            provider=sent.route.provider,
            model=sent.route.model,
            credential=sent.by.member.label,
            latency=self._now() - sent.at,
        )
        await self._tell(event)

    async def _after(self, error: RequestError, sent: Sent) -> bool | None:
        around, now = self._around, self._now()
        failure, self._state = understood(error.failure, error.received, self._state)
        spent = await around.commit(lambda facts: request_failed(facts, sent, failure, now=now))
        on_primary = not self._session.on_fallback
        step = after_failure(failure, self._state, self._settings, on_primary=on_primary, now=now, dice=around.dice)
        if isinstance(step, Rotate):
            self._state = self._state.without(spent)
            await self._read_keys_again(failure, sent.route)
        match step:
            case GiveUp():
                return await self._fail(explained(failure, provider_behind(sent.route.provider, sent.route.base_url)))
            case Retry(seconds=seconds):
                await self._wait(seconds)
            case RecoverPrimary():
                await self._recover(sent.route)
            case Compact() if await self._compact(sent.route):
                pass
            case Unseal() if await self._unseal(sent):
                pass
            case Rotate() if await self._walker().can_serve(sent.route):
                pass
            case Compact() | Unseal() | Rotate() | NextRoute():
                return await self._leave(Leave(failure, sent.by.member.label))
        return None

    async def _wait(self, seconds: float) -> None:
        """Wait before a retry, in a way that the user can end (M2)."""
        until = self._now() + seconds
        self._state = replace(self._state, retry_count=self._state.retry_count + 1)
        number = self._state.retry_count + 1
        await self._around.commit(lambda facts: wait(facts.sessions[self._name], until, number, self._now()))
        self._conversation.on_wait(until)
        await self._around.clock.sleep(seconds)
        await self._end_wait(by_user=False)

    async def _end_wait(self, *, by_user: bool) -> None:
        self._conversation.on_wait(None)
        await self._around.commit(lambda facts: end_wait(facts.sessions[self._name], self._now(), by_user=by_user))

    async def _recover(self, route: Route) -> None:
        """Rebuild the primary's client and connections for one more try (M3: try_recover_primary_transport)."""
        self._state = replace(self._state, primary_recovery_attempted=True)
        event = PrimaryRecoveryTried(time=self._now(), session=self._name, provider=route.provider, model=route.model)
        await self._tell(event)
        await self._wire.rebuild()

    async def _compact(self, route: Route) -> bool:
        """Leave more of the conversation out; tell whether that makes another request than the one refused (M9)."""
        refused = self._conversation.fitting(route, self._state.compression_attempts)
        for attempts in range(self._state.compression_attempts + 1, MAX_COMPRESSION_ATTEMPTS + 1):
            smaller = self._conversation.fitting(route, attempts)
            if smaller != refused:
                self._state = replace(self._state, compression_attempts=attempts)
                event = ConversationCompacted(time=self._now(), session=self._name, left_out=smaller.left_out)
                await self._tell(event)
                return True
        return False

    async def _read_keys_again(self, failure: Failure, route: Route) -> bool:
        """Read the keys again where one was not let in, once in a turn; tell whether there are others now (C64)."""
        if self._state.keys_read or not failure.kind.is_about_the_key:
            return False
        self._state = replace(self._state, keys_read=True)
        return await self._around.read_keys_again(route.pool)

    async def _unseal(self, sent: Sent) -> bool:
        """Drop the sealed history that was sent; tell whether there was any (M12)."""
        messages, route, account = self._conversation.messages, sent.route, sent.by.member.account
        dropped = await self._around.commit(lambda _facts: unseal(messages, self._name, route, account, self._now()))
        self._conversation.unseal(route.issuer(account))
        return dropped

    async def _leave(self, leave: Leave) -> bool | None:
        """Leave the active route along the chain; False means that the chain is exhausted."""
        route = self._session.active
        known = provider_behind(route.provider, route.base_url)
        self._passed.append(Passed(route, reason_to_leave(leave.failure, known)))
        return None if await self._walk(leave, start=self._session.index) else False

    async def _walk(self, leave: Leave | None, *, start: int) -> bool:
        """Go to the first entry beyond `start` that can serve; where none can, the turn has failed (M8)."""
        route, passed = await self._walker().walk(leave, start=start)
        self._passed += passed
        if route is not None:
            self._state = self._state.on_new_route(route)
            await self._wire.rebuild()
            return True
        await self._around.commit(
            lambda facts: exhausted(facts, facts.sessions[self._name], self._passed, leave, self._now())
        )
        return False

    def _walker(self) -> Walker:
        return Walker(self._around, self._name, self._state, self._conversation.tokens())

    async def _interrupted(self, why: Interruption) -> bool | None:
        """Do what the user said: stop, end the wait, or leave the route with its attempt dropped."""
        if why is Interruption.STOP:
            why_told = PlainText("you stopped it")
            await self._around.commit(lambda facts: interrupt(facts, facts.sessions[self._name], why_told, self._now()))
            return False
        if self._session.phase is Phase.WAITING:
            await self._end_wait(by_user=True)
        if why is Interruption.USE_FALLBACK:
            left, tokens = self._session.active, self._conversation.tokens()
            position = await self._around.commit(
                lambda facts: use_fallback(facts, facts.sessions[self._name], tokens=tokens, now=self._now())
            )
            if position is not None:
                self._passed.append(Passed(left, PlainText("you left it")))
                self._state = self._state.on_new_route(self._session.active)
                await self._wire.rebuild()
        return None

    async def _tell(self, event: Event) -> None:
        await self._around.commit(lambda _facts: Decision(None, (Record(event),)))

    async def _fail(self, error: PlainText) -> bool:
        await self._around.commit(lambda facts: failed(facts, facts.sessions[self._name], error, self._now()))
        return False

    def _now(self) -> float:
        return self._around.clock.now()

    @property
    def _session(self) -> Session:
        return self._around.session(self._name)
