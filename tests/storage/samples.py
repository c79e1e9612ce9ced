"""Records to commit."""

from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import TurnStarted
from hermes_tui.core.facts import Facts
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.session import Message, Role, Session
from hermes_tui.core.text import PlainText

ROUTE = Route("openai", "gpt", "http://127.0.0.1/v1", ApiMode.CHAT_COMPLETIONS, "openai")


def started(session: str, turn: int, time: float = 0.0) -> Record:
    """Return the record of a session's turn."""
    event = TurnStarted(time=time, session=session, turn=turn, prompt=PlainText("go"))
    return Record(event, (Session(session, ROUTE, turns=turn),))


def said(session: str, number: int, text: str) -> Record:
    """Return the record of a message."""
    event = TurnStarted(time=0.0, session=session, turn=number, prompt=PlainText(text))
    return Record(event, (Message(session, number, Role.USER, PlainText(text), 0.0),))


def next_turn(facts: Facts, session: str) -> Decision[int]:
    """Decide that `session` begins its next turn; the value is the turn's number."""
    known = facts.sessions.get(session)
    turn = known.turns + 1 if known else 1
    return Decision(turn, (started(session, turn),))
