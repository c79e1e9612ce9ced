"""Why a session of Hermes is where it is, by Hermes' own rules, from its files and logs.

What lives in Hermes' memory alone (its position, the session's cooldown, when it last asked the usage endpoint) is
inferred, and each such fact says so. Nothing is made up: what no file tells is not told.
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
from hermes_tui.core.verdict import CachedVerdict, Verdict
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.reasons import reason_of
from hermes_tui.hermes.rows import CODEX, has_key, logins_of
from hermes_tui.hermes.sentences import SENTENCES
from hermes_tui.hermes.story import NO_STORY, Story
from hermes_tui.hermes.values import Login

LOGINS: Final = PlainText("auth.json")
LOG: Final = PlainText("inferred from agent.log")
FILE: Final = PlainText("config.yaml")
STATE: Final = PlainText("inferred from state.db")
ASKED: Final = PlainText("asked by hermes-tui")

UNKNOWN_RELEASE: Final = PlainText("which Hermes runs here could not be told: judged by the rules of 0.22")
ENDED: Final = PlainText("it has ended; started again, it begins on its primary")

LIES_SECONDS: Final = 300.0
"""A verdict and a refusal no further apart contradict each other: so long Hermes believes a verdict."""

_DEAD: Final = "dead"


class HermesJudge:
    """Judges the sessions of one reading. Implements `Facts.judge`.

    Two are equal that judge a session alike whose row is the same: that has all that is told of it alone.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._rests_on = (reading.release, reading.configuration, reading.logins)
        self._conversations = {reading.names[one.id]: one for one in reading.conversations}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HermesJudge) and self._rests_on == other._rests_on

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, facts: Facts, session: Session, now: float) -> Judged:
        """Return the way back of `session` and its diagnosis at `now` (epoch seconds)."""
        conversation = self._conversations.get(session.name)
        story = self._reading.stories.get(conversation.id, NO_STORY) if conversation is not None else NO_STORY
        case = _Case(self._reading, facts, session, story, now)
        if conversation is not None and conversation.ended_at is not None:
            return case.way(), case.diagnosis(Fact(ENDED, conversation.ended_at, PlainText("state.db")))
        return case.way(), case.diagnosis()


class _Case:
    """One session at one moment."""

    def __init__(self, reading: Reading, facts: Facts, session: Session, story: Story, now: float) -> None:
        self._reading, self._facts, self._session = reading, facts, session
        self._story, self._now = story, now
        self._logins = tuple(logins_of(reading, session.requested.provider))
        self._benched = tuple(login for login in self._logins if self._is_benched(login))
        self._free = tuple(login for login in self._logins if self._is_free(login))
        self._asks = reading.release is None or bool(reading.release.reopens_early)

    # The way back

    def way(self) -> WayBack:
        """Return the gates in the order in which Hermes tests them."""
        if not self._session.on_fallback:
            return WayBack(Step.NOTHING)
        gates = (self._own_gate(), self._pool_gate(), *self._check_gate())
        is_open = gates[0].passed and gates[1].passed
        return WayBack(Step.RESTORE if is_open else Step.STAY, gates)

    def _own_gate(self) -> Gate:
        own = self._session.cooldown
        if own is None:
            text = PlainText("no cooldown of the session is known (inferred: it lives in Hermes' memory)")
            return Gate(GateName.SESSION_COOLDOWN, True, None, text)
        passed = own.until <= self._now
        text = PlainText("the session's own cooldown, in Hermes' memory (inferred from agent.log)")
        return Gate(GateName.SESSION_COOLDOWN, passed, None if passed else own.until, text, approximate=True)

    def _pool_gate(self) -> Gate:
        if not self._logins:
            return Gate(GateName.POOL, True, None, PlainText("auth.json has no login of this provider"))
        if self._free:
            return Gate(GateName.POOL, True, None, PlainText("auth.json has a usable login"))
        dates = [login.benched_until for login in self._logins if login.benched_until is not None]
        return Gate(
            GateName.POOL, False, min(dates, default=None), PlainText("every login of auth.json is benched or dead")
        )

    def _check_gate(self) -> Iterator[Gate]:
        is_asked = self._asks and self._session.requested.provider == CODEX
        if not is_asked or not self._benched or self._free:
            return
        if self._story.pooled:
            text = PlainText("a lift would not be saved: the fallback has a pool of its own")
            yield Gate(GateName.RESTORE_CHECK, False, None, text)
        elif any(self._is_expired(login) for login in self._logins):
            yield Gate(GateName.RESTORE_CHECK, False, None, PlainText("the access token has expired"))
        else:
            text = PlainText("at most every 300 s; when Hermes last asked is in its memory")
            yield Gate(GateName.RESTORE_CHECK, True, None, text)

    def _is_benched(self, login: Login) -> bool:
        return login.benched_until is not None and login.benched_until > self._now

    def _is_free(self, login: Login) -> bool:
        return login.status != _DEAD and not self._is_benched(login) and has_key(login)

    def _is_expired(self, login: Login) -> bool:
        return login.expires_at is not None and login.expires_at <= self._now

    # The diagnosis

    def diagnosis(self, *before: Fact) -> Diagnosis:
        """Return the one answer to why the session is where it is; the facts `before` come first."""
        if not self._session.on_fallback:
            fault = self._session.requested_fault
            if fault is not None:
                return _told(Code.CONFIGURATION_FAULT, (*before, Fact(PlainText(fault), None, FILE)))
            if self._logins and all(login.status == _DEAD for login in self._logins):
                return _told(Code.CREDENTIAL_DEAD, (*before, *self._dead()))
            return _told(Code.ON_PRIMARY, (*before, *self._at_home()))
        code = self._away()
        return _told(code, (*before, *self._evidence(code)), self._next(code))

    def _away(self) -> Code:
        return self._of_no_use() or self._contradicted() or self._waiting()

    def _of_no_use(self) -> Code | None:
        """Return what time alone does not mend."""
        if self._session.requested_fault is not None:
            return Code.CONFIGURATION_FAULT
        if self._logins and all(login.status == _DEAD or not has_key(login) for login in self._logins):
            return Code.CREDENTIAL_DEAD
        if self._benched and not self._free and all(_reason(login) is FailureKind.BILLING for login in self._benched):
            return Code.OUT_OF_CREDIT
        return None

    def _contradicted(self) -> Code | None:
        """Return what two things that are told of the same primary, and cannot both be, come to."""
        if self._free and self._benched and self._story.same_again is not None and self._keeps_away():
            return Code.CREDENTIAL_NOT_TRIED
        if self._free and not self._benched and self._keeps_away():
            return Code.COOLDOWN_IN_MEMORY
        return Code.LYING_PROBE if self._lies() else None

    def _waiting(self) -> Code:
        if self._story.failing:
            return Code.PRIMARY_FAILING
        if not self._benched:
            return Code.RESTORE_DUE
        if self._says_quota() is not None and self._asks and self._story.pooled:
            return Code.LIFT_NOT_SAVED
        if not self._asks or self._session.requested.provider != CODEX:
            return Code.NO_EARLY_REOPEN
        return Code.PROBE_BLIND if all(map(self._is_expired, self._benched)) else Code.WAITING_FOR_RESET

    def _keeps_away(self) -> bool:
        own = self._session.cooldown
        return own is not None and own.until > self._now

    def _lies(self) -> bool:
        """Tell whether quota was said and refused: by what Hermes logged of it, or by our own question."""
        if self._story.same_again is not None and self._since_left(self._story.same_again.time):
            return True
        if self._story.false_returns and self._asks:
            return True
        said = self._says_quota()
        refused = [login.status_at for login in self._logins if login.code == 429 and login.status_at is not None]
        return said is not None and any(0 <= at - said.asked_at <= LIES_SECONDS for at in refused)

    def _since_left(self, at: float) -> bool:
        """Tell whether something belongs to the present absence, and not to one before it."""
        left = self._story.left
        return left is None or at >= left.time - LIES_SECONDS

    def _says_quota(self) -> CachedVerdict | None:
        """Return our newest verdict on the primary, where it says quota."""
        about = [
            verdict
            for verdict in self._facts.verdicts.values()
            if verdict.key.provider == self._session.requested.provider
        ]
        newest = max(about, key=lambda verdict: verdict.asked_at, default=None)
        return newest if newest is not None and newest.verdict is Verdict.QUOTA else None

    def _next(self, code: Code) -> NextChange:
        own = self._session.cooldown
        pool = self._pool_gate()
        if code is Code.RESTORE_DUE:
            return NextChange(PlainText("returns at its next turn"), self._now)
        if code is Code.PRIMARY_FAILING:
            return NextChange(PlainText("tries the primary at its next turn"), None)
        dates = [own.until] if own is not None and own.until > self._now else []
        if not pool.passed:
            if pool.changes_at is None:
                return NextChange(PlainText("nothing by itself"), None)
            dates.append(pool.changes_at)
        return NextChange(PlainText("next try"), max(dates, default=None))

    # What it rests on

    def _evidence(self, code: Code) -> Iterator[Fact]:
        yield from self._departure()
        if self._reading.release is None:
            yield Fact(UNKNOWN_RELEASE, None, PlainText("hermes-tui"))
        if code is Code.CREDENTIAL_DEAD:
            yield from self._dead()
        else:
            yield from (fact for login in self._logins if (fact := self._login(login)) is not None)
        yield from self._in_memory()
        if (again := self._story.same_again) is not None and code in (Code.LYING_PROBE, Code.CREDENTIAL_NOT_TRIED):
            yield Fact(PlainText("Hermes took back the credential that had just failed"), again.time, LOG)
        if self._story.false_returns:
            often = len(self._story.false_returns)
            text = f"came back for nothing {often} times" if often > 1 else "came back once for nothing"
            why = "" if self._asks else ": this Hermes tries again after a minute, whatever the date"
            yield Fact(PlainText(text + why), self._story.false_returns[-1].time, LOG)
        if (said := self._says_quota()) is not None:
            yield Fact(PlainText("the usage endpoint says quota"), said.asked_at, ASKED)
        if self._story.pooled and self._asks and code is not Code.LIFT_NOT_SAVED:
            text = "the fallback has a pool of its own: an early reopening would not be saved"
            yield Fact(PlainText(text), self._story.left.time if self._story.left else None, LOG)
        yield from self._chain_facts()

    def _departure(self) -> Iterator[Fact]:
        left = self._session.departure
        if left is not None and left.reason is not None:
            code = f"{left.code} " if left.code is not None else ""
            yield Fact(PlainText(f"left {self._session.requested}: {code}{left.reason.words}"), left.at, LOG)
        elif self._session.on_fallback:
            yield Fact(PlainText(f"its last answer came from {self._session.active}"), None, STATE)

    def _in_memory(self) -> Iterator[Fact]:
        own = self._session.cooldown
        if own is not None and own.until > self._now:
            yield Fact(PlainText("the session's own cooldown, in Hermes' memory"), own.until, LOG)

    def _login(self, login: Login) -> Fact | None:
        if login.status == _DEAD:
            return self._dead_fact(login)
        if self._is_benched(login):
            code = f"{login.code} " if login.code is not None else ""
            return Fact(
                PlainText(f"{login.label} is benched: {code}{_reason(login).words}"), login.benched_until, LOGINS
            )
        if self._is_free(login):
            return Fact(PlainText(f"{login.label} is free"), login.cleared_at, LOGINS)
        return Fact(PlainText(f"{login.label} has no token"), None, LOGINS)

    def _dead(self) -> Iterator[Fact]:
        yield from (self._dead_fact(login) for login in self._logins if login.status == _DEAD or not has_key(login))

    def _dead_fact(self, login: Login) -> Fact:
        why = _reason(login).words if login.status == _DEAD else "it has no token"
        return Fact(PlainText(f"{login.label} is dead: {why}"), login.status_at, LOGINS)

    def _chain_facts(self) -> Iterator[Fact]:
        file, turn = self._reading.configuration, self._story.turn
        faulty = [entry for entry in file.chain if entry.faults] if file is not None else []
        if faulty and file is not None:
            text = f"{len(faulty)} of {len(file.chain)} fallback entries cannot serve"
            yield Fact(PlainText(text), None, FILE)
        if file is not None and turn is not None and file.modified_at > turn.time:
            waits = " once its cooldown is over" if self._keeps_away() else ""
            yield Fact(
                PlainText(f"config.yaml is newer than its last turn; it takes the chain at its next turn{waits}"),
                file.modified_at,
                FILE,
            )

    def _at_home(self) -> Iterator[Fact]:
        if self._session.unverified_since is not None:
            yield Fact(PlainText("restored; no answer of the primary since"), self._session.unverified_since, LOG)
        if self._story.back is not None and self._story.pooled is False and self._logins:
            text = "it was restored without its pool: a next 429 will not be written to auth.json"
            yield Fact(PlainText(text), self._story.back.time, LOG)
        yield from (self._dead_fact(login) for login in self._logins if login.status == _DEAD)
        yield from self._chain_facts()


def _told(code: Code, facts: tuple[Fact, ...], after: NextChange | None = None) -> Diagnosis:
    text, helps = SENTENCES[code]
    return Diagnosis(code, PlainText(text), PlainText(helps), facts, after)


def _reason(login: Login) -> FailureKind:
    return reason_of(login.code, login.reason)
