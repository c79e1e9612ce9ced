"""The way back to the primary: its gates, and the decision that they are (M24 ... M33, M47)."""

from dataclasses import replace
from enum import StrEnum

from hermes_tui.core.believing import Disbelief, believed, cached, trial_in_the_way
from hermes_tui.core.configuration import Policy, Pool, RestoreMode, Settings
from hermes_tui.core.cooldown import Said
from hermes_tui.core.decision import Decision, Record, nothing
from hermes_tui.core.event import GateState, PrimaryRestored, RestoreChecked, RestoreCheckStarted, RestoreRefused
from hermes_tui.core.facts import Facts, shared
from hermes_tui.core.pool import (
    NobodyCanSay,
    Outlook,
    ReturnsAt,
    UsableNow,
    may_reopen,
    next_available_at,
)
from hermes_tui.core.session import Session, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class GateName(StrEnum):
    """The conditions on the way back, in the order in which they are tested."""

    NOT_PINNED = "not_pinned"
    HOMECOMING = "homecoming"
    SESSION_COOLDOWN = "session_cooldown"
    POOL = "pool"
    RESTORE_CHECK = "restore_check"
    VERDICT = "verdict"
    TRIAL = "trial"


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition: whether it lets pass now, and when it next changes (epoch seconds, None: not by itself).

    `approximate` marks a date that nobody said for certain.
    """

    name: GateName
    passed: bool
    changes_at: float | None
    text: PlainText
    approximate: bool = False

    def state(self) -> GateState:
        """Return the gate as an event carries it."""
        return GateState(name=self.name.value, passed=self.passed, changes_at=self.changes_at, text=self.text)


class Step(StrEnum):
    """What the gates allow at the start of the next turn."""

    NOTHING = "nothing"
    RESTORE = "restore"
    CHECK = "check"
    STAY = "stay"


@dataclass(frozen=True, slots=True)
class WayBack:
    """The decision and the gates that it was made from: they cannot disagree.

    `blocked_by` is the first gate that must change, None where the way is free or there is none to go.
    """

    step: Step
    gates: tuple[Gate, ...] = ()

    @property
    def blocked_by(self) -> Gate | None:
        """The first gate that blocks."""
        return next((gate for gate in self.gates if not gate.passed), None)

    @property
    def opens_at(self) -> float | None:
        """When the session may next come home by itself, None where nobody can say.

        The date opens it for certain; where a check can open it before, that moment is the earlier one.
        """
        if self.step is not Step.STAY:
            return None
        by_name = {gate.name: gate for gate in self.gates if not gate.passed}
        hard = [by_name[name] for name in (GateName.NOT_PINNED, GateName.HOMECOMING) if name in by_name]
        if hard:
            return hard[-1].changes_at
        dates = [by_name[name].changes_at for name in (GateName.SESSION_COOLDOWN, GateName.POOL) if name in by_name]
        by_date = None if None in dates else max((at for at in dates if at is not None), default=None)
        check = next((gate for gate in self.gates if gate.name is GateName.RESTORE_CHECK), None)
        if check is None:
            return by_date
        early = [
            gate.changes_at
            for gate in self.gates
            if gate.name in (GateName.RESTORE_CHECK, GateName.VERDICT, GateName.TRIAL) and not gate.passed
        ]
        by_check = max((at for at in early if at is not None), default=check.changes_at)
        return min((at for at in (by_date, by_check) if at is not None), default=None)


def way_back(facts: Facts, session: Session, now: float) -> WayBack:
    """Decide whether the next turn of `session` returns to its primary, must ask first, or stays (M24 ... M30)."""
    configuration = facts.configuration
    if not session.on_fallback or configuration is None:
        return WayBack(Step.NOTHING)
    settings, pool = configuration.settings, configuration.pool(session.requested.pool)
    if pool is None or session.requested_fault:
        fault = session.requested_fault or f"provider {session.requested.provider} is not configured"
        return WayBack(Step.STAY, (Gate(GateName.POOL, False, None, PlainText(fault)),))
    outlook = next_available_at(facts, pool, session.requested.model, now)
    gates = [_pin_gate(session, settings), *_homecoming_gate(session, now)]
    gates += [_cooldown_gate(session, now), _pool_gate(outlook)]
    hard_open = all(gate.passed for gate in gates[:-2])
    date_open = gates[-2].passed and gates[-1].passed
    early = () if date_open else _early_gates(facts, session, pool, outlook, settings, now)
    gates += early
    if session.forced_at is not None:
        return WayBack(Step.RESTORE, tuple(gates))
    if hard_open and date_open:
        return WayBack(Step.RESTORE, tuple(gates))
    if hard_open and early and early[0].passed:
        return WayBack(Step.CHECK, tuple(gates))
    return WayBack(Step.STAY, tuple(gates))


def _pin_gate(session: Session, settings: Settings) -> Gate:
    if session.pinned:
        return Gate(GateName.NOT_PINNED, False, None, PlainText("you chose this route; force restore returns"))
    if settings.restore is RestoreMode.STICKY:
        return Gate(GateName.NOT_PINNED, False, None, PlainText('restore = "sticky": it stays until you act'))
    return Gate(GateName.NOT_PINNED, True, None, PlainText("nothing pins it here"))


def _homecoming_gate(session: Session, now: float) -> tuple[Gate, ...]:
    if session.home_at is None or session.home_at <= now:
        return ()
    text = PlainText("the primary answers again; sessions return one after another")
    return (Gate(GateName.HOMECOMING, False, session.home_at, text),)


def _cooldown_gate(session: Session, now: float) -> Gate:
    cooldown = session.cooldown
    if cooldown is None or cooldown.until <= now:
        return Gate(GateName.SESSION_COOLDOWN, True, None, PlainText("this session's own cooldown is over"))
    what = "a limit" if cooldown.kind is WaitKind.LIMIT else "a failing primary"
    text = PlainText(f"this session waits out {what} ({_whose(cooldown.source)})")
    return Gate(GateName.SESSION_COOLDOWN, False, cooldown.until, text, cooldown.approximate)


def _whose(said: Said) -> str:
    return "the provider's date" if said is Said.PROVIDER else "a date assumed here"


def _pool_gate(outlook: Outlook) -> Gate:
    match outlook:
        case UsableNow():
            return Gate(GateName.POOL, True, None, PlainText("a credential is usable"))
        case ReturnsAt(until=until, cooldown=cooldown):
            text = PlainText(f"every credential cools down: {cooldown.reason.words} ({_whose(cooldown.source)})")
            return Gate(GateName.POOL, False, until, text, cooldown.approximate)
        case NobodyCanSay(reason=reason):
            return Gate(GateName.POOL, False, None, reason)


def _early_gates(
    facts: Facts, session: Session, pool: Pool, outlook: Outlook, settings: Settings, now: float
) -> tuple[Gate, ...]:
    """The three conditions of returning before the date; none where that cannot be (M26, M29).

    A date of the pool that another session moved beyond this one's own cooldown may be checked as well.
    """
    own = session.cooldown
    own_ahead = own is not None and own.until > now
    failing = own_ahead and own is not None and own.kind is WaitKind.FAILING
    by_limit = isinstance(outlook, ReturnsAt) and outlook.cooldown.reason.is_limit
    freed = own_ahead and isinstance(outlook, UsableNow)
    if not pool.reopens_early or settings.policy is Policy.NEVER or failing or not (by_limit or freed):
        return ()
    return (
        _check_gate(session, settings, now),
        _verdict_gate(facts, pool, session.requested.model, now),
        _trial_gate(facts, session, pool, settings, now),
    )


def _check_gate(session: Session, settings: Settings, now: float) -> Gate:
    due = (session.checked_at or 0.0) + settings.probe_interval_seconds
    if settings.policy is not Policy.EVERY_TURN and session.checked_at is not None and due > now:
        return Gate(GateName.RESTORE_CHECK, False, due, PlainText("asked lately; the next check is due then"))
    return Gate(GateName.RESTORE_CHECK, True, None, PlainText("the next turn asks whether it reopened early"))


@shared
def _verdict_gate(facts: Facts, pool: Pool, model: str, now: float) -> Gate:
    settings = facts.settings
    doubts: list[Disbelief] = []
    for candidate in may_reopen(facts, pool, model, now):
        verdict = cached(facts, candidate)
        if verdict is None:
            continue
        doubt = believed(facts, candidate, verdict, settings, now)
        if doubt is None and verdict.fresh(now):
            return Gate(GateName.VERDICT, True, verdict.expires_at, PlainText("the probe says quota"))
        doubts.append(doubt or Disbelief(PlainText("the last verdict has expired; the next check asks again"), None))
    if not doubts:
        return Gate(GateName.VERDICT, False, None, PlainText("nobody has asked the usage endpoint yet"))
    nearest = min(doubts, key=lambda doubt: doubt.until if doubt.until is not None else 0.0)
    ahead = nearest.until if nearest.until is not None and nearest.until > now else None
    return Gate(GateName.VERDICT, False, ahead, nearest.reason)


def _trial_gate(facts: Facts, session: Session, pool: Pool, settings: Settings, now: float) -> Gate:
    in_the_way: list[Disbelief] = []
    for candidate in may_reopen(facts, pool, session.requested.model, now):
        doubt = trial_in_the_way(facts, candidate, session.name, settings, now)
        if doubt is None:
            return Gate(GateName.TRIAL, True, None, PlainText("this session may go first"))
        in_the_way.append(doubt)
    first = min(in_the_way, key=lambda doubt: doubt.until or 0.0, default=None)
    if first is None:
        return Gate(GateName.TRIAL, True, None, PlainText("this session may go first"))
    return Gate(GateName.TRIAL, False, first.until, first.reason)


def start_check(session: Session, now: float) -> Decision[None]:
    """Throttle the session's restore check from now on (M26: before the pool is asked)."""
    after = replace(session, checked_at=now)
    return Decision(None, (Record(RestoreCheckStarted(time=now, session=session.name), (after,)),))


def checked(session: Session, way: WayBack, *, lifted: bool, now: float) -> Decision[None]:
    """Record a restore check, with the gates as they stand after it."""
    gates = tuple(gate.state() for gate in way.gates)
    return Decision(None, (Record(RestoreChecked(time=now, session=session.name, gates=gates, lifted=lifted)),))


def refuse(session: Session, way: WayBack, now: float) -> Decision[None]:
    """Record why the session stays, once per episode (M30)."""
    gate = way.blocked_by
    if session.wait_recorded or gate is None:
        return nothing(None)
    event = RestoreRefused(time=now, session=session.name, reason=gate.text, until=gate.changes_at)
    return Decision(None, (Record(event, (replace(session, wait_recorded=True),)),))


def restore_if_open(facts: Facts, session: Session, now: float) -> Decision[bool]:
    """Put the primary back where the gates still let pass; tell whether it was."""
    if way_back(facts, session, now).step is not Step.RESTORE:
        return nothing(False)
    return restore(session, now)


def restore_lifted(session: Session, now: float) -> Decision[bool]:
    """Put the primary back after a lift, unless the user has pinned the session meanwhile."""
    return restore(session, now) if session.on_fallback and not session.pinned else nothing(False)


def restore(session: Session, now: float) -> Decision[bool]:
    """Put the primary back, whole, and say so once (M31); it is a claim until the first reply (M33)."""
    after = replace(
        session,
        position=0,
        index=0,
        cooldown=None,
        home_at=None,
        pinned=False,
        exhaustion=None,
        wait_recorded=False,
        unverified_since=now,
        departure=None,
    )
    event = PrimaryRestored(
        time=now,
        session=session.name,
        provider=session.requested.provider,
        model=session.requested.model,
        forced=session.forced_at is not None,
        notice=PlainText(f"{session.requested} is back; its first reply will tell."),
    )
    return Decision(True, (Record(event, (after,)),))
