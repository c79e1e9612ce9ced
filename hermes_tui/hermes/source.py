"""A Hermes home as a source: what its user can have done there, and by whom it is done."""

import asyncio

from hermes_tui.core.acts import (
    AnswerQuestion,
    ArchiveSession,
    Command,
    DropVerdict,
    ForceRestore,
    NewSession,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    SaveConfiguration,
    SendPrompt,
    StopTurn,
    SwitchModel,
    TakeChain,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ActPerformed, snake_case
from hermes_tui.core.preview import Preview, Refused
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes import handling
from hermes_tui.hermes.configuration import FILE_NAME
from hermes_tui.hermes.handling import Handled
from hermes_tui.hermes.hosted_previews import Act
from hermes_tui.hermes.memory import NAMES
from hermes_tui.hermes.previews import login_of, preview
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.watching import WatchedHome


class HermesHome(WatchedHome):
    """Implements `core.source.Source` for a home; what is written there is what its user saves or clears."""

    examiner = None

    def preview(self, command: Command) -> Preview:
        """Return what `command` will do now."""
        match command:
            case ProbeNow():
                return self._verdicts.preview(command, self._reading, self.snapshot(), self.now())
            case ForceRestore() | ResetChain() | TakeChain() | UseFallback():
                row = self.snapshot().facts.sessions.get(command.session)
                return handling.preview(command, row, self._reading, self.now(), self._way)
            case DropVerdict(credential):
                return handling.dropping(command, login_of(credential, self._reading), self._reading, self._way)
            case NewSession() | SendPrompt() | StopTurn() | AnswerQuestion() | ArchiveSession() | SwitchModel():
                told = self._hosted.preview(command, self._reading)
                return told or preview(command, self._reading, self.now())
            case _:
                return preview(command, self._reading, self.now())

    async def execute(self, command: Command) -> PlainText:
        """Do `command`, and return what it did in one sentence. Raises RefusedError with the reason where it can't."""
        if isinstance(command, SendPrompt):
            await self._look()  # somebody else may have opened it just now
        answer = self.preview(command)
        if isinstance(answer, Refused):
            raise RefusedError(answer.reason)
        match command:
            case ReloadConfiguration():
                await self._look()
                return PlainText("The home was read again.")
            case ResetCooldown(credential):
                return await self._clear(credential)
            case SaveConfiguration(text, digest):
                return await self._save(text, digest)
            case ForceRestore() | ResetChain() | TakeChain() | UseFallback():
                return await self._act(command)
            case DropVerdict(credential):
                return await self._drop(credential)
            case ProbeNow():
                return await self._verdicts.ask(command, self._reading, self.snapshot(), self.now)
            case NewSession() | SendPrompt() | StopTurn() | AnswerQuestion() | ArchiveSession():
                return await self._run_here(command)
            case _:
                raise RefusedError("Hermes has to do that itself")

    async def _save(self, text: str, digest: str) -> PlainText:
        await asyncio.to_thread(self.desk.save, text, digest)
        await self._look()
        path = self._reading.home.path / FILE_NAME
        said = one_line(f"{path} is saved; sessions take it at their next turn.")
        self._tell("edit_chain", str(path), said)
        return said

    async def _clear(self, credential: CredentialKey) -> PlainText:
        login = login_of(credential, self._reading)
        if login is None:
            raise RefusedError(f"auth.json has no {credential} any more")
        if self.hand is not None and self._memory.clears:
            said = await asyncio.to_thread(self.hand.clear, login.provider, login.id)
            await self._ask()
        else:
            await asyncio.to_thread(self._reader.clear, login.provider, login.id)
            said = PlainText(f"The cooldown of {credential} is cleared in auth.json.")
            self._tell("reset_cooldown", str(credential), said)
        await self._look()
        return said

    async def _drop(self, credential: CredentialKey) -> PlainText:
        login = login_of(credential, self._reading)
        if self.hand is None or login is None:
            raise RefusedError(f"auth.json has no {credential} any more")
        said = await asyncio.to_thread(self.hand.drop, login.fingerprint)
        await self._ask()
        return said

    async def _act(self, command: Handled) -> PlainText:
        """Let the process that has the session open do it, and look at once what came of it."""
        conversation = handling.conversation_of(command.session, self._reading)
        if self.hand is None or conversation is None:
            raise RefusedError(f"there is no {command.session} any more")
        said = await asyncio.to_thread(self.hand.act, NAMES[type(command)], conversation)
        await self._ask()
        return said

    async def _run_here(self, command: Act) -> PlainText:
        said = await self._hosted.execute(command, self._reading, self._looked)
        if not isinstance(command, SendPrompt):
            self._tell(snake_case(type(command).__name__), command.session, said, session=command.session)
        await self._look()
        return said

    async def _looked(self) -> Reading:
        await self._look()
        return self._reading

    def _tell(self, act: str, target: str, said: PlainText, *, session: str | None = None) -> None:
        """Tell of what this program did itself; what a running Hermes does its own log tells."""
        self._own.add(ActPerformed(time=self.now(), session=session, act=act, target=target, effect=said))
        self._touch()
