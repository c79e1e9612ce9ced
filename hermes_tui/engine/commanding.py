"""The acts on a session, done by what runs it here (M39 ... M45)."""

from hermes_tui.core.acting import route_in
from hermes_tui.core.acts import (
    ArchiveSession,
    BringBack,
    ChangeSchedule,
    ForceRestore,
    NewSession,
    OnSession,
    RenameSession,
    ResetChain,
    RetryNow,
    SendPrompt,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.route import Link
from hermes_tui.core.text import PlainText
from hermes_tui.engine.interruptible import Interruption
from hermes_tui.engine.roster import Roster


async def commanded(roster: Roster, command: OnSession) -> PlainText:
    """Do `command`, and return what it did. Raises RefusedError, also where this process does not run the session."""
    match command:
        case NewSession():
            return await roster.make(command)
        case RenameSession(session=before, name=after):
            return await roster.rename(before, after)
        case ArchiveSession(session=name):
            return await roster.archive(name)
        case BringBack(session=name):
            return await roster.bring_back(name)
        case ChangeSchedule():
            return await roster.change_schedule(command)
        case _:
            return await _on_runner(roster, command)


async def _on_runner(
    roster: Roster,
    command: ForceRestore | ResetChain | UseFallback | SwitchModel | SendPrompt | StopTurn | RetryNow,
) -> PlainText:
    name = command.session
    runner = roster.runner(name)
    match command:
        case ForceRestore():
            return await runner.force_restore()
        case ResetChain():
            return await runner.reset_chain()
        case UseFallback():
            return await runner.use_fallback()
        case SwitchModel(provider=provider, model=model):
            route = route_in(roster.around.configuration, provider, model)
            if route is None:
                raise RefusedError(f"nobody said where {provider} is: give it a base_url")
            return await runner.switch_model(Link(route))
        case SendPrompt(text=text):
            waits = runner.busy
            runner.send(text)
            return PlainText(f"{name} takes it when its turn has ended" if waits else f"sent to {name}")
        case StopTurn():
            _cut_short(roster, name, Interruption.STOP)
            return PlainText(f"{name}'s turn is stopped")
        case RetryNow():
            _cut_short(roster, name, Interruption.RETRY_NOW)
            return PlainText(f"{name} tries again now")


def _cut_short(roster: Roster, name: str, why: Interruption) -> None:
    if not roster.runner(name).interrupt(why):
        raise RefusedError(f"{name}'s turn has just ended")
