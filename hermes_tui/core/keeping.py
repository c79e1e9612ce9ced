"""Keeping sessions: made, called otherwise, put aside, brought back, run by the clock. Nothing is ever deleted.

Each act has a refusal (why it cannot be done now) and a decision, which asks for the refusal again where it is made.
"""

from dataclasses import replace
from typing import Final

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.credential import Credential
from hermes_tui.core.decision import Decision, NameGivenUp, Record, Row
from hermes_tui.core.durations import can_be_written, spelled
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ScheduleChanged, SessionArchived, SessionBroughtBack, SessionCreated, SessionRenamed
from hermes_tui.core.facts import Facts
from hermes_tui.core.naming import name_fault
from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.plans import in_file, listed, plan_of
from hermes_tui.core.session import NOTHING_ARRANGED, Arrangement, Phase, Session
from hermes_tui.core.text import PlainText

NOTHING_TO_SAY: Final = PlainText("a session that runs by itself needs something to say: write a prompt")


def templates(facts: Facts) -> tuple[str, ...]:
    """Return the names that a new session can be like: entries of the file, and sessions."""
    written = [plan.name for plan in facts.configuration.sessions] if facts.configuration else []
    return tuple(dict.fromkeys((*written, *(row.name for row in listed(facts)))))


def arrangement_like(facts: Facts, name: str) -> Arrangement:
    """Return what a session like `name` takes over: its words and its schedule, and where its routes come from."""
    written = facts.configuration.plan(name) if facts.configuration else None
    if written is not None:
        return Arrangement(name, written.system_prompt, written.prompt, written.every_seconds)
    row = facts.sessions.get(name)
    return row.arranged if row is not None else NOTHING_ARRANGED


def making_refusal(
    facts: Facts, name: str, *, like: str | None, prompt: str, every_seconds: float | None
) -> PlainText | None:
    """Return why the session cannot be made."""
    if facts.configuration is None:
        return PlainText("there is no configuration yet")
    if fault := name_fault(name) or _taken(facts, name):
        return fault
    if like is not None and like not in (known := templates(facts)):
        hint = did_you_mean(like, known) or f". There are: {', '.join(known) or 'none'}"
        return PlainText(f'there is no session "{like}" to be like{hint}')
    return _schedule_fault(every_seconds, prompt)


def _schedule_fault(every_seconds: float | None, prompt: str) -> PlainText | None:
    if every_seconds is None:
        return None
    if not can_be_written(every_seconds):
        return PlainText("a session cannot run by itself so often: write it as 15m, 2h or 1d")
    return None if prompt.strip() else NOTHING_TO_SAY


def made(
    facts: Facts, configuration: Configuration, name: str, *, like: str | None, prompt: str, every_seconds: float | None
) -> Session:
    """Return the session as it will be, like another one where `like` names it, on the configuration's routes."""
    own = arrangement_like(facts, like) if like is not None else NOTHING_ARRANGED
    own = replace(own, prompt=prompt if every_seconds is not None else None, every_seconds=every_seconds)
    model = facts.sessions.get(like) if like is not None else None
    session = Session(name, configuration.primary.route, created_by_user=True, arrangement=own)
    primary, chain = configuration.routes_of(plan_of(configuration, session))
    session = replace(session, requested=primary.route, chain=chain, requested_fault=primary.fault)
    orphaned = own.like is not None and configuration.plan(own.like) is None
    if model is not None and (model.switched or orphaned):
        return replace(
            session,
            requested=model.requested,
            requested_fault=model.requested_fault,
            chain=model.chain,
            left_out=model.left_out,
        )
    return session


def make(
    facts: Facts, name: str, *, like: str | None, prompt: str, every_seconds: float | None, now: float
) -> Decision[Session]:
    """Make a session that the user wants; one with a schedule is due at once. Raises RefusedError."""
    _unless(making_refusal(facts, name, like=like, prompt=prompt, every_seconds=every_seconds))
    if facts.configuration is None:
        raise RefusedError("there is no configuration yet")
    session = made(facts, facts.configuration, name, like=like, prompt=prompt, every_seconds=every_seconds)
    session = replace(session, made_at=now, next_run_at=now if every_seconds is not None else None)
    route = session.requested
    event = SessionCreated(time=now, session=name, provider=route.provider, model=route.model)
    return Decision(session, (Record(event, (session,)),))


def _taken(facts: Facts, name: str) -> PlainText | None:
    row = facts.sessions.get(name)
    if row is not None and row.archived:
        return PlainText(f"{name} is archived: bring it back ({_key(facts, 'archive')}), or choose another name")
    if in_file(facts, name) or (row is not None and row.created_by_user):
        return PlainText(f"there is a session {name} already: choose another name")
    if row is not None:
        return PlainText(f"{name} was in the file once, and its conversation is kept: choose another name")
    return None


def renaming_refusal(facts: Facts, before: str, after: str) -> PlainText | None:
    """Return why the session `before` cannot be called `after` now."""
    if refusal := absence(facts, before):
        return refusal
    session = facts.sessions[before]
    if in_file(facts, before) or not session.created_by_user:
        key = _key(facts, "edit_file")
        return PlainText(
            f"{before} has its name from the file: another name there ({key}) begins another session, and this one's "
            f"conversation stays with {before}"
        )
    if session.phase is not Phase.IDLE:
        return PlainText(
            f"{before}'s turn runs: rename it when that has ended, or stop it ({_key(facts, 'stop_turn')})"
        )
    if before == after:
        return PlainText(f"it is called {before} already: type another name")
    return name_fault(after) or _taken(facts, after)


def rename(facts: Facts, before: str, after: str, now: float) -> Decision[PlainText]:
    """Give a session another name, wherever it is named. Raises RefusedError."""
    _unless(renaming_refusal(facts, before, after))
    rows: tuple[Row, ...] = (
        NameGivenUp(before, after),
        replace(facts.sessions[before], name=after),
        *(replace(trial, session=after) for trial in facts.trials.values() if trial.session == before),
        *(
            row
            for credential in facts.credentials.values()
            if (row := _naming(credential, before, after)) is not credential
        ),
    )
    event = SessionRenamed(time=now, session=after, before=before)
    return Decision(PlainText(f"{before} is called {after} now"), (Record(event, rows),))


def _naming(row: Credential, before: str, after: str) -> Credential:
    """Return a credential whose stops name the session by its new name; itself where none does."""

    def called(cooldown: Cooldown) -> Cooldown:
        return replace(cooldown, session=after) if cooldown.session == before else cooldown

    stops = (*([row.cooldown] if row.cooldown else []), *(bench for _, bench in row.model_cooldowns))
    dead = row.death is not None and row.death.session == before
    if not dead and all(stop.session != before for stop in stops):
        return row
    return replace(
        row,
        cooldown=called(row.cooldown) if row.cooldown else None,
        model_cooldowns=tuple((model, called(bench)) for model, bench in row.model_cooldowns),
        death=replace(row.death, session=after) if dead and row.death else row.death,
    )


def archive(facts: Facts, name: str, now: float) -> Decision[PlainText]:
    """Put a session whose turn has ended aside. Raises RefusedError."""
    _unless(absence(facts, name))
    session = facts.sessions[name]
    if session.phase is not Phase.IDLE:
        raise RefusedError(f"{name}'s turn runs")
    event = SessionArchived(time=now, session=name)
    told = f"{name} is archived: it runs nothing, and nothing of it is gone"
    return Decision(PlainText(told), (Record(event, (replace(session, archived_at=now),)),))


def bringing_back_refusal(facts: Facts, name: str) -> PlainText | None:
    """Return why the session cannot be brought back."""
    session = facts.sessions.get(name)
    if session is None:
        return PlainText(f"there is no session {name}")
    if not session.archived:
        return PlainText(f"{name} is not archived")
    if not session.created_by_user and not in_file(facts, name):
        return PlainText(f"{name} has left the file: put its [[sessions]] entry there again first")
    return None


def bring_back(facts: Facts, name: str, now: float) -> Decision[PlainText]:
    """Let an archived session be there again. Raises RefusedError."""
    _unless(bringing_back_refusal(facts, name))
    event = SessionBroughtBack(time=now, session=name)
    after = replace(facts.sessions[name], archived_at=None)
    return Decision(PlainText(f"{name} is there again"), (Record(event, (after,)),))


def scheduling_refusal(facts: Facts, name: str, every_seconds: float | None, prompt: str) -> PlainText | None:
    """Return why the session cannot run by itself like that."""
    if refusal := absence(facts, name):
        return refusal
    session = facts.sessions[name]
    if in_file(facts, name) or not session.created_by_user:
        key = _key(facts, "edit_file")
        return PlainText(f"{name} has its schedule from the file: change every and prompt there ({key})")
    if fault := _schedule_fault(every_seconds, prompt):
        return fault
    if every_seconds is None and session.arranged.every_seconds is None:
        return PlainText(f"{name} does not run by itself: write how often it should, as in 2h")
    return None


def change_schedule(
    facts: Facts, name: str, every_seconds: float | None, prompt: str, now: float
) -> Decision[PlainText]:
    """Let a session run by itself from now on, otherwise than before, or no more (None). Raises RefusedError."""
    _unless(scheduling_refusal(facts, name, every_seconds, prompt))
    session = facts.sessions[name]
    own = replace(session.arranged, every_seconds=every_seconds, prompt=prompt if every_seconds is not None else None)
    at = None if every_seconds is None else now + every_seconds
    event = ScheduleChanged(time=now, session=name, every_seconds=every_seconds, at=at)
    rows = (replace(session, arrangement=own, next_run_at=at),)
    return Decision(PlainText(f"{name} {schedule_words(every_seconds)}"), (Record(event, rows),))


def schedule_words(every_seconds: float | None) -> str:
    """Return what a session with such a schedule does, after its name."""
    return "runs by itself no more" if every_seconds is None else f"runs by itself every {spelled(every_seconds)}"


def absence(facts: Facts, name: str) -> PlainText | None:
    """Return why there is no session of that name to act on, None where there is one."""
    session = facts.sessions.get(name)
    if session is None:
        return PlainText(f"there is no session {name}")
    if session.archived:
        return PlainText(f"{name} is archived: bring it back first ({_key(facts, 'archive')})")
    return None


def _key(facts: Facts, action: str) -> str:
    return facts.keymap.word(action)


def _unless(refusal: PlainText | None) -> None:
    if refusal is not None:
        raise RefusedError(refusal)
