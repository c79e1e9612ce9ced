"""A session's diagnosis in the words of the screen, with when it next changes and who says so."""

from typing import Final, NamedTuple

from hermes_tui.core.cooldown import Said
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.restoring import GateName, Step
from hermes_tui.core.session import Phase
from hermes_tui.view.line import Part, Style
from hermes_tui.view.moment import Standing
from hermes_tui.view.words import countdown, countdown_style, wall

CODE_WORDS: Final = {
    Code.ON_PRIMARY: ("on primary", Style.OK),
    Code.WAITING_FOR_RESET: ("WAITING FOR RESET", Style.COOLING),
    Code.RESTORE_DUE: ("RESTORE DUE", Style.TRIAL),
    Code.LYING_PROBE: ("LYING PROBE", Style.DEAD),
    Code.PROBE_BLIND: ("PROBE BLIND", Style.COOLING),
    Code.NO_EARLY_REOPEN: ("NO EARLY REOPEN", Style.COOLING),
    Code.OUT_OF_CREDIT: ("OUT OF CREDIT", Style.DEAD),
    Code.CREDENTIAL_DEAD: ("CREDENTIAL DEAD", Style.DEAD),
    Code.PRIMARY_FAILING: ("PRIMARY FAILING", Style.COOLING),
    Code.CONFIGURATION_FAULT: ("CONFIG FAULT", Style.DEAD),
    Code.PINNED: ("PINNED", Style.PROBING),
    Code.CHAIN_EXHAUSTED: ("CHAIN EXHAUSTED", Style.DEAD),
    Code.COOLDOWN_IN_MEMORY: ("MEMORY COOLDOWN", Style.DEAD),
    Code.LIFT_NOT_SAVED: ("LIFT NOT SAVED", Style.DEAD),
    Code.CREDENTIAL_NOT_TRIED: ("KEY NOT TRIED", Style.DEAD),
    Code.PRIMARY_FORGOTTEN: ("PRIMARY FORGOTTEN", Style.DEAD),
}

ASKS: Final = Part("ASKS YOU", Style.ALERT)
"""Stands in place of the diagnosis of a session that waits for its user's answer."""

_EARLY: Final = (GateName.RESTORE_CHECK, GateName.VERDICT, GateName.TRIAL)


class Change(NamedTuple):
    """What happens next to a session: words, and when (epoch seconds, None where no time is known)."""

    words: str
    at: float | None = None
    assumed: bool = False


def diagnosis_part(standing: Standing) -> Part:
    """Return the diagnosis as a part of a row; a restore that no reply has proved yet says so."""
    code = standing.diagnosis.code
    if code is Code.ON_PRIMARY and standing.state.row.unverified_since is not None:
        return Part("back, unverified", Style.TRIAL)
    return Part(*CODE_WORDS[code])


def attention_part(standing: Standing) -> Part:
    """Return the diagnosis, or that the session waits for its user, which comes before it."""
    return ASKS if standing.state.question is not None else diagnosis_part(standing)


def phase_part(standing: Standing) -> Part:
    """Return what the session's turn does."""
    row = standing.state.row
    if standing.state.question is not None:
        return Part("ASKS", Style.STRONG)
    match row.phase:
        case Phase.RUNNING:
            return Part("RUN", Style.STRONG)
        case Phase.WAITING:
            return Part("WAIT", Style.COOLING)
        case _:
            return Part("NEXT" if row.next_run_at is not None else "IDLE", Style.MUTED)


def next_change(standing: Standing) -> Change:
    """Return what happens next to the session, and when."""
    row, live = standing.state.row, standing.state.live
    if live is not None and live.waiting_until is not None:
        return Change("retry in", live.waiting_until)
    if row.forced_at is not None:
        return Change("forced next" if row.phase is Phase.IDLE else "forced after")
    code, after = standing.diagnosis.code, standing.diagnosis.next
    if code is Code.ON_PRIMARY or (standing.way.step in (Step.RESTORE, Step.CHECK) and row.next_run_at is not None):
        return Change("turn in", row.next_run_at) if row.next_run_at is not None else Change("-")
    if standing.way.step is Step.CHECK and code is not Code.RESTORE_DUE:
        at = date_of(standing)
        return Change("back in", at, assumed=_is_approximate(standing, at))
    if standing.way.step in (Step.RESTORE, Step.CHECK):
        return Change("next turn")
    if after is None or after.at is None:
        return Change("until you act" if code is Code.PINNED else "-")
    if code is Code.CHAIN_EXHAUSTED:
        return Change("route in", after.at)
    early = any(gate.name in _EARLY and gate.changes_at == after.at for gate in standing.way.gates)
    assumed = not early and _is_approximate(standing, after.at)
    return Change("try in" if early or code is Code.PRIMARY_FAILING else "back in", after.at, assumed)


def _is_approximate(standing: Standing, at: float | None) -> bool:
    own = standing.state.row.cooldown
    return own is not None and own.until == at and own.approximate


def date_of(standing: Standing) -> float | None:
    """Return when the way back opens for certain, None where nobody can say."""
    dates = [
        gate.changes_at
        for gate in standing.way.gates
        if gate.name in (GateName.SESSION_COOLDOWN, GateName.POOL) and not gate.passed
    ]
    return None if None in dates else max((at for at in dates if at is not None), default=None)


def change_text(change: Change, now: float, *, rough: bool = False) -> str:
    """Return a change with its countdown: `try in 18:18`, a rough one `try in 18m`."""
    return change.words if change.at is None else f"{change.words} {countdown(change.at, now, rough=rough)}"


def change_part(change: Change, now: float, *, rough: bool = False) -> Part:
    """Return a change with its countdown as a part of a line: bold in its last seconds, dim where nothing comes."""
    if change.at is None:
        return Part(change.words, Style.MUTED if change.words == "-" else Style.PLAIN)
    return Part(change_text(change, now, rough=rough), countdown_style(change.at, now))


def change_wall(change: Change, now: float) -> str:
    """Return the moment of a change: `14:25:40`."""
    return wall(change.at, now, assumed=change.assumed)


def said_by(standing: Standing, now: float) -> str:
    """Return who stands behind the session's wait: the provider, a verdict, this program's own caution, or you."""
    row, code = standing.state.row, standing.diagnosis.code
    if code is Code.ON_PRIMARY:
        return "-"
    if code is Code.PINNED:
        return "you"
    if code is Code.LYING_PROBE:
        return "we"
    if row.cooldown is not None and row.cooldown.until > now:
        return "provider" if row.cooldown.source is Said.PROVIDER else "~ assumed"
    return "-"


def since(standing: Standing, now: float) -> str:
    """Return since when the session is off its primary."""
    left = standing.state.row.departure
    return wall(left.at, now) if left is not None and standing.state.row.on_fallback else "-"


def departure_sentence(standing: Standing, now: float) -> str:
    """Return where the session stands and why, in a sentence: `On 2 since 14:05:40: 429 usage limit.`"""
    row, left = standing.state.row, standing.state.row.departure
    if not row.on_fallback:
        return ""
    if left is None:
        return f"On {row.position}."
    if left.reason is None:
        return f"On {row.position} since {wall(left.at, now)}: you asked for it."
    code = f"{left.code} " if left.code is not None else ""
    return f"On {row.position} since {wall(left.at, now)}: {code}{left.reason.words}."
