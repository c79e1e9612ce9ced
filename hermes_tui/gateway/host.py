"""The sessions of one home that a Hermes of ours runs: one process, from the first of them to the last."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final

from hermes_tui.core.errors import HermesTuiError, NothingReachableError, RefusedError, told
from hermes_tui.core.text import PlainText
from hermes_tui.gateway import asking
from hermes_tui.gateway.child import Child
from hermes_tui.gateway.client import Client
from hermes_tui.gateway.launching import Launch
from hermes_tui.gateway.safe import Table, line, sentence, text
from hermes_tui.gateway.sending import Errand, Sending
from hermes_tui.gateway.session import STREAMED, Session
from hermes_tui.gateway.values import Hosted

START_SECONDS: Final = 60.0
"""How long Hermes may take to load: seconds, and more where much else runs."""

PATIENCE_SECONDS: Final = 45.0
"""How long it may take to answer: an older one lets whoever stops a turn wait half a minute for its agent."""

TELLING_SECONDS: Final = 0.1
"""How often what streams is told of, at most: the screen shows no more."""

ENDS: Final = frozenset({"message.complete", "error"})
"""Events behind which Hermes may be at no turn any more."""

_SURFACE: Final = "tui"

Lost = Callable[[Hosted, PlainText], None]


class _Run:
    """One process with the sessions that are open in it, by their live ids."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.client: Client
        self.sessions: dict[str, Session] = {}
        self.serving: asyncio.Task[None]
        self.ending: asyncio.Task[None]
        self.is_ending = False
        self.openings = self.questions_so_far = 0


class GatewayHost:
    """Implements `hermes.hosting.Host` by a Hermes that is started by `launch`.

    `on_change` is called whenever a session is to be told anew; `on_lost` for each that its process took along when it
    ended by itself, with how it ended.
    """

    def __init__(
        self,
        launch: Launch,
        now: Callable[[], float],
        on_change: Callable[[], None],
        on_lost: Lost,
        *,
        start_seconds: float = START_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._launch, self._now = launch, now
        self._start_seconds, self._patience_seconds = start_seconds, patience_seconds
        self._run: _Run | None = None
        self._starting: asyncio.Task[_Run] | None = None
        self._errands: set[asyncio.Task[None]] = set()
        self._on_change, self._on_lost = on_change, on_lost
        self._sending = Sending(on_change, self._run_errand)
        self._telling: asyncio.TimerHandle | None = None

    def sessions(self) -> Mapping[str, Hosted]:
        """Return the sessions that are open, by the id of the conversation."""
        run = self._run
        return {one.conversation: one.told for one in run.sessions.values()} if run is not None else {}

    async def start(self, title: str, prompt: str) -> None:
        """Begin a conversation, with its first prompt if any. Raises as `prompt` does."""
        async with self._process() as run:
            session = self._opened(run, title, await run.client.ask("session.create", source=_SURFACE))
            try:  # now, so that Hermes makes up no title of its own
                await run.client.ask("session.title", session_id=session.id, title=title)
            except HermesTuiError:
                await self._close(run, session)
                raise
            if prompt.strip():
                await self._sending.send(run.client, session, prompt)

    async def open(self, conversation: str, title: str, prompt: str) -> None:
        """Go on with a conversation that nobody has open. Raises as `prompt` does."""
        async with self._process() as run:
            wanted = {"session_id": conversation, "source": _SURFACE, "omit_messages": True}
            session = self._opened(run, title, await run.client.ask("session.resume", **wanted))
            try:
                await self._sending.send(run.client, session, prompt)
            except RefusedError:  # it is somebody else's
                with contextlib.suppress(HermesTuiError):
                    await self._close(run, session)
                raise

    @contextlib.asynccontextmanager
    async def ready(self) -> AsyncIterator[None]:
        """Have the process run meanwhile: it takes seconds to start. Raises NothingReachableError where it does not."""
        async with self._process():
            yield

    @contextlib.asynccontextmanager
    async def _process(self) -> AsyncIterator[_Run]:
        """Yield the process, started where it does not run; afterwards it ends where nothing is open in it."""
        run = await self._running()
        run.openings += 1
        try:
            yield run
        finally:
            run.openings -= 1
            await self._end_if_idle()
            self._on_change()

    def _opened(self, run: _Run, title: str, made: Table) -> Session:
        id_ = text(made.get("session_id"))
        conversation = text(made.get("stored_session_id")) or text(made.get("session_key"))
        if not id_ or not conversation:
            raise NothingReachableError("Hermes says nothing of the session")
        session = run.sessions.setdefault(id_, Session(id_, conversation, line(title), run.child.pid, self._now))
        session.conversation = conversation  # of one that has gone on under another id
        return session

    async def prompt(self, conversation: str, prompt: str) -> bool:
        """Send a prompt, or keep it until the turn has ended, and tell whether it waits.

        Raises as `Sending.send` does.
        """
        run, session = self._found(conversation)
        return await self._sending.send(run.client, session, prompt)

    async def stop(self, conversation: str) -> None:
        """Stop the turn that runs; what waits for its end comes next. Raises as `prompt` does."""
        run, session = self._found(conversation)
        await run.client.ask("session.interrupt", session_id=session.id)
        self._sending.settle(run.client, session)  # of a turn that has not quite begun no end is told

    async def answer(self, conversation: str, key: str, answer: str) -> None:
        """Answer the question with that key; raises as `prompt` does."""
        run, session = self._found(conversation)
        place = next((at for at, one in enumerate(session.questions) if one.open[0].key == key), None)
        if place is None:
            raise RefusedError("that is not asked any more")
        asked = session.questions[place].answered(key, answer)
        if asked.open:
            session.questions[place] = asked
        else:
            del session.questions[place]
        session.changed()
        self._on_change()
        if asked.open:
            return
        reply = asked.reply(session.id)
        if not reply.method:
            run.client.answer(reply.number, reply.content)
        elif (await run.client.ask(reply.method, **reply.content)).get("resolved") == 0:
            raise RefusedError("Hermes had stopped waiting for that")

    async def let_go(self, conversation: str) -> None:
        """Close a session; the home keeps its conversation. Raises as `prompt` does."""
        run, session = self._found(conversation)
        try:
            await self._close(run, session)
        finally:
            await self._end_if_idle()
            self._on_change()

    async def _close(self, run: _Run, session: Session) -> None:
        run.sessions.pop(session.id, None)
        session.queue.clear()
        if session.in_turn:  # which goes on without it where it is only closed
            with contextlib.suppress(RefusedError):
                await run.client.ask("session.interrupt", session_id=session.id)
        await run.client.ask("session.close", session_id=session.id)

    async def end(self) -> None:
        """End the process, and with it all sessions."""
        if (starting := self._starting) is not None:
            starting.cancel()
            await asyncio.wait([starting])
        run, self._run = self._run, None
        for errand in self._errands:
            errand.cancel()
        if run is not None:
            run.is_ending = True
            run.ending = asyncio.create_task(run.child.end())
            run.ending.add_done_callback(lambda _: run.serving.cancel())
            await asyncio.shield(run.ending)  # who gives up waiting for it does not cut it short
            self._on_change()

    async def _end_if_idle(self) -> None:
        if self._run is not None and not self._run.sessions and not self._run.openings:
            await self.end()

    def _found(self, conversation: str) -> tuple[_Run, Session]:
        run = self._run
        for session in run.sessions.values() if run is not None else ():
            if run is not None and session.conversation == conversation:
                return run, session
        raise RefusedError("it is not open here any more")

    # The process

    async def _running(self) -> _Run:
        if self._run is not None:
            return self._run
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(lambda start: start.cancelled() or start.exception())  # nobody may wait
        return await asyncio.shield(self._starting)

    async def _start(self) -> _Run:
        try:
            self._run = await self._started()
            return self._run
        finally:
            self._starting = None

    async def _started(self) -> _Run:
        run = _Run(await Child.start(self._launch))
        run.client = Client(
            run.child,
            self._patience_seconds,
            lambda kind, session, payload: self._hear(run, kind, session, payload),
            lambda number, method, params: self._take_question(run, method, number, params, by_method=False),
        )
        run.serving = asyncio.ensure_future(self._serve(run))
        ready = asyncio.ensure_future(run.client.be_ready())
        try:
            await asyncio.wait([ready, run.serving], timeout=self._start_seconds, return_when=asyncio.FIRST_COMPLETED)
            if ready.done():
                return run
            why = await run.child.why_it_ended() if run.serving.done() else f"it took over {self._start_seconds:g} s"
        finally:
            if not ready.done():
                ready.cancel()
                run.is_ending = True
                await run.child.end()
        raise NothingReachableError(f"Hermes did not start: {why}")

    async def _serve(self, run: _Run) -> None:
        """Take what a process says until it has ended, by itself or by us."""
        try:
            why = await run.client.listen()
        except Exception as error:  # noqa: BLE001 - the edge of a task: it is told as why the sessions are lost
            why = sentence(told(error))
        if run.is_ending:
            return
        if self._run is run:
            self._run = None
        for session in run.sessions.values():
            self._on_lost(session.told, why)
        self._on_change()
        await run.child.end()  # what it started may go on without it

    # What it says

    def _hear(self, run: _Run, kind: str, id_: str, payload: Table) -> None:
        session = run.sessions.get(id_)
        if session is None:
            return
        name, _, is_question = kind.rpartition(".")
        if is_question == "request":
            asked = {"session_id": id_, **payload}
            self._take_question(run, name, text(payload.get("request_id")), asked, by_method=True)
        elif kind == STREAMED:
            session.hear(kind, payload)
            self._tell_soon()
        elif session.hear(kind, payload):
            self._on_change()
        if kind in ENDS or payload.get("running") is False:
            self._sending.settle(run.client, session)

    def _tell_soon(self) -> None:
        """Tell of what streams, a few times a second however fast it comes."""
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(TELLING_SECONDS, self._tell)

    def _tell(self) -> None:
        self._telling = None
        self._on_change()

    def _take_question(self, run: _Run, kind: str, number: str, params: Table, *, by_method: bool) -> None:
        """Show a question to the user; what is not asked here is declined, and said."""
        session = run.sessions.get(text(params.get("session_id")))
        run.questions_so_far += 1
        asked = asking.asked(kind, number, params, by_method=by_method, serial=run.questions_so_far)
        if session is not None and asked is not None:
            if by_method and kind == asking.APPROVAL and any(one.kind == kind for one in session.questions):
                session.questions = [one for one in session.questions if one.kind != kind]
                asked = asking.only_denied(asked)
            session.questions.append(asked)
            session.changed()
            self._on_change()
            return
        refusal = asking.declined(kind, number, by_method=by_method)
        if refusal is not None and session is not None:
            session.in_trouble(
                sentence(f"It asked for a secret ({kind}), which is not typed in here: do that in Hermes.")
            )
            self._on_change()
        if refusal is not None and refusal.method:
            self._run_errand(self._ask_quietly(run, refusal))
        elif refusal is not None:
            run.client.answer(number, refusal.content)
        elif not by_method:
            run.client.decline(number)

    async def _ask_quietly(self, run: _Run, reply: asking.Reply) -> None:
        with contextlib.suppress(HermesTuiError):  # it has given up waiting for it already
            await run.client.ask(reply.method, **reply.content)

    def _run_errand(self, work: Errand) -> None:
        errand = asyncio.create_task(work)
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)
