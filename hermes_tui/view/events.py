"""Events as sentences: one line a person reads, the same on every screen and in every log."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hermes_tui.core import event as happened
from hermes_tui.core.event import Event
from hermes_tui.view.words import wall

Sentence = Callable[[Any, float], str]


def _until(until: float | None, now: float) -> str:
    return f" until {wall(until, now)}" if until is not None else ""


def _turn_failed(event: happened.TurnFailed, now: float) -> str:
    back = f" Earliest return: {wall(event.earliest, now)}." if event.earliest is not None else ""
    return f"turn failed: {event.error}{back}"


def _benched(event: happened.CredentialBenched, now: float) -> str:
    who = f"{event.provider}/{event.credential}" + (f" for {event.model}" if event.model else "")
    code = f"{event.code} " if event.code is not None else ""
    if event.until is None:
        return f"{who} is dead: {code}{event.reason.words}"
    said = "" if event.source == "provider" else "~"
    return f"{who} cools down until {said}{wall(event.until, now)}: {code}{event.reason.words}"


def _lifted(event: happened.CredentialLifted, _now: float) -> str:
    trial = "on trial" if event.on_trial else "free again"
    return f"{event.provider}/{event.credential} is {trial} ({event.by})"


def _attempt_failed(event: happened.AttemptFailed, _now: float) -> str:
    code = f"{event.status} " if event.status is not None else ""
    return f"{event.provider}/{event.model} ({event.credential}) failed: {code}{event.kind.words}: {event.message}"


def _checked(event: happened.RestoreChecked, _now: float) -> str:
    if event.lifted:
        return "restore check: the primary may be tried"
    blocking = next((gate.text for gate in event.gates if not gate.passed), "nothing reopened")
    return f"restore check: {blocking}"


SENTENCES: Final[Mapping[type[Event], tuple[str, Sentence]]] = {
    happened.SessionCreated: ("session", lambda e, _: f"created on {e.provider}/{e.model}"),
    happened.TurnStarted: ("turn", lambda e, _: f"turn {e.turn}: {e.prompt}"),
    happened.RequestSent: ("send", lambda e, _: f"{e.provider}/{e.model} is asked with {e.credential}"),
    happened.AttemptFailed: ("fail", _attempt_failed),
    happened.RetryScheduled: ("retry", lambda e, now: f"{e.provider}/{e.model} again at {wall(e.until, now)}"),
    happened.WaitEnded: ("retry", lambda e, _: "you ended the wait" if e.by_user else "the wait is over"),
    happened.PrimaryRecoveryTried: ("retry", lambda e, _: f"{e.provider}/{e.model} once more on a new connection"),
    happened.ConversationCompacted: ("turn", lambda e, _: f"{e.left_out} older messages are left out to fit"),
    happened.CredentialBenched: ("pool", _benched),
    happened.CredentialLifted: ("pool", _lifted),
    happened.CredentialReplaced: ("pool", lambda e, _: f"{e.provider}/{e.credential} has another token"),
    happened.VerdictReceived: (
        "probe",
        lambda e, _: f"{e.provider}/{e.credential} for {e.model}: {e.verdict.words}, {e.why}",
    ),
    happened.VerdictContradicted: (
        "probe",
        lambda e, now: f"a 429 contradicts the verdict on {e.account}; not believed{_until(e.until, now)}",
    ),
    happened.RestoreCheckStarted: ("restore", lambda _e, _now: "asking whether the primary reopened early"),
    happened.RestoreChecked: ("restore", _checked),
    happened.RestoreRefused: ("restore", lambda e, now: f"stays: {e.reason}{_until(e.until, now)}"),
    happened.PrimaryRestored: ("restore", lambda e, _: f"{e.notice}"),
    happened.PrimaryVerified: ("restore", lambda e, _: f"verified: {e.provider}/{e.model} has answered"),
    happened.RestoreFailed: ("restore", lambda e, _: f"the restore failed: {e.provider}/{e.model}, {e.kind.words}"),
    happened.FallbackActivated: ("switch", lambda e, _: f"{e.notice}"),
    happened.FallbackSkipped: (
        "skip",
        lambda e, now: f"{e.provider}/{e.model} at {e.position}: {e.reason}{_until(e.until, now)}",
    ),
    happened.TurnCompleted: ("reply", lambda e, _: f"{e.provider}/{e.model}: {e.text}"),
    happened.TurnFailed: ("fail", _turn_failed),
    happened.SessionInterrupted: ("turn", lambda e, _: f"interrupted: {e.why}"),
    happened.ActPerformed: ("you", lambda e, _: f"{e.act.replace('_', ' ')} on {e.target}: {e.effect}"),
    happened.SessionScheduled: ("turn", lambda e, now: f"runs again at {wall(e.at, now)}"),
    happened.ChainTaken: ("config", lambda e, _: f"takes the chain: {', '.join(e.chain) or 'none'}"),
    happened.ConfigurationLoaded: ("config", lambda e, _: f"{e.origin} is in force"),
    happened.ConfigurationRejected: ("config", lambda e, _: f"not used: {e.error}"),
    happened.ClockStepped: ("clock", lambda e, _: f"the wall clock was set by {e.step:+.0f} s; waits were kept"),
}
"""Each event's kind (one word, for a column) and its sentence, from the event and `now`."""


def kind(event: Event) -> str:
    """Return the one word that files an event under its subject."""
    return SENTENCES[type(event)][0]


def sentence(event: Event, now: float | None = None) -> str:
    """Return an event as one sentence; dates are written as seen from `now` (epoch seconds), or from the event."""
    return SENTENCES[type(event)][1](event, event.time if now is None else now)
