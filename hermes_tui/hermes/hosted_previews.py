"""What will be done to sessions that run here, or that could."""

import re
from pathlib import Path
from typing import Final

from hermes_tui.core.acts import AnswerQuestion, ArchiveSession, NewSession, SendPrompt, StopTurn, SwitchModel
from hermes_tui.core.naming import name_fault
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused, answering
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.handling import conversation_of
from hermes_tui.hermes.hosting import HostedSession
from hermes_tui.hermes.naming import LONGEST
from hermes_tui.hermes.reading import Reading

Act = NewSession | SendPrompt | StopTurn | AnswerQuestion | ArchiveSession
"""What can be done to sessions that run here."""

SURFACE: Final = "tui"
_OPENED_HERE: Final = frozenset({"cli", SURFACE})
"""Where a session may come from that is opened here: one of a messenger may go on there at any time."""

_COMMAND: Final = re.compile(r"(/[A-Za-z][\w-]*)(?:\s|$)")
"""How a command of Hermes begins: a path has another slash."""

ELSEWHERE: Final = PlainText("do it in Hermes, which runs it")


@dataclass(frozen=True, slots=True)
class Ground:
    """Where sessions run: the `folder` in which their tools work; none can be run where there is a reason `why_not`."""

    folder: Path = Path()
    why_not: PlainText | None = None


NOWHERE: Final = Ground(why_not=ELSEWHERE)


def previewed(
    command: Act | SwitchModel, one: HostedSession | None, reading: Reading, ground: Ground, loaded: int | None
) -> Preview | None:
    """Return what `command` will do to the session `one`, None where that does not run here, nor could.

    `loaded` is the process of the Hermes that runs here already, None where none does.
    """
    if isinstance(command, NewSession):
        return _making(command, reading, ground, is_loaded=loaded is not None)
    name = command.session
    if one is None:
        return _opening(command, reading, ground, loaded) if isinstance(command, SendPrompt) else None
    match command:
        case SendPrompt():
            return _prompting(command, one)
        case StopTurn():
            if not one.in_turn and not one.queued:
                return Refused(PlainText(f"{name} has no turn running"))
            behind = f" What waits ({one.queued}) is sent next." if one.queued else ""
            effect = PlainText(f"Hermes keeps what it has said so far.{behind}")
            return Confirm(PlainText(f"Stop {name}'s turn?"), effect)
        case AnswerQuestion(key=key):
            return answering(name, one.question, key)
        case SwitchModel():
            return Refused(PlainText("close it here and open it in Hermes: there /model chooses another"))
        case _:
            return _letting_go(name, one)


def _making(wanted: NewSession, reading: Reading, ground: Ground, *, is_loaded: bool) -> Preview:
    name = wanted.session
    if ground.why_not is not None:
        return Refused(ground.why_not)
    if fault := name_fault(name):
        return Refused(fault)
    if len(name) > LONGEST:
        return Refused(PlainText(f"the name has {len(name)} characters: take out {len(name) - LONGEST}"))
    if name in reading.names.values():
        return Refused(PlainText(f"there is a session {name} already"))
    if wanted.like is not None or wanted.every_seconds is not None:
        return Refused(PlainText("Hermes makes sessions like its config.yaml, and sends nothing by the clock"))
    file = reading.configuration
    if file is None or file.primary is None:
        return Refused(PlainText("config.yaml names no model yet: choose one with `hermes model`"))
    how = "with this prompt" if wanted.prompt.strip() else "and waits for your first prompt"
    chain = " › ".join(map(str, (file.primary, *(entry for entry in file.chain if not entry.ignored))))
    starting = "" if is_loaded else " Starting Hermes takes a few seconds."
    return Ready(one_line(f"{name} starts on {chain} {how}; its tools work in {ground.folder}.{starting}"))


def _opening(wanted: SendPrompt, reading: Reading, ground: Ground, loaded: int | None) -> Preview | None:
    """Return what sending to a session does that does not run here: it is opened, where nobody else has it."""
    id_ = conversation_of(wanted.session, reading)
    one = next((one for one in reading.conversations if one.id == id_), None)
    if ground.why_not is not None or one is None or one.surface not in _OPENED_HERE:
        return None
    holder = next((running.pid for running in reading.running if running.session == one.id), one.busy_by)
    live = reading.memory.session(one.id)
    holder = live.pid if live is not None else holder
    is_ours = holder is not None and holder == loaded  # which has not quite forgotten what was closed here
    if not is_ours and (holder is not None or one.busy_until is not None):
        whom = f"process {holder}" if holder is not None else "another process"
        return Refused(PlainText(f"{whom} has it open: write to it there"))
    if why := _unfit(wanted.text):
        return Refused(why)
    effect = f"Nobody has it open. A Hermes that runs here goes on with it; its tools work in {ground.folder}."
    return Confirm(one_line(f"Open {wanted.session} here?"), one_line(effect))


def _unfit(text: str) -> PlainText | None:
    """Return why a prompt is not sent: Hermes takes its own commands nowhere but in Hermes, and here for words."""
    if not text.strip():
        return PlainText("the prompt is empty")
    if found := _COMMAND.match(text):
        why = f"{found[1]} is a command, which Hermes takes on its own screen; with a blank before it, it is text"
        return one_line(why)
    return None


def _prompting(command: SendPrompt, one: HostedSession) -> Preview:
    if why := _unfit(command.text):
        return Refused(why)
    when = "takes it when this turn has ended" if one.in_turn or one.queued else "takes it now"
    return Ready(PlainText(f"{command.session} {when}."))


def _letting_go(name: str, one: HostedSession) -> Preview:
    unsent = f" What waits to be sent ({one.queued}) is lost." if one.queued else ""
    effect = PlainText(f"Hermes keeps its conversation; it can be opened again, here or there.{unsent}")
    question = f"Close {name} while its turn runs?" if one.in_turn else f"Close {name} here?"
    return Confirm(PlainText(question), effect)
