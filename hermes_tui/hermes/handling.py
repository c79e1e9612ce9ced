"""What an act does to a session that Hermes has open, said before it is done; or why nothing here can do it."""

from typing import Final

from hermes_tui.core.acts import DropVerdict, ForceRestore, ResetChain, TakeChain, UseFallback
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.asked import how_to_return, instead_of
from hermes_tui.hermes.in_memory import has_chain_of
from hermes_tui.hermes.memory import FORCE_RESTORE, NAMES, OpenSession
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import logins_of
from hermes_tui.hermes.values import HomeConfiguration, Login

Handled = ForceRestore | ResetChain | TakeChain | UseFallback

_IN_MEMORY: Final = "only its own Hermes process can: its place in the chain is in that memory alone"
_VERDICT: Final = "only its own Hermes process can: it keeps the verdict in its memory"
_CHOOSE: Final = "choose it in Hermes, with /model"
_CLOSED: Final = PlainText("nobody has it open: nothing of it is in any memory; open it first")
_NOT_OPEN: Final = "no Hermes that answers has it open: open it there, or start its Hermes again if it is older"


def conversation_of(session: str, reading: Reading) -> str | None:
    """Return the id of the session with that name."""
    return next((id_ for id_, name in reading.names.items() if name == session), None)


def preview(
    command: Handled, session: Session | None, reading: Reading, now: float, way: PlainText | None = None
) -> Preview:
    """Return what `command` will do; `way` is how the user gets a hand there, where there is a way."""
    id_ = conversation_of(command.session, reading)
    conversation = next((one for one in reading.conversations if one.id == id_), None)
    live = reading.memory.session(id_ or "")
    if session is not None and conversation is not None and isinstance(command, ForceRestore):
        other = instead_of(session.requested, conversation, reading)
        how = how_to_return(session.requested, conversation)
        if other is not None:
            return Refused(one_line(f"Hermes has {other} for its primary, and would go there. {how}"))
    if session is None or live is None:
        if conversation is not None and reading.is_closed(conversation):
            return Refused(_CLOSED)
        if reading.memory.processes:
            return Refused(PlainText(_NOT_OPEN))
        why = _CHOOSE if isinstance(command, UseFallback) else _IN_MEMORY
        return _out_of_reach(why, way)
    if (refusal := live.why_not(NAMES[type(command)])) is not None:
        return Refused(refusal)
    if NAMES[type(command)] in live.waiting:
        return Refused(PlainText(f"asked for already: that is done {_when(live)}"))
    match command:
        case ForceRestore():
            return _force_restore(session, live, reading, now)
        case ResetChain():
            chain = "the chain of config.yaml, from its first entry, and skips none; cooldowns stay"
            return Ready(PlainText(f"{session.name} takes {chain}: {_when(live)}."))
        case TakeChain():
            return _take_chain(session, live, reading.configuration)
        case _:
            return _use_fallback(session, live)


def dropping(command: DropVerdict, login: Login | None, reading: Reading, way: PlainText | None = None) -> Preview:
    """Return what it does to forget Hermes' verdict of a login."""
    if not reading.memory.processes:
        return _out_of_reach(_VERDICT, way)
    if login is None or all(belief.fingerprint != login.fingerprint for belief in reading.memory.beliefs):
        return Refused(PlainText(f"no Hermes that answers keeps a verdict of {command.credential}"))
    if not reading.memory.drops:
        return Refused(PlainText("no Hermes that answers lets itself be told to forget it"))
    return Ready(PlainText(f"Hermes asks about {command.credential} anew when it next looks whether quota is back."))


def _out_of_reach(why: str, way: PlainText | None) -> Refused:
    return Refused(PlainText(f"{why}; {way}" if way is not None else why))


def _take_chain(session: Session, live: OpenSession, file: HomeConfiguration | None) -> Preview:
    if file is not None and has_chain_of(live, file):
        return Refused(PlainText(f"{session.name} has the chain of config.yaml"))
    stays = "; a route that is still in it stays" if session.on_fallback else ""
    return Ready(PlainText(f"{session.name} takes the chain of config.yaml {_when(live)}{stays}."))


def _force_restore(session: Session, live: OpenSession, reading: Reading, now: float) -> Preview:
    if not session.on_fallback:
        return Refused(PlainText(f"{session.name} is on its primary"))
    if session.requested_fault:
        return Refused(PlainText(session.requested_fault))
    effect = f"{session.name} asks {session.requested} {_when(live)}, whatever cooldown and probe say"
    logins = tuple(logins_of(reading, session.requested.provider))
    benched = [one for one in logins if one.benched_until is not None and one.benched_until > now]
    waits = session.cooldown is not None and session.cooldown.until > now
    if not waits and (not benched or len(benched) < len(logins)):
        return Ready(PlainText(f"{effect}."))
    written = [one for one in benched if not one.in_log_alone]
    ends = "; the cooldowns of its logins in auth.json end at once" if written else ""
    calls = "a call" if len(logins) <= 1 else f"up to {len(logins)} calls, one for each login"
    return Confirm(
        PlainText(f"Put {session.name} back on {session.requested} before its reset?"),
        PlainText(f"{effect}{ends}. The date lies ahead: it may refuse once more, which costs {calls}."),
    )


def _use_fallback(session: Session, live: OpenSession) -> Preview:
    passed = live.index if session.on_fallback else 0
    if all(place == session.position for place in range(passed + 1, len(live.chain) + 1)):  # which Hermes passes over
        return Refused(PlainText("this is the last entry" if live.chain else "there is no chain"))
    effect = f"{session.name} goes to the next route that can serve, {_when(live)}, and stays until you restore."
    if session.on_fallback:
        return Ready(PlainText(effect))
    return Confirm(PlainText(f"Leave {session.active}, which is fine?"), PlainText(effect))


def _when(live: OpenSession) -> str:
    return "when this turn has ended, at the next one" if live.in_turn else "at its next turn"


def pending(live: OpenSession | None) -> tuple[PlainText, ...]:
    """Return what the session's next turn begins with, in words."""
    waiting = live.waiting if live is not None else ()
    return tuple(PlainText(f"{act.replace('_', ' ')} at the next turn") for act in waiting)


def is_forced(live: OpenSession | None) -> bool:
    """Tell whether the session's next turn asks the primary, as the user wishes."""
    return live is not None and FORCE_RESTORE in live.waiting
