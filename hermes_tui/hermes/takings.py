"""What a saved `config.yaml` does to each session, and what it does not: said before it is saved.

A session reads the chain anew at the start of its turn. It does not while it is on its fallback and has a cooldown of
its own, which is in memory alone; and no chain brings it home. In 0.19 the messaging gateway alone reads it again.
"""

from collections.abc import Iterator

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.route import Link
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.taking import Taking, When, entries_behind
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.naming import names
from hermes_tui.hermes.reading import TERMINALS, Reading
from hermes_tui.hermes.rows import configuration_of, rows
from hermes_tui.hermes.values import Conversation

EDITORS = "acp"
"""Sessions of an editor, which Hermes gives no chain."""

NAMED = 5
"""So many sessions are named in a sentence; of the others their number is."""


def takings(reading: Reading, after: Configuration, now: float, *, other: bool) -> tuple[Taking, ...]:
    """Return who takes what and when, where `after` is what the file will say; `other` tells of changes beside it."""
    return tuple(_takings(reading, after, now, other=other))


def _takings(reading: Reading, after: Configuration, now: float, *, other: bool) -> Iterator[Taking]:
    before = configuration_of(reading)
    if before is None or before.primary != after.primary:
        yield Taking(None, one_line(f"sessions that begin ask for {after.primary.route}"), When.NOW)
    if other:
        yield Taking(None, PlainText("other settings change: Hermes takes them when it reads them next"), When.NOW)
    if before is not None and before.chain == after.chain:
        return
    for conversation, session in _listed(reading):
        yield _of_session(reading, conversation, session, after.chain, now)


def _listed(reading: Reading) -> Iterator[tuple[Conversation, Session]]:
    sessions, named = rows(reading).sessions, names(reading.conversations)
    pairs = ((conversation, sessions[named[conversation.id]]) for conversation in reading.conversations)
    return ((conversation, session) for conversation, session in pairs if not session.archived)


def _of_session(
    reading: Reading, conversation: Conversation, session: Session, chain: tuple[Link, ...], now: float
) -> Taking:
    before = tuple(map(str, (session.requested, *(link.route for link in session.chain))))
    after = tuple(map(str, (session.requested, *(link.route for link in chain))))
    if conversation.surface == EDITORS:
        return Taking(session.name, PlainText("has no chain: Hermes gives none to an editor's sessions"), When.NEVER)
    if not session.on_fallback:
        what = f"stays on its primary, {entries_behind(len(chain))}"
        return Taking(session.name, PlainText(what), _when(reading, conversation, session, now), before, after)
    leaves = str(session.active) not in after[1:]
    gone = ", which has left it" if leaves else ""
    what = f"takes the chain, and stays on {session.active}{gone} (no chain brings it home)"
    when = _when(reading, conversation, session, now)
    return Taking(session.name, one_line(what), when, before, after, loses=leaves)


def _when(reading: Reading, conversation: Conversation, session: Session, now: float) -> When:
    if keeps_its_chain(session, now):
        return When.COOLED_DOWN
    if _never_looks_again(reading, conversation):
        return When.STARTED_AGAIN
    return When.NEXT_RUN if session.phase is Phase.IDLE else When.TURN_ENDED


def keeps_its_chain(session: Session, now: float) -> bool:
    """Tell whether a session is on its fallback with a cooldown of its own, so that it takes no chain for now."""
    return session.on_fallback and session.cooldown is not None and session.cooldown.until > now


def _never_looks_again(reading: Reading, conversation: Conversation) -> bool:
    old = reading.release is not None and reading.release.reopens_early is False
    return old and conversation.surface in TERMINALS


def not_achieved(reading: Reading, now: float) -> PlainText:
    """Say what a changed chain does not do to the sessions that there are."""
    said = ["Sessions take another chain at their next turn, and none comes home by it."]
    kept = [session.name for _, session in _listed(reading) if keeps_its_chain(session, now)]
    if kept:
        more = f" and {len(kept) - NAMED} more" if len(kept) > NAMED else ""
        names = f"{', '.join(kept[:NAMED])}{more}"
        said.append(f"{names}: on a fallback, keeping the chain of before until its own cooldown ends.")
    if reading.release is not None and reading.release.reopens_early is False:
        said.append("This release reads it anew in the messaging gateway only: others have to be started again.")
    return one_line(" ".join(said), 1_000)
