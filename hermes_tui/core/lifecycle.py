"""A session's life: created, given its chain, started on a turn, interrupted, scheduled; and a clock that steps."""

from collections import defaultdict
from dataclasses import replace
from typing import Final

from hermes_tui.core.believing import TOKENS_REMEMBERED, abandoned
from hermes_tui.core.configuration import Configuration, SessionPlan
from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey
from hermes_tui.core.decision import Decision, Record, Row, TokenForgotten, nothing
from hermes_tui.core.event import (
    ChainTaken,
    ClockStepped,
    ConfigurationLoaded,
    CredentialReplaced,
    RetryScheduled,
    ScheduleChanged,
    SessionCreated,
    SessionInterrupted,
    SessionScheduled,
    TurnStarted,
    WaitEnded,
)
from hermes_tui.core.facts import Facts
from hermes_tui.core.outcome import homecoming
from hermes_tui.core.plans import plan_of
from hermes_tui.core.pool import row_of
from hermes_tui.core.route import Link
from hermes_tui.core.session import NO_MESSAGE, Departure, Message, Phase, Role, Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import Trial

PROGRAM_ENDED: Final = PlainText("the program that ran it ended")
"""Why a turn that nobody ended brings no reply."""


def load_configuration(facts: Facts, configuration: Configuration) -> Decision[None]:
    """Put a configuration in force: a credential whose token is another starts afresh (M9).

    What is known of its old tokens stays: requests that were sent with them, and processes that still hold them.
    Whoever waits for a pool that has got a new token waits no more (C64).
    """
    now = configuration.loaded_at
    known: defaultdict[CredentialKey, list[Credential]] = defaultdict(list)
    for row in facts.credentials.values():
        known[row.key].append(row)
    rows = [
        (pool, row_of(facts, pool, member))
        for pool in configuration.pools
        for member in pool.members
        if not member.fault and not member.on_demand
    ]
    replaced = [
        Record(
            CredentialReplaced(time=now, provider=pool.provider, credential=row.key.label),
            (row, *_beyond_bound(known[row.key])),
        )
        for pool, row in rows
        if known[row.key] and row not in known[row.key]
    ]
    loaded = ConfigurationLoaded(time=now, origin=configuration.origin, warnings=configuration.warnings)
    refreshed = dict.fromkeys(pool.name for pool, row in rows if row.token not in facts.credentials)
    home = [back for name in refreshed for back in homecoming(facts, name, None, now, besides=None, spread=False)]
    return Decision(None, (Record(loaded, (configuration, *home)), *replaced))


def _beyond_bound(old: list[Credential]) -> tuple[TokenForgotten, ...]:
    """Return the old tokens to forget, the longest unused, so that rotating them cannot grow the state."""
    newest_first = sorted(old, key=lambda row: row.last_used_at or 0.0, reverse=True)
    return tuple(TokenForgotten(row.token) for row in newest_first[TOKENS_REMEMBERED - 1 :])


def create(facts: Facts, configuration: Configuration, plan: SessionPlan, now: float) -> Decision[Session]:
    """Return the session of `plan`: the one that is there, else a new one on its primary (C60: always possible)."""
    known = facts.sessions.get(plan.name)
    if known is not None:
        return nothing(known)
    primary, chain = configuration.routes_of(plan)
    session = Session(plan.name, primary.route, chain, requested_fault=primary.fault)
    event = SessionCreated(time=now, session=plan.name, provider=primary.route.provider, model=primary.route.model)
    return Decision(session, (Record(event, (session,)),))


def take_chain(session: Session, configuration: Configuration, now: float) -> Decision[Session]:
    """Give the session the configuration's primary and chain, at the start of a turn (M44).

    Where its active route is still in the chain it stays on it; else it goes on from its primary. A model that the
    user chose stays the primary, and a switch that waited is made first (M43).
    """
    primary, chain = configuration.routes_of(plan_of(configuration, session))
    before = session
    if session.switch_to is not None:
        session = switched(session, session.switch_to)
    requested, fault = primary.route, primary.fault
    if session.switched:
        requested, fault = session.requested, session.requested_fault
        chain = tuple(link for link in chain if str(link.route) not in session.left_out)
    after = replace(session, requested=requested, chain=chain, requested_fault=fault)
    if requested.key != session.requested.key:
        after = replace(after, cooldown=None, departure=None, limit_hits=0, failing_hits=0, home_at=None)
    after = _on_same_route(after, session)
    if after.on_fallback and after.departure is None:
        after = replace(after, departure=Departure(now, None, None, None, NO_MESSAGE))
    if after == before:
        return nothing(before)
    names = tuple(str(link.route) for link in chain)
    event = ChainTaken(
        time=now, session=session.name, chain=names, primary=str(after.requested), position=after.position
    )
    return Decision(after, (Record(event, (after,)),))


def _on_same_route(after: Session, before: Session) -> Session:
    if not before.on_fallback or after.chain == before.chain:
        return after
    active = before.active.key
    position = next((number for number, link in enumerate(after.chain, 1) if link.route.key == active), 0)
    return replace(after, position=position, index=position, pinned=before.pinned and position > 0)


def switched(session: Session, link: Link) -> Session:
    """Return the session with another requested primary, its fallback state reset (M43); its throttle goes on (M26)."""
    return Session(
        session.name,
        link.route,
        requested_fault=link.fault,
        checked_at=session.checked_at,
        left_out=(str(session.requested), str(link.route)),
        turns=session.turns,
        messages=session.messages,
        next_run_at=session.next_run_at,
        created_by_user=session.created_by_user,
        arrangement=session.arrangement,
        made_at=session.made_at,
    )


def start_turn(session: Session, prompt: PlainText, now: float) -> Decision[Message]:
    """Begin a turn with the user's message on record; an index that a failed walk left behind is set back (M24)."""
    after = replace(
        session,
        phase=Phase.RUNNING,
        turn_started_at=now,
        turns=session.turns + 1,
        messages=session.messages + 1,
        index=session.index if session.on_fallback else 0,
    )
    message = Message(session.name, session.messages, Role.USER, prompt, now)
    event = TurnStarted(time=now, session=session.name, turn=after.turns, prompt=prompt)
    return Decision(message, (Record(event, (after, message)),))


def wait(session: Session, until: float, attempt: int, now: float) -> Decision[None]:
    """Record that attempt number `attempt` of the active route goes out at `until` (M2)."""
    event = RetryScheduled(
        time=now,
        session=session.name,
        provider=session.active.provider,
        model=session.active.model,
        until=until,
        attempt=attempt,
    )
    return Decision(None, (Record(event, (replace(session, phase=Phase.WAITING),)),))


def end_wait(session: Session, now: float, *, by_user: bool) -> Decision[None]:
    """Record that the wait before a retry is over."""
    event = WaitEnded(time=now, session=session.name, by_user=by_user)
    return Decision(None, (Record(event, (replace(session, phase=Phase.RUNNING),)),))


def interrupt(facts: Facts, session: Session, why: PlainText, now: float) -> Decision[Session]:
    """End a turn that will bring no reply: stopped, or left by a process that died."""
    if session.phase is Phase.IDLE:
        return nothing(session)
    after = replace(session, phase=Phase.IDLE, turn_started_at=None)
    rows = abandoned(facts, session.name)
    return Decision(after, (Record(SessionInterrupted(time=now, session=session.name, why=why), (after, *rows)),))


def schedule(session: Session, plan: SessionPlan, now: float) -> Decision[Session]:
    """Set when a session with `every` runs next; runs missed while nothing ran are made up for once.

    None is farther away than `every`: it may be shorter than before, or the clock was set back while nothing ran.
    """
    due = session.next_run_at
    if plan.every_seconds is None:
        return nothing(session) if due is None else _unscheduled(session, now)
    if due is not None and now < due <= now + plan.every_seconds:
        return nothing(session)
    after = replace(session, next_run_at=now + plan.every_seconds)
    event = SessionScheduled(time=now, session=session.name, at=now + plan.every_seconds)
    return Decision(after, (Record(event, (after,)),))


def _unscheduled(session: Session, now: float) -> Decision[Session]:
    after = replace(session, next_run_at=None)
    event = ScheduleChanged(time=now, session=session.name, every_seconds=None, at=None)
    return Decision(after, (Record(event, (after,)),))


@dataclass(frozen=True, slots=True)
class _Shift:
    """Moves the ends of durations by a step of the wall clock, so that what is left of each stays the same."""

    step: float

    def at(self, moment: float | None) -> float | None:
        return None if moment is None else moment + self.step

    def cooldown(self, cooldown: Cooldown | None) -> Cooldown | None:
        if cooldown is None:
            return None
        until = cooldown.until if cooldown.source is Said.PROVIDER else cooldown.until + self.step
        return replace(cooldown, since=cooldown.since + self.step, last_at=cooldown.last_at + self.step, until=until)

    def credential(self, row: Credential) -> Credential:
        by_model = tuple((model, self.cooldown(bench) or bench) for model, bench in row.model_cooldowns)
        return replace(
            row,
            cooldown=self.cooldown(row.cooldown),
            model_cooldowns=by_model,
            last_used_at=self.at(row.last_used_at),
            last_served_at=self.at(row.last_served_at),
            cleared_at=self.at(row.cleared_at),
        )

    def session(self, session: Session) -> Session:
        cooldown = session.cooldown
        if cooldown is not None and cooldown.source is Said.ASSUMED:
            cooldown = replace(cooldown, until=cooldown.until + self.step)
        return replace(
            session,
            cooldown=cooldown,
            checked_at=self.at(session.checked_at),
            home_at=self.at(session.home_at),
            forced_at=self.at(session.forced_at),
            next_run_at=self.at(session.next_run_at),
            turn_started_at=self.at(session.turn_started_at),
            holds=tuple(replace(hold, until=hold.until + self.step) for hold in session.holds),
        )

    def trial(self, trial: Trial) -> Trial:
        return replace(
            trial,
            started_at=trial.started_at + self.step,
            expires_at=trial.expires_at + self.step,
            next_at=trial.next_at + self.step,
        )


def step_clock(facts: Facts, step: float, now: float) -> Decision[None]:
    """Carry every duration over a wall clock that was set by `step` seconds; the provider's dates stand (M23)."""
    shift = _Shift(step)
    rows: list[Row] = [shift.session(session) for session in facts.sessions.values()]
    rows += [shift.credential(row) for row in facts.credentials.values()]
    rows += [
        replace(row, asked_at=row.asked_at + step, expires_at=row.expires_at + step) for row in facts.verdicts.values()
    ]
    rows += [
        replace(hold, until=hold.until + step, contradicted_at=hold.contradicted_at + step)
        for hold in facts.holds.values()
    ]
    rows += [shift.trial(trial) for trial in facts.trials.values()]
    return Decision(None, (Record(ClockStepped(time=now, step=step), tuple(rows)),))
