"""Why a session of a home is where it is, by the rules of the Hermes that runs it and by what its files can tell.

Two sources: what stands on disk (auth.json, config.yaml, the routes in state.db) is known; what lives in memory alone
(the position in the chain, the session's cooldown, when it last asked the usage endpoint) is inferred, and each such
fact says so, unless its process tells it. Nothing is made up: what no file tells is not told.
"""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.diagnosis import Code, Diagnosis, Fact, NextChange
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.judging import Judged
from hermes_tui.core.restoring import Gate, GateName, Step, WayBack
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.hermes import evidence
from hermes_tui.hermes.asked import how_to_return
from hermes_tui.hermes.beliefs import verdict_of
from hermes_tui.hermes.case import DEAD, Case, why
from hermes_tui.hermes.contradiction import LIES_SECONDS
from hermes_tui.hermes.handling import is_forced
from hermes_tui.hermes.memory import FORCE_RESTORE, TOLD
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.sentences import sentences_of

_EARLY: Final = (GateName.RESTORE_CHECK, GateName.VERDICT)
_NO_COOLDOWN: Final = "no cooldown of the session is known (inferred: it lives in Hermes' memory)"


class HermesJudge:
    """Judges the sessions of one reading. Implements `Facts.judge`.

    Two are equal that judge a session alike whose row is the same: that has all that is told of it alone.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._rests_on = (reading.release, reading.configuration, reading.pool, reading.memory)
        self._conversations = {reading.names[one.id]: one for one in reading.conversations}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HermesJudge) and self._rests_on == other._rests_on

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, facts: Facts, session: Session, now: float) -> Judged:
        """Return the way back of `session` and its diagnosis at `now` (epoch seconds)."""
        case = Case(self._reading, facts, session, self._conversations.get(session.name), now)
        way = way_of(case)
        return way, diagnosis_of(case, way, *evidence.of_opening(case))


# The way back


def way_of(case: Case) -> WayBack:
    """Return the gates in the order in which Hermes tests them."""
    if not case.session.on_fallback:
        return WayBack(Step.NOTHING)
    hard = (*_held_gate(case), _own_gate(case), *_pool_gate(case))
    early = tuple(_check_gate(case)) if not case.session.pinned else ()
    if is_forced(case.live):
        return WayBack(Step.RESTORE, (*hard, *early))
    if all(gate.passed for gate in hard):
        return WayBack(Step.RESTORE, (*hard, *early))
    return WayBack(Step.CHECK if early and early[0].passed else Step.STAY, (*hard, *early))


def _held_gate(case: Case) -> Iterator[Gate]:
    if case.other_primary is not None:
        whose = f"says {TOLD}" if case.live is not None else "says state.db"
        text = f"Hermes has {case.other_primary} for the primary, {whose}"
        yield Gate(GateName.NOT_PINNED, False, None, PlainText(text))
    elif case.session.pinned:
        text = PlainText(f"you chose this route, says {TOLD}; force restore returns")
        yield Gate(GateName.NOT_PINNED, False, None, text)


def _own_gate(case: Case) -> Gate:
    own, told = case.session.cooldown, case.live is not None
    if own is None:
        text = f"the session has no cooldown, says {TOLD}" if told else _NO_COOLDOWN
        return Gate(GateName.SESSION_COOLDOWN, True, None, PlainText(text))
    passed = own.until <= case.now
    source = f"says {TOLD}" if told else "in Hermes' memory (inferred from agent.log)"
    text = f"the session's own cooldown, {source}"
    return Gate(GateName.SESSION_COOLDOWN, passed, None if passed else own.until, PlainText(text), approximate=not told)


def _pool_gate(case: Case) -> Iterator[Gate]:
    if case.has_gone:
        yield Gate(GateName.POOL, False, None, PlainText("every login of auth.json is dead"))
    elif not case.logins:
        yield Gate(GateName.POOL, True, None, PlainText("auth.json has no login of this provider"))
    elif case.free_by_file:
        yield Gate(GateName.POOL, True, None, PlainText("auth.json has a usable login"))
    elif not case.tries_anyway:
        dates = [until for login in case.logins if (until := case.until(login)) is not None]
        text = PlainText("every login of auth.json is benched or dead")
        yield Gate(GateName.POOL, False, min(dates, default=None), text)


def _check_gate(case: Case) -> Iterator[Gate]:
    if not case.asks or not case.may_reopen or case.free_by_file:
        return
    if case.is_pooled:
        text = PlainText("a lift would not be saved: the fallback has a pool of its own")
        yield Gate(GateName.RESTORE_CHECK, False, None, text)
    elif all(map(case.is_blind, case.benched)):
        yield Gate(GateName.RESTORE_CHECK, False, None, PlainText("the access token has expired"))
    else:
        renewed = "; Hermes renews the expired token first" if any(map(case.is_expired, case.benched)) else ""
        last = "when Hermes last asked is in its memory" if case.live is None else f"says {TOLD}"
        text = PlainText(f"at most every 300 s; {last}{renewed}")
        yield Gate(GateName.RESTORE_CHECK, case.asks_from is None, case.asks_from, text)
        yield from _verdict_gate(case)


def _verdict_gate(case: Case) -> Iterator[Gate]:
    """Yield what Hermes keeps of its last question; until then it asks no sooner."""
    belief = case.belief
    if belief is not None:
        words = verdict_of(belief).words
        text = PlainText(f"it keeps {words} until then, says {TOLD}")
        yield Gate(GateName.VERDICT, belief.quota is True, belief.until if belief.until > case.now else None, text)


# The diagnosis


def diagnosis_of(case: Case, way: WayBack, *before: Fact) -> Diagnosis:
    """Return the one answer to why the session is where it is; the facts `before` come first."""
    if case.session.on_fallback:
        code = Code.PRIMARY_FORGOTTEN if case.other_primary is not None else None
        code = code or (Code.PINNED if case.session.pinned else None)
        code = code or _of_no_use(case) or _unanswered(case) or _contradicted(case) or _waiting(case)
        return _told(case, code, (*before, *evidence.away(case, code)), _next(case, code, way))
    fault = case.session.requested_fault
    if fault is not None:
        return _told(case, Code.CONFIGURATION_FAULT, (*before, Fact(PlainText(fault), None, evidence.FILE)))
    if case.logins and all(login.status == DEAD for login in case.logins):
        return _told(case, Code.CREDENTIAL_DEAD, (*before, *evidence.dead(case)))
    code = _unanswered(case) or Code.ON_PRIMARY
    return _told(case, code, (*before, *evidence.at_home(case)), _next(case, code, way))


def _of_no_use(case: Case) -> Code | None:
    """Return what time alone does not mend."""
    if case.session.requested_fault is not None:
        return Code.CONFIGURATION_FAULT
    if case.has_gone:
        return Code.CREDENTIAL_DEAD
    if case.benched and not case.free and all(why(login) is FailureKind.BILLING for login in case.benched):
        return Code.OUT_OF_CREDIT
    return None


def _unanswered(case: Case) -> Code | None:
    """Return that its last turn found no route, where that is so: a route that looks healthy does not help then."""
    return Code.CHAIN_EXHAUSTED if case.story.unanswered is not None else None


def _contradicted(case: Case) -> Code | None:
    """Return what two things that are told of the same primary, and cannot both be, come to."""
    if case.free and (case.keeps_away or case.is_closed):
        if case.benched and case.story.same_again is not None:
            return Code.CREDENTIAL_NOT_TRIED
        return Code.COOLDOWN_IN_MEMORY if case.keeps_away else None
    return Code.LYING_PROBE if _lies(case) else None


def _lies(case: Case) -> bool:
    """Tell whether quota was said and refused: by what Hermes logged of it, or by our own question."""
    again, left = case.story.same_again, case.story.left
    if again is not None and (left is None or again.time >= left.time - LIES_SECONDS):
        return True
    return (case.story.returned_early and case.asks and case.is_codex) or case.is_contradicted


def _waiting(case: Case) -> Code:
    if case.story.failing:
        return Code.PRIMARY_FAILING
    if not case.benched or case.free:
        return Code.RESTORE_DUE
    if case.has_reopened:
        return Code.LIFT_NOT_SAVED if case.asks and case.is_pooled else Code.RESTORE_DUE
    if not case.asks or not case.may_reopen:
        return Code.NO_EARLY_REOPEN
    return Code.PROBE_BLIND if all(map(case.is_blind, case.benched)) else Code.WAITING_FOR_RESET


def _next(case: Case, code: Code, way: WayBack) -> NextChange | None:
    if code is Code.ON_PRIMARY:
        return None
    if not case.session.on_fallback:
        until = [date for login in case.logins if not case.free and (date := case.until(login)) is not None]
        return NextChange(PlainText("earliest return"), min(until)) if until else None
    if is_forced(case.live):
        return NextChange(PlainText("asks the primary at its next turn, as you wish"), None)
    if code is Code.PRIMARY_FAILING:
        return NextChange(PlainText("tries the primary at its next turn"), None)
    if way.step is Step.RESTORE:
        return NextChange(PlainText("returns at its next turn"), case.now)
    if code is Code.RESTORE_DUE and way.step is Step.CHECK:
        return NextChange(PlainText("the next turn asks whether it reopened"), case.now)
    if case.asks_from is not None and way.opens_at is not None:
        return NextChange(PlainText("next try"), way.opens_at)
    closed = [gate for gate in way.gates if not gate.passed and gate.name not in _EARLY]
    dates = [gate.changes_at for gate in closed if gate.changes_at is not None]
    if len(dates) < len(closed):
        return NextChange(PlainText("nothing by itself"), None)
    return NextChange(PlainText("next try"), max(dates, default=None))


def _told(case: Case, code: Code, facts: tuple[Fact, ...], after: NextChange | None = None) -> Diagnosis:
    is_benched = bool(case.benched) and not case.free
    has_hand = case.live is not None and case.live.why_not(FORCE_RESTORE) is None
    text, helps = sentences_of(code, is_benched=is_benched, tries_anyway=case.tries_anyway, has_hand=has_hand)
    if code is Code.PRIMARY_FORGOTTEN and case.conversation is not None:
        helps = how_to_return(case.session.requested, case.conversation)
    return Diagnosis(code, PlainText(text), PlainText(helps), facts, after)
