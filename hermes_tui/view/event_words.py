"""Events in words: a topic, a style and one sentence for every type."""

from functools import singledispatch
from typing import NamedTuple

from hermes_tui.core import event as events
from hermes_tui.core.advice import ONLY_A_PERSON_HELPS, remedy
from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import Event
from hermes_tui.core.failure import Scope
from hermes_tui.core.keeping import schedule_words
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.view.line import ARROW, Style
from hermes_tui.view.words import clock, count, duration, wall


class Told(NamedTuple):
    """An event as it is told; `quiet` ones are kept out of the panel, `same` groups repetitions (M48)."""

    topic: str
    text: str
    style: Style = Style.PLAIN
    quiet: bool = False
    same: str = ""


def told_line(at: float, topic: str, text: str) -> str:
    """Return what happened at `at` (epoch seconds) as a line of text: `14:05:40  switch   s1 ...`."""
    return f"{clock(at)}  {topic:8} {text}"


@singledispatch
def tell(event: Event) -> Told:
    """Return the words for `event`; one of an unknown type is told by its name."""
    return Told("event", event.type.replace("_", " "), Style.MUTED)


def _until(at: float | None, now: float, *, assumed: bool = False) -> str:
    return f" until {wall(at, now, assumed=assumed)}" if at is not None else ""


def _code(status: int | None) -> str:
    return f"{status} " if status is not None else ""


@tell.register
def _(event: events.SessionCreated) -> Told:
    return Told("session", f"{event.session} was made, on {event.provider}/{event.model}")


@tell.register
def _(event: events.SessionRenamed) -> Told:
    return Told("session", f"{event.before} is called {event.session} from now on")


@tell.register
def _(event: events.SessionArchived) -> Told:
    return Told("session", f"{event.session} was archived: it runs nothing, and nothing of it is deleted")


@tell.register
def _(event: events.SessionBroughtBack) -> Told:
    return Told("session", f"{event.session} was brought back")


@tell.register
def _(event: events.ScheduleChanged) -> Told:
    at = f", next at {wall(event.at, event.time)}" if event.at is not None else ""
    return Told("session", f"{event.session} {schedule_words(event.every_seconds)}{at}")


@tell.register
def _(event: events.TurnStarted) -> Told:
    return Told("turn", f"{event.session} turn {event.turn}: {event.prompt}", Style.MUTED)


@tell.register
def _(event: events.RequestSent) -> Told:
    text = f"{event.session} asks {event.provider}/{event.model} with {event.credential}, attempt {event.attempt}"
    return Told("request", text, Style.MUTED, quiet=True)


@tell.register
def _(event: events.AttemptFailed) -> Told:
    where = f"{event.session} {event.provider}/{event.model} ({event.credential})"
    text = f"{where}: {_code(event.status)}{event.kind.words}" + (f": {event.message}" if event.message else "")
    return Told("fail", text, Style.DEAD, same=f"{where}{event.kind}")


@tell.register
def _(event: events.AttemptAbandoned) -> Told:
    where = f"{event.provider}/{event.model} ({event.credential})"
    return Told("fail", f"{event.session} gave up its request to {where} after {event.latency:.1f} s", Style.MUTED)


@tell.register
def _(event: events.RetryScheduled) -> Told:
    text = f"{event.session} tries {event.provider}/{event.model} again at {wall(event.until, event.time)}"
    return Told("retry", text, Style.COOLING)


@tell.register
def _(event: events.WaitEnded) -> Told:
    how = "you ended the wait" if event.by_user else "the wait is over"
    return Told("retry", f"{event.session}: {how}", Style.MUTED, quiet=not event.by_user)


@tell.register
def _(event: events.PrimaryRecoveryTried) -> Told:
    return Told("retry", f"{event.session} rebuilt its connection to {event.provider}/{event.model} for one more try")


@tell.register
def _(event: events.ConversationCompacted) -> Told:
    return Told("compact", f"{event.session}: {count(event.left_out, 'older message')} left out so that it fits")


@tell.register
def _(event: events.SealedHistoryDropped) -> Told:
    what = f"the sealed parts of {count(event.messages, 'message')}"
    return Told("retry", f"{event.session} dropped {what}: {event.provider}/{event.model} does not accept them")


@tell.register
def _(event: events.CredentialBenched) -> Told:
    name = f"{event.provider}/{event.credential}" + (f" for {event.model}" if event.model else "")
    why = f"{_code(event.code)}{event.reason.words}"
    scope = Scope.MODEL if event.model else None
    advised = event.reason in ONLY_A_PERSON_HELPS
    helps = f". {remedy(event.reason, provider_behind(event.provider), scope)}" if advised else ""
    if event.until is None:
        return Told("pool", f"{name} is dead: {why}{helps}", Style.DEAD)
    said = "the provider said" if event.source is Said.PROVIDER else "assumed"
    until = wall(event.until, event.time, assumed=event.approximate)
    text = f"{name} cools down until {until} ({said}): {why}{helps}"
    return Told("pool", text, Style.COOLING, same=f"{name}{event.reason}")


@tell.register
def _(event: events.CredentialLifted) -> Told:
    name = f"{event.provider}/{event.credential}"
    how = f"is on trial for {event.session}" if event.on_trial else "can be used again"
    return Told("pool", f"{name} {how} ({event.by})", Style.TRIAL if event.on_trial else Style.OK)


@tell.register
def _(event: events.CredentialReplaced) -> Told:
    return Told("pool", f"{event.provider}/{event.credential} has another token now", Style.OK)


@tell.register
def _(event: events.VerdictReceived) -> Told:
    who = event.account if event.account == event.credential else f"{event.account} ({event.credential})"
    text = f"{event.provider} {who}: {event.verdict.words}, {event.why}"
    return Told("probe", f"{text}; counts for {duration(event.expires_at - event.time)}", Style.PROBING)


@tell.register
def _(event: events.VerdictContradicted) -> Told:
    text = f"{event.provider} {event.account}: a request contradicts the verdict; not believed"
    return Told("probe", f"{text}{_until(event.until, event.time)} (time {event.count})", Style.DEAD)


@tell.register
def _(event: events.LyingProbeDiagnosed) -> Told:
    return Told("probe", f"{event.session} {event.provider}/{event.model}: {event.text}", Style.DEAD)


@tell.register
def _(event: events.RestoreCheckStarted) -> Told:
    return Told("check", f"{event.session} asks whether its primary reopened", Style.MUTED, quiet=True)


@tell.register
def _(event: events.RestoreChecked) -> Told:
    early = [gate for gate in event.gates if not gate.passed and gate.name in ("verdict", "trial")]
    blocked = next((gate for gate in (*early, *event.gates) if not gate.passed), None)
    if event.lifted or blocked is None:
        return Told("check", f"{event.session}: the way back is free", Style.OK)
    text = f"{event.session} stays: {blocked.text}{_until(blocked.changes_at, event.time)}"
    return Told("check", text, Style.MUTED, same=f"{event.session}{blocked.name}")


@tell.register
def _(event: events.RestoreRefused) -> Told:
    return Told("check", f"{event.session} stays where it is: {event.reason}{_until(event.until, event.time)}")


@tell.register
def _(event: events.PrimaryRestored) -> Told:
    how = "was put back" if event.forced else "is back"
    text = f"{event.session} {how} on {event.provider}/{event.model}; its first reply will tell"
    return Told("restore", text, Style.TRIAL, same=f"{event.session}")


@tell.register
def _(event: events.PrimaryVerified) -> Told:
    return Told("restore", f"{event.session} on {event.provider}/{event.model}: verified by a reply", Style.OK)


@tell.register
def _(event: events.RestoreFailed) -> Told:
    text = f"{event.session}: {event.provider}/{event.model} failed after the restore: {event.kind.words}"
    return Told("restore", text, Style.DEAD, same=f"{event.session}{event.kind}")


@tell.register
def _(event: events.FallbackActivated) -> Told:
    text = (
        f"{event.session} {ARROW} {event.position}  {event.left} {ARROW} {event.provider}/{event.model}: {event.reason}"
    )
    return Told("switch", text, Style.COOLING, same=f"{event.session}{event.position}{event.reason}")


@tell.register
def _(event: events.FallbackSkipped) -> Told:
    until = _until(event.until, event.time, assumed=event.approximate)
    text = f"{event.session} {event.provider}/{event.model}: {event.reason}{until}"
    return Told("skip", text, Style.MUTED, same=f"{event.session}{event.position}{event.kind}")


@tell.register
def _(event: events.TurnCompleted) -> Told:
    tokens = f", {event.output_tokens} tokens" if event.output_tokens is not None else ""
    text = f"{event.session} answered by {event.provider}/{event.model} in {event.latency:.1f} s{tokens}"
    return Told("turn", text, Style.OK)


@tell.register
def _(event: events.TurnFailed) -> Told:
    earliest = f" Earliest return {wall(event.earliest, event.time)}." if event.earliest is not None else ""
    return Told("turn", f"{event.session} failed: {event.error}{earliest}", Style.DEAD)


@tell.register
def _(event: events.SessionInterrupted) -> Told:
    return Told("turn", f"{event.session} was stopped: {event.why.replace('_', ' ')}", Style.COOLING)


@tell.register
def _(event: events.QuestionAsked) -> Told:
    about = f" {event.about}" if event.about else ""
    return Told("asks", f"{event.session} asks you: {event.text}{about}", Style.STRONG)


@tell.register
def _(event: events.ActPerformed) -> Told:
    return Told("you", f"{event.act.replace('_', ' ')} {event.target}: {event.effect}", Style.YOU)


@tell.register
def _(event: events.SessionScheduled) -> Told:
    return Told("session", f"{event.session} runs next at {wall(event.at, event.time)}", Style.MUTED)


@tell.register
def _(event: events.ChainTaken) -> Told:
    chain = f" {ARROW} ".join(event.chain) or "without fallbacks"
    return Told("config", f"{event.session} takes the chain {chain}")


@tell.register
def _(event: events.ConfigurationLoaded) -> Told:
    warnings = f"; {count(len(event.warnings), 'warning')}: {'; '.join(event.warnings)}" if event.warnings else ""
    return Told("config", f"{event.origin} loaded{warnings}", Style.COOLING if event.warnings else Style.PLAIN)


@tell.register
def _(event: events.ConfigurationRejected) -> Told:
    return Told("config", f"{event.origin} rejected: {event.error}", Style.DEAD)


@tell.register
def _(event: events.ClockStepped) -> Told:
    way = "forward" if event.step > 0 else "back"
    return Told("clock", f"the clock was set {way} by {duration(abs(event.step))}; durations were kept")


@tell.register
def _(event: events.Narrated) -> Told:
    return Told("story", event.text, Style.STRONG)
