"""Prompts on their way to a session: one at a time; what comes while Hermes is at a turn waits for its end here.

Hermes' own queue would do, but one of its releases breaks the turn off for whatever comes in it.
"""

from collections.abc import Callable, Coroutine
from typing import Final

from hermes_tui.core.errors import HermesTuiError, NothingReachableError, RefusedError
from hermes_tui.gateway.client import Client
from hermes_tui.gateway.safe import sentence
from hermes_tui.gateway.session import Session

Errand = Coroutine[object, object, None]

UNSURE: Final = "the prompt may have arrived"
HELD: Final = "what waits is sent with your next prompt"


class Sending:
    """Sends prompts; `on_change` is called whenever a session is to be told anew, `run_errand` to do work aside."""

    def __init__(self, on_change: Callable[[], None], run_errand: Callable[[Errand], None]) -> None:
        self._on_change, self._run_errand = on_change, run_errand

    async def send(self, client: Client, session: Session, prompt: str) -> bool:
        """Send a prompt, or keep it until the turn has ended, and tell whether it waits.

        Raises RefusedError with what Hermes has against it, NothingReachableError where it does not answer: then the
        prompt may have arrived.
        """
        if session.is_busy or session.queue:
            session.queue.append(prompt)
            session.is_held = False
            self._changed(session)
            self.go_on(client, session)
            return True
        session.prompted(prompt)
        await self._submit(client, session, prompt)
        return False

    def go_on(self, client: Client, session: Session) -> None:
        """Send the prompt that has waited longest, where Hermes is at no turn by now."""
        if session.queue and not session.is_busy and not session.is_held:
            prompt = session.queue.popleft()
            session.prompted(prompt)  # at once: whatever is heard before it is sent finds it on its way
            self._run_errand(self._submit_waiting(client, session, prompt))

    async def _submit_waiting(self, client: Client, session: Session, prompt: str) -> None:
        """Send a prompt that has waited; one that Hermes refuses waits on, and none is sent behind it by itself."""
        try:
            await self._submit(client, session, prompt)
        except HermesTuiError as error:
            session.is_held = True
            if isinstance(error, RefusedError):
                session.queue.appendleft(prompt)
            if session.queue:
                session.in_trouble(sentence(f"{error}; {HELD}"))
            self._changed(session)

    async def _submit(self, client: Client, session: Session, prompt: str) -> None:
        """Send a prompt that is noted as sent already."""
        self._on_change()
        try:
            await client.ask("prompt.submit", session_id=session.id, text=prompt, queued=True)
            session.is_taken = True
        except HermesTuiError as error:
            if session.is_taken:  # its turn has begun, whatever became of the answer
                return
            is_unsure = isinstance(error, NothingReachableError)
            told = NothingReachableError(f"{error}: {UNSURE}") if is_unsure else error
            session.not_taken(sentence(str(told)))
            self._on_change()
            raise told from None

    def _changed(self, session: Session) -> None:
        session.changed()
        self._on_change()
