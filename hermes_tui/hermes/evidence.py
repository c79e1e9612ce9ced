"""What a diagnosis rests on, fact by fact, each with its time and its source."""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.acts import TakeChain
from hermes_tui.core.diagnosis import Code, Fact
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.verdict import Verdict
from hermes_tui.hermes.asked import is_stored
from hermes_tui.hermes.case import DEAD, Case, why
from hermes_tui.hermes.in_memory import has_chain_of
from hermes_tui.hermes.memory import NAMES, TOLD, OpenSession
from hermes_tui.hermes.reasons import reason_of
from hermes_tui.hermes.rows import has_key
from hermes_tui.hermes.story import LIMITED, SAME_MOMENT_SECONDS
from hermes_tui.hermes.values import HomeConfiguration, Login
from hermes_tui.hermes.verdicts import ASKED

LOGINS: Final = PlainText("auth.json")
LOG: Final = PlainText("inferred from agent.log")
FILE: Final = PlainText("config.yaml")
STATE_FILE: Final = PlainText("state.db")
STATE: Final = PlainText("inferred from state.db")

TAKE: Final = "Take chain"

UNKNOWN_RELEASE: Final = PlainText("which Hermes runs here could not be told: judged by the rules of 0.22")


def of_opening(case: Case) -> Iterator[Fact]:
    """Yield what its Hermes, or the next one that opens the session, has for its primary; nothing where all is well."""
    conversation, other = case.conversation, case.other_primary
    if conversation is None:
        return
    if case.live is not None and other is not None:
        yield Fact(PlainText(f"Hermes opened it on {other}, and has that for its primary"), None, TOLD)
    elif case.is_closed:
        ended = "it has ended" if conversation.ended_at is not None else "nobody has it open"
        yield Fact(PlainText(f"{ended}; opened again, {_opened(case)}"), conversation.ended_at, STATE_FILE)
    elif conversation.model and not is_stored(case.session.requested, conversation):
        text = f"its row names {conversation.model}: closed and opened again, Hermes asks for that"
        yield Fact(one_line(text), None, STATE_FILE)


def _opened(case: Case) -> str:
    if case.other_primary is not None:
        return f"Hermes asks for {case.other_primary}, which answered it first"
    if not case.asks and case.benched and not case.free:
        return "this Hermes begins on a fallback and stays there, until a login is free"
    return "it begins on its primary"


def away(case: Case, code: Code) -> Iterator[Fact]:
    """Yield what keeps a session from its primary, or tells of it."""
    story = case.story
    yield from _unanswered(case)
    yield from _departure(case)
    if case.reading.release is None:
        yield Fact(UNKNOWN_RELEASE, None, PlainText("hermes-tui"))
    if code is Code.CREDENTIAL_DEAD:
        yield from dead(case)
    else:
        yield from (_login(case, login) for login in case.logins)
    if case.keeps_away and case.session.cooldown is not None:
        source = LOG if case.live is None else TOLD
        yield Fact(PlainText("the session's own cooldown, in Hermes' memory"), case.session.cooldown.until, source)
    yield from _unwritten(case)
    if (again := story.same_again) is not None and code in (Code.LYING_PROBE, Code.CREDENTIAL_NOT_TRIED):
        yield Fact(PlainText("Hermes took back the credential that had just failed"), again.time, LOG)
    if story.false_returns:
        often = len(story.false_returns)
        text = f"came back for nothing {often} times" if often > 1 else "came back once for nothing"
        reason = "" if case.asks or story.failing else ": this Hermes tries again after a minute, whatever the date"
        yield Fact(PlainText(text + reason), story.false_returns[-1].time, LOG)
    yield from _verdict(case)
    if case.is_pooled and case.asks and code is not Code.LIFT_NOT_SAVED:
        text = "the fallback has a pool of its own: an early reopening would not be saved"
        yield Fact(PlainText(text), story.left.time if story.left else None, LOG)
    yield from _chain(case)


def at_home(case: Case) -> Iterator[Fact]:
    """Yield what a person should know of a session that is on its primary."""
    session, story = case.session, case.story
    yield from _unanswered(case)
    if session.unverified_since is not None:
        yield Fact(PlainText("restored; no answer of the primary since"), session.unverified_since, LOG)
    if story.back is not None and story.pooled is False and case.logins:
        text = "it was restored without its pool: a next 429 will not be written to auth.json"
        yield Fact(PlainText(text), story.back.time, LOG)
    yield from (_login(case, login) for login in case.logins if not case.is_free(login))
    yield from _verdict(case)
    yield from _chain(case)


def dead(case: Case) -> Iterator[Fact]:
    """Yield the logins that serve no more, and why."""
    yield from (_dead(login) for login in case.logins if login.status == DEAD or not has_key(login))


def _unanswered(case: Case) -> Iterator[Fact]:
    ended, file = case.story.unanswered, case.reading.configuration
    if ended is None:
        return
    code = f"{ended.code} " if ended.code is not None else ""
    reason = reason_of(ended.code, f"{ended.reason} {ended.text}").words
    yield Fact(PlainText(f"no route answered its last turn: {code}{reason}"), ended.time, LOG)
    if file is not None and all(entry.faults for entry in file.chain):
        yield Fact(PlainText("there is no fallback that can serve"), None, FILE)


def _departure(case: Case) -> Iterator[Fact]:
    session, left = case.session, case.session.departure
    if left is not None and left.reason is not None:
        code = f"{left.code} " if left.code is not None else ""
        yield Fact(PlainText(f"left {session.requested}: {code}{left.reason.words}"), left.at, LOG)
    elif left is not None and session.pinned:
        yield Fact(PlainText("you chose this route"), left.at, TOLD)
    elif session.on_fallback and case.live is not None:
        yield Fact(PlainText(f"it is on {session.active}"), None, TOLD)
    elif session.on_fallback:
        yield Fact(PlainText(f"its last answer came from {session.active}"), None, STATE)


def _login(case: Case, login: Login) -> Fact:
    if login.status == DEAD:
        return _dead(login)
    if case.is_benched(login):
        code = f"{login.code} " if login.code is not None else ""
        blind = "; its access token has expired, and nothing renews it" if case.is_blind(login) else ""
        if case.is_of_model_alone(login):
            what = f"for {case.session.requested.model} alone"
        else:
            what = f"{code}{why(login).words}{blind}"
        return Fact(
            PlainText(f"{login.label} is benched: {what}"), case.until(login), LOG if login.in_log_alone else LOGINS
        )
    if case.is_free(login):
        return Fact(PlainText(f"{login.label} is free"), login.cleared_at, LOGINS)
    return Fact(PlainText(f"{login.label} has no token"), None, LOGINS)


def _dead(login: Login) -> Fact:
    reason = why(login).words if login.status == DEAD else "it has no token"
    return Fact(PlainText(f"{login.label} is dead: {reason}"), login.status_at, LOGINS)


def _unwritten(case: Case) -> Iterator[Fact]:
    """Yield the refusal that no login tells of: the session had been restored without its pool."""
    failed, back = case.story.failed, case.story.back
    if failed is None or failed.code != LIMITED or back is None or not case.logins:
        return
    rows = (one for one in case.reading.logins.rows if one.provider == case.session.requested.provider)
    written = [login.status_at for login in rows if login.status_at is not None]
    if back.time < failed.time and all(abs(at - failed.time) > SAME_MOMENT_SECONDS for at in written):
        text = "its last 429 is not in auth.json: it had been restored without its pool"
        yield Fact(PlainText(text), failed.time, LOG)


def _verdict(case: Case) -> Iterator[Fact]:
    """Yield what the usage endpoint answered last, and whom: this program, or Hermes."""
    said = case.said
    if said is None:
        return
    windows = said.usage.windows if said.usage is not None else ()
    used = " · ".join(f"{window.name} {window.used_percent:g} %" for window in windows)
    told = f"says {said.verdict.words}" if said.verdict is not Verdict.UNKNOWN else "gives no verdict"
    text = f"the usage endpoint {told}: {said.why}{f' ({used})' if used else ''}"
    yield Fact(PlainText(text), said.asked_at, said.asked_by or ASKED)


def _chain(case: Case) -> Iterator[Fact]:
    file, turn = case.reading.configuration, case.story.turn
    faulty = [entry for entry in file.chain if entry.faults] if file is not None else []
    if faulty and file is not None:
        first = f"{faulty[0]}: {faulty[0].faults[0]}"
        text = f"{len(faulty)} of {len(file.chain)} fallback entries cannot serve: {first}"
        yield Fact(PlainText(text), None, FILE)
    if case.live is not None:
        yield from _chain_in_memory(case.live, file)
    elif file is not None and turn is not None and file.modified_at > turn.time:
        waits = " once its cooldown is over" if case.keeps_away else ""
        text = f"config.yaml is newer than its last turn; it takes the chain at its next turn{waits}"
        yield Fact(PlainText(text), file.modified_at, FILE)


def _chain_in_memory(live: OpenSession, file: HomeConfiguration | None) -> Iterator[Fact]:
    if live.skipped:
        yield Fact(PlainText(f"it skips {', '.join(live.skipped)} until its chain is reset"), None, TOLD)
    if file is not None and not has_chain_of(live, file):
        hand = f"; {TAKE} puts it in force at its next turn" if live.why_not(NAMES[TakeChain]) is None else ""
        yield Fact(PlainText(f"it has another chain than config.yaml by now{hand}"), file.modified_at, TOLD)
