"""What an act will do, said before it is done: at once, after a question, or not now (M39 ... M45)."""

from hermes_tui.core.acting import route_in, use_fallback
from hermes_tui.core.acts import (
    AnswerQuestion,
    ArchiveSession,
    BringBack,
    ChangeSchedule,
    Command,
    DropVerdict,
    ForceRestore,
    NewSession,
    ProbeNow,
    ReloadConfiguration,
    RenameSession,
    ResetChain,
    ResetCooldown,
    SaveConfiguration,
    SendPrompt,
    StopTurn,
    SwitchModel,
    TakeChain,
    UseFallback,
)
from hermes_tui.core.believing import PROBE_FLOOR_SECONDS, cached
from hermes_tui.core.claiming import process
from hermes_tui.core.compaction import conversation_tokens
from hermes_tui.core.configuration import Member, Pool
from hermes_tui.core.credential import CredentialKey, Status
from hermes_tui.core.decision import events_of
from hermes_tui.core.durations import spelled
from hermes_tui.core.event import FallbackSkipped
from hermes_tui.core.keeping import (
    absence,
    bringing_back_refusal,
    made,
    making_refusal,
    renaming_refusal,
    schedule_words,
    scheduling_refusal,
)
from hermes_tui.core.nearest import nearest
from hermes_tui.core.plans import plan_of
from hermes_tui.core.pool import Candidate, ReturnsAt, next_available_at, row_of
from hermes_tui.core.question import Question
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Ready:
    """The act can be done at once; `effect` says what it will do."""

    effect: PlainText


@dataclass(frozen=True, slots=True)
class Confirm:
    """The act can be done, and asks first: the question names its object, `effect` says what is likely to happen."""

    question: PlainText
    effect: PlainText


@dataclass(frozen=True, slots=True)
class Refused:
    """The act cannot be done now; `reason` is a sentence. `until` is when that changes (epoch seconds)."""

    reason: PlainText
    until: float | None = None


Preview = Ready | Confirm | Refused


def preview(command: Command, snapshot: Snapshot, now: float) -> Preview:
    """Return what `command` will do; buttons, confirmations and refusals are this answer. Pure over the snapshot."""
    if snapshot.read_only:
        return Refused(PlainText(snapshot.read_only))
    match command:
        case ReloadConfiguration():
            return Ready(PlainText("The configuration file is read again."))
        case SaveConfiguration():
            return Ready(PlainText("The file is written and put in force; the one before stays beside it as .bak."))
        case NewSession():
            return _new_session(command, snapshot)
        case BringBack(session=name):
            return _judged(bringing_back_refusal(snapshot.facts, name), f"{name} is listed and runs again.")
        case ResetCooldown(credential=key):
            return _reset_cooldown(key, snapshot, now)
        case ProbeNow() | DropVerdict():
            return _about_verdict(command, snapshot, now)
        case _:
            state = snapshot.session(command.session)
            if state is None:
                why = absence(snapshot.facts, command.session)
                return Refused(why or PlainText(f"there is no session {command.session}"))
            if not state.mine and not state.takes_acts:
                return Refused(_elsewhere(state, snapshot))
            return _told_where(_on_session(command, state, snapshot, now), state)


def _judged(refusal: PlainText | None, effect: str) -> Preview:
    return Ready(PlainText(effect)) if refusal is None else Refused(refusal)


def _elsewhere(state: SessionState, snapshot: Snapshot) -> PlainText:
    if state.owner is None:
        key = snapshot.facts.keymap.word("reload")
        return PlainText(f"nobody runs {state.name} now: reload the configuration ({key}), and it runs here")
    if state.silence is not None:
        return PlainText(f"{state.silence}; act on {state.name} there, or end that process if it hangs")
    return PlainText(f"{process(state.owner)} runs {state.name}; act there")


def _told_where(answer: Preview, state: SessionState) -> Preview:
    """Say before a question is answered that another process does it."""
    if state.mine or not isinstance(answer, Confirm):
        return answer
    return Confirm(answer.question, PlainText(f"{answer.effect} Process {state.owner} runs it, and does this."))


def _on_session(command: Command, state: SessionState, snapshot: Snapshot, now: float) -> Preview:
    session = state.row
    match command:
        case ForceRestore():
            return _force_restore(session, snapshot, now)
        case ResetChain() | TakeChain():
            return _on_chain(command, session)
        case UseFallback():
            return _use_fallback(state, snapshot, now)
        case SwitchModel(provider=provider, model=model):
            return _switch_model(session, provider, model, snapshot)
        case SendPrompt(text=text):
            return _send_prompt(session, text)
        case RenameSession() | ArchiveSession() | ChangeSchedule():
            return _keep(command, state, snapshot)
        case StopTurn():
            return _stop_turn(session)
        case AnswerQuestion(key=key):
            return answering(session.name, state.question, key)
        case _:
            if session.phase is not Phase.WAITING:
                return Refused(PlainText(f"{session.name} is not waiting"))
            return Ready(PlainText(f"{session.active} is tried again now."))


def _stop_turn(session: Session) -> Preview:
    if session.phase is Phase.IDLE:
        return Refused(PlainText(f"{session.name} has no turn running"))
    return Confirm(PlainText(f"Stop {session.name}'s turn?"), PlainText("What has streamed so far is not kept."))


def answering(session: str, question: Question | None, key: str) -> Preview:
    """Return what an answer with that key does, where a session asks that `question` now."""
    if question is None or question.key != key:
        return Refused(PlainText(f"{session} does not ask that any more"))
    return Ready(PlainText(f"{session} goes on with your answer."))


def _when(session: Session) -> str:
    return "at its next turn" if session.phase is Phase.IDLE else "when this turn has ended, at the next one"


def _force_restore(session: Session, snapshot: Snapshot, now: float) -> Preview:
    pool = _pool(snapshot, session.requested.pool)
    if session.forced_at is not None:
        return Refused(PlainText(f"already asked for: {session.requested} is tried {_when(session)}"))
    if pool is None or session.requested_fault:
        return Refused(PlainText(session.requested_fault or f"{session.requested.provider} is not configured"))
    alive = [member for member in pool.members if not member.fault and _row_alive(snapshot, pool, member)]
    if not alive:
        return Refused(PlainText(f"every credential of {pool.provider} is dead or missing: sign in again"))
    outlook = next_available_at(snapshot.facts, pool, session.requested.model, now)
    waits = session.cooldown is not None and session.cooldown.until > now
    if not session.on_fallback and not waits and not isinstance(outlook, ReturnsAt):
        return Refused(PlainText(f"{session.name} is on its primary"))
    effect = f"{session.requested} is tried {_when(session)}"
    if isinstance(outlook, ReturnsAt) and outlook.cooldown.source == "provider":
        question = f"Put {session.name} back on {session.requested} before its reset?"
        words = outlook.cooldown.reason.words
        likely = f"{effect}. The provider's reset lies ahead: it will likely answer {words} once more."
        return Confirm(PlainText(question), PlainText(likely))
    return Ready(PlainText(f"{effect}, whatever cooldown and probe say."))


def _row_alive(snapshot: Snapshot, pool: Pool, member: Member) -> bool:
    return row_of(snapshot.facts, pool, member).death is None


def _on_chain(command: ResetChain | TakeChain, session: Session) -> Preview:
    if isinstance(command, TakeChain):
        return Refused(PlainText(f"{session.name} takes the file's chain by itself, between two requests"))
    if not session.chain:
        return Refused(PlainText("there is no fallback chain: add [[fallback_providers]]"))
    if session.index == 0 and not session.holds:
        return Refused(PlainText("the chain stands at its first entry already, and nothing is marked"))
    return Ready(PlainText(f"{session.name}'s next failure starts at entry 1; its marks are gone, cooldowns stay."))


def _use_fallback(state: SessionState, snapshot: Snapshot, now: float) -> Preview:
    session = state.row
    plan = plan_of(snapshot.facts.configuration, session) if snapshot.facts.configuration else None
    tokens = conversation_tokens(plan.system_prompt if plan else None, state.messages)
    moved = use_fallback(snapshot.facts, session, tokens=tokens, now=now)
    if moved.value is None:
        skips = [event for event in events_of(moved.records) if isinstance(event, FallbackSkipped)]
        reasons = "; ".join(f"{skip.provider}/{skip.model}: {skip.reason}" for skip in skips)
        return Refused(PlainText(reasons or ("this is the last entry" if session.chain else "there is no chain")))
    target = session.chain[moved.value - 1].route
    effect = f"{session.name} goes to {target}, and stays until you restore"
    if session.phase is Phase.RUNNING:
        question = f"Leave {session.active} while it answers?"
        return Confirm(PlainText(question), PlainText(f"The reply so far is dropped; {effect}."))
    if not session.on_fallback and session.phase is Phase.IDLE:
        return Confirm(PlainText(f"Leave {session.active}, which is fine?"), PlainText(f"{effect}."))
    return Ready(PlainText(f"{effect}."))


def _switch_model(session: Session, provider: str, model: str, snapshot: Snapshot) -> Preview:
    if one_line(model) != model:
        return Refused(PlainText("the model's name holds what cannot be printed"))
    if (session.requested.provider, session.requested.model) == (provider, model):
        return Refused(PlainText(f"{session.name} asks for {provider}/{model} already"))
    configuration = snapshot.facts.configuration
    if configuration is None or configuration.pool(provider) is None:
        pools = [pool.name for pool in configuration.pools] if configuration else []
        close = nearest(provider, pools)
        hint = f"; did you mean {close}?" if close else ""
        return Refused(PlainText(f"provider {provider} is not configured{hint}"))
    if route_in(configuration, provider, model) is None:
        return Refused(PlainText(f"nobody said where {provider} is: give it a base_url"))
    return Ready(
        PlainText(f"{session.name} asks for {provider}/{model} {_when(session)}; its fallback state is reset.")
    )


def _send_prompt(session: Session, text: str) -> Preview:
    if not text.strip():
        return Refused(PlainText("the prompt is empty"))
    if session.phase is not Phase.IDLE:
        return Ready(PlainText(f"{session.name} takes it when this turn has ended."))
    return Ready(PlainText(f"{session.name} sends it to {session.active}."))


def _new_session(wanted: NewSession, snapshot: Snapshot) -> Preview:
    facts, name, every = snapshot.facts, wanted.session, wanted.every_seconds
    refusal = making_refusal(facts, name, like=wanted.like, prompt=wanted.prompt, every_seconds=every)
    if refusal is not None or facts.configuration is None:
        return Refused(refusal or PlainText("there is no configuration yet"))
    session = made(facts, facts.configuration, name, like=wanted.like, prompt=wanted.prompt, every_seconds=every)
    if every is not None:
        return Ready(PlainText(f"{name} sends its prompt to {session.active} now, and then every {spelled(every)}."))
    how = "this prompt, now" if wanted.prompt.strip() else "your first prompt"
    return Ready(PlainText(f"{name} starts on {session.active} with {how}."))


def _keep(command: RenameSession | ArchiveSession | ChangeSchedule, state: SessionState, snapshot: Snapshot) -> Preview:
    facts, before = snapshot.facts, state.name
    match command:
        case RenameSession(name=name):
            return _judged(renaming_refusal(facts, before, name), f"{before} is called {name} from now on.")
        case ChangeSchedule(every_seconds=every, prompt=prompt):
            return _judged(scheduling_refusal(facts, before, every, prompt), f"{before} {schedule_words(every)}.")
        case ArchiveSession():
            return _archive(state)


def _archive(state: SessionState) -> Preview:
    name = state.name
    waiting = state.live.queued if state.live else 0
    effect = f"{name} runs nothing and is out of the list until you bring it back; nothing of it is deleted."
    if state.row.phase is Phase.IDLE and not waiting:
        return Ready(PlainText(effect))
    lost = "What has streamed so far is not kept" + (f", nor what waits to be sent ({waiting})" if waiting else "")
    return Confirm(PlainText(f"Archive {name} while its turn runs?"), PlainText(f"{lost}. {effect}"))


def _reset_cooldown(key: CredentialKey, snapshot: Snapshot, now: float) -> Preview:
    pool = _pool(snapshot, key.pool)
    member = pool.member(key.label) if pool else None
    if pool is None or member is None:
        return Refused(PlainText(f"there is no credential {key}"))
    row = row_of(snapshot.facts, pool, member)
    match row.status(now):
        case Status.OK:
            return Refused(PlainText(f"{key} has no cooldown"))
        case Status.DEAD:
            return Refused(PlainText(f"{key} is dead: only another token revives it"))
        case Status.EXHAUSTED:
            bench = row.longest(now)
            effect = f"{key} is used again from the next request on; its siblings stay as they are."
            if bench is not None and bench.source == "provider":
                return Confirm(PlainText(f"Clear {key} before the provider's reset?"), PlainText(effect))
            return Ready(PlainText(effect))


def _about_verdict(command: ProbeNow | DropVerdict, snapshot: Snapshot, now: float) -> Preview:
    if isinstance(command, ProbeNow):
        return _probe_now(command, snapshot, now)
    anyway = snapshot.facts.keymap.word("probe_anyway")
    return Refused(PlainText(f"{anyway} asks about {command.credential} anew; the answer takes the verdict's place"))


def _probe_now(command: ProbeNow, snapshot: Snapshot, now: float) -> Preview:
    pool = _pool(snapshot, command.credential.pool)
    member = pool.member(command.credential.label) if pool else None
    if pool is None or member is None or member.fault:
        return Refused(PlainText(member.fault if member and member.fault else f"no credential {command.credential}"))
    if not pool.reopens_early:
        return Refused(PlainText(f"{pool.provider} has no usage endpoint to ask"))
    verdict = cached(snapshot.facts, Candidate(pool, member, command.model))
    if verdict is not None and now - verdict.asked_at < PROBE_FLOOR_SECONDS:
        return Refused(PlainText(f"{command.credential} was asked just now"), verdict.asked_at + PROBE_FLOOR_SECONDS)
    if verdict is not None and verdict.fresh(now) and not command.anyway:
        key = snapshot.facts.keymap.word("probe_anyway")
        reason = f"{command.credential} was asked a moment ago and its verdict still counts; {key} asks anyway"
        return Refused(PlainText(reason), verdict.expires_at)
    return Ready(PlainText(f"The usage endpoint is asked about {command.credential}; no prompt is sent."))


def _pool(snapshot: Snapshot, name: str) -> Pool | None:
    configuration = snapshot.facts.configuration
    return configuration.pool(name) if configuration else None
