"""What holds for a credential's row, and for the requests that are sent with it."""

from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import Credential, CredentialKey
from hermes_tui.core.event import (
    ActPerformed,
    AttemptFailed,
    ClockStepped,
    CredentialBenched,
    Event,
    RequestSent,
    TurnCompleted,
)
from hermes_tui.core.facts import Facts
from hermes_tui.core.session import Session
from hermes_tui.core.verdict import TrialOutcome
from hermes_tui.storage.entries import Entry
from tests.machine.world import ROUNDING_SECONDS, World


class CredentialLaws:
    """An error never frees a credential, a dead one is left alone, and a benched one serves who may use it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._died: dict[str, float] = {}
        self._forced: set[str] = set()
        self._requests = 0

    def examine(self, entry: Entry, before: Facts) -> None:
        """Fail where a credential's row, or a request with it, breaks a law."""
        for row in entry.rows:
            if isinstance(row, Credential) and entry.event is not None:
                self._examine_row(row, before.credentials.get(row.token), entry.event)
        match entry.event:
            case RequestSent():
                (used,) = (row for row in entry.rows if isinstance(row, Credential))
                self._may_serve(before.credentials.get(used.token), entry.event, before)
            case ActPerformed(act="force_restore", session=str(session)):
                self._forced.discard(session)
            case AttemptFailed() | TurnCompleted():
                self._note_forced(entry.event, before)
            case _:
                pass

    def the_dead_are_left_alone(self) -> None:
        """Fail where a provider was asked with a token that was known to be dead."""
        for request in self._world.requests[self._requests :]:
            died = self._died.get(request.key)
            asked = request.model is not None and died is not None and request.at > died + ROUNDING_SECONDS
            assert not asked, f"{request} with a token dead since {died}"
        self._requests = len(self._world.requests)

    def _examine_row(self, row: Credential, before: Credential | None, event: Event) -> None:
        _is_its_own_outcome(row, event)
        if before is not None:
            assert before.death is None or row.death is not None, f"{row.key} came back to life with the same token"
            _cooldowns_stand(row, before, event)
        if row.death is not None:
            self._died.setdefault(row.fingerprint, self._world.true_time(event.time))

    def _may_serve(self, row: Credential | None, event: RequestSent, before: Facts) -> None:
        """A dead credential serves nobody, a benched one the holder of its trial, and one forced request."""
        if row is None or event.session is None:
            return
        assert row.death is None, f"{row.key} is dead"
        bench = row.benched_for(event.model, event.time)
        allowed = bench is None or _is_on_trial(event, before) or self._is_forced(before.sessions[event.session])
        assert allowed, f"{row.key} has {bench}"

    def _is_forced(self, session: Session) -> bool:
        return session.forced_at is not None and not session.on_fallback and session.name not in self._forced

    def _note_forced(self, event: AttemptFailed | TurnCompleted, before: Facts) -> None:
        """Remember that a session's forced request has had its outcome: the next one is none."""
        session = before.sessions[str(event.session)]
        on_primary = (event.provider, event.model) == (session.requested.provider, session.requested.model)
        if session.forced_at is not None and on_primary and not session.on_fallback:
            self._forced.add(session.name)


def _is_its_own_outcome(row: Credential, event: Event) -> None:
    """What happened to a request says nothing about any credential but the one that sent it."""
    if isinstance(event, AttemptFailed | CredentialBenched | TurnCompleted | RequestSent):
        assert row.key == CredentialKey(event.provider, event.credential), f"{row.key} was touched"


def _cooldowns_stand(row: Credential, before: Credential, event: Event) -> None:
    """A cooldown ends with its date, a reply, or what the user does; errors only move it later."""
    for scope in (None, *(model for model, _ in before.model_cooldowns)):
        was = before.cooldown if scope is None else before.model_cooldown(scope)
        left = row.cooldown if scope is None else row.model_cooldown(scope)
        if was is None or not was.ahead(event.time):
            continue
        if isinstance(event, ClockStepped):
            expected = was.until + (event.step if was.source is Said.ASSUMED else 0.0)
            assert left is not None, f"the step took {was} away"
            assert left.until == expected, f"the step left {left.until} of {was}"
        elif not _ends(event, row, scope):
            assert left is not None, f"{row.key} lost {was}"
            assert left.until >= was.until, f"{row.key}: {was} became {left}"


def _ends(event: Event, row: Credential, scope: str | None) -> bool:
    match event:
        case TurnCompleted():
            return scope in (None, event.model)
        case ActPerformed():
            return event.act == "reset_cooldown" and event.target == str(row.key)
        case _:
            return False


def _is_on_trial(event: RequestSent, before: Facts) -> bool:
    holder = (event.credential, event.session, event.model)
    return any(
        (trial.label, trial.session, trial.subject.model) == holder
        for trial in before.trials.values()
        if trial.outcome is TrialOutcome.RUNNING and event.time < trial.expires_at
    )
