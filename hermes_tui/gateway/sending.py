"""Prompts on their way to a session: one at a time; what comes while Hermes is at a turn waits for its end here.

Hermes' own queue would do, but one of its releases breaks the turn off for whatever comes in it. When a turn has ended
Hermes itself is asked: its events leave out some ends, and tell of faults that end nothing.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Final

from hermes_tui.core.errors import HermesTuiError, NothingReachableError, RefusedError
from hermes_tui.gateway.client import Client
from hermes_tui.gateway.safe import sentence, table
from hermes_tui.gateway.session import Session, Stage

Errand = Coroutine[object, object, None]

UNSURE: Final = "the prompt may have arrived"

FIRST_SECONDS: Final = 0.05
ASK_SECONDS: Final = 2.0
"""How soon Hermes is asked again whether it is at a turn, and how often at last."""


class Sending:
    """Sends prompts; `on_change` is called whenever a session is to be told anew, `run_errand` to do work aside."""

    def __init__(self, on_change: Callable[[], None], run_errand: Callable[[Errand], None]) -> None:
        self._on_change, self._run_errand = on_change, run_errand
        self._settling: dict[Session, asyncio.Event] = {}

    async def send(self, client: Client, session: Session, prompt: str) -> bool:
        """Send a prompt, or keep it until the turn has ended, and tell whether it waits.

        Raises RefusedError with what Hermes has against it, NothingReachableError where it does not answer: then the
        prompt may have arrived.
        """
        if session.stage is not Stage.IDLE or session.queue:
            session.queue.append(prompt)
            session.is_held = False
            self._changed(session)
            self._go_on(client, session)
            return True
        session.prompted(prompt)
        try:
            await self._submit(client, session)
        except HermesTuiError:
            session.hold()
            raise
        finally:
            self._changed(session)
        return False

    def settle(self, client: Client, session: Session) -> None:
        """Find out when Hermes is at no turn any more, and send what waits then."""
        if (woken := self._settling.get(session)) is not None:
            woken.set()
        elif session.stage is not Stage.IDLE:
            self._settling[session] = asyncio.Event()
            self._run_errand(self._settle(client, session))

    async def _settle(self, client: Client, session: Session) -> None:
        woken, pause = self._settling[session], FIRST_SECONDS
        try:
            while not await _is_idle(client, session):
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await woken.wait()
                woken.clear()
                pause = min(2 * pause, ASK_SECONDS)
            if session.stage is Stage.SENT:  # put off by Hermes, which forgets it now: it is ours again
                await client.ask("session.interrupt", session_id=session.id)
                session.queue.appendleft(session.prompt)
        except HermesTuiError:  # Hermes has ended, or the session is closed
            return
        finally:
            del self._settling[session]
        session.free()
        if session.has_failed:
            session.hold()
        self._changed(session)
        self._go_on(client, session)

    def _go_on(self, client: Client, session: Session) -> None:
        """Send the prompt that has waited longest, where Hermes is at no turn."""
        if session.queue and session.stage is Stage.IDLE and not session.is_held:
            session.prompted(session.queue.popleft())  # at once: what is heard before it is sent finds it on its way
            self._run_errand(self._submit_waiting(client, session))

    async def _submit_waiting(self, client: Client, session: Session) -> None:
        """Send a prompt that has waited; one that Hermes refuses waits on, and none is sent behind it by itself."""
        try:
            await self._submit(client, session)
        except RefusedError:
            session.queue.appendleft(session.prompt)
            session.hold()
        except NothingReachableError:
            session.hold()
        self._changed(session)

    async def _submit(self, client: Client, session: Session) -> None:
        """Send the prompt that is noted as sent already."""
        self._on_change()
        session.is_on_its_way = True
        try:
            answer = await client.ask("prompt.submit", session_id=session.id, text=session.prompt, queued=True)
            if answer.get("status") != "queued":
                session.taken()
        except HermesTuiError as error:
            if session.stage is not Stage.SENT:  # its turn has begun, whatever became of the answer
                return
            is_unsure = isinstance(error, NothingReachableError)
            told = NothingReachableError(f"{error}: {UNSURE}") if is_unsure else error
            session.not_taken(sentence(str(told)))
            raise told from None
        finally:
            session.is_on_its_way = False
            if session.stage is not Stage.TURN:
                self.settle(client, session)

    def _changed(self, session: Session) -> None:
        session.changed()
        self._on_change()


async def _is_idle(client: Client, session: Session) -> bool:
    """Tell whether Hermes is at no turn now. Raises NothingReachableError where it has ended."""
    before = session.turns, session.stage
    try:
        listed = (await client.ask("session.active_list")).get("sessions")
    except RefusedError:  # a release that knows no such question
        return session.stage is Stage.ENDING
    except NothingReachableError:
        if client.is_over:
            raise
        return False
    live = map(table, listed if isinstance(listed, list) else [])
    status = next((one.get("status") for one in live if one.get("id") == session.id), "idle")
    return status == "idle" and (session.turns, session.stage) == before and not session.is_on_its_way
