"""What asking whether a limit reopened early may cost: checks, questions and trials, all processes together."""

from typing import TypeVar

from hermes_tui.core.configuration import Policy
from hermes_tui.core.event import ClockStepped, CredentialLifted, Event, RestoreCheckStarted, VerdictReceived
from hermes_tui.core.facts import Facts
from hermes_tui.core.verdict import CachedVerdict, Subject, Trial, TrialOutcome, Verdict, VerdictKey
from hermes_tui.storage.entries import Entry
from tests.machine.world import INTERVAL_SECONDS, ROUNDING_SECONDS, World

K = TypeVar("K")
Asked = tuple[str, str]
"""The label of a credential, and a model."""


class ReopeningLaws:
    """Each is asked once in an interval, by the time that really passed, however often the clock was set.

    `by_hand` is what a user has just asked about, `lost` counts questions whose asker died before the answer.
    """

    def __init__(self, world: World) -> None:
        self.by_hand: Asked | None = None
        self.lost = 0
        self._world = world
        self._answers = 0
        self._checked: dict[str, float] = {}
        self._tried: dict[Subject, float] = {}
        self._known_until: dict[VerdictKey, float] = {}

    def questions_accounted_for(self) -> int:
        """Return how many questions to usage endpoints have their answer on record, or nobody to record it."""
        return self._answers + self.lost

    def examine(self, entry: Entry, before: Facts) -> None:
        """Fail where something was asked too early."""
        event = entry.event
        match event:
            case RestoreCheckStarted():
                self._check(event)
            case VerdictReceived():
                self._answer(event, entry)
            case CredentialLifted(on_trial=True):
                (trial,) = (row for row in entry.rows if isinstance(row, Trial))
                self._try(trial, event, before)
            case ClockStepped():
                pass
            case _:
                _begins_no_trial(entry, before)

    def _check(self, event: RestoreCheckStarted) -> None:
        """A session asks whether its primary reopened once in an interval."""
        self._once(self._checked, str(event.session), event)

    def _answer(self, event: VerdictReceived, entry: Entry) -> None:
        """A usage endpoint is asked once in an interval, a tenth of it where it could not say; oftener by hand."""
        self._answers += 1
        (row,) = (row for row in entry.rows if isinstance(row, CachedVerdict))
        now = self._world.true_time(event.time)
        early = self._known_until.get(row.key, 0.0) - now
        assert early < ROUNDING_SECONDS or self.by_hand == (event.credential, event.model), f"asked {early} s too early"
        wait = INTERVAL_SECONDS / 10 if row.verdict is Verdict.UNKNOWN else INTERVAL_SECONDS
        self._known_until[row.key] = now + wait

    def _try(self, trial: Trial, event: Event, before: Facts) -> None:
        """One goes first: one trial for each account, model and interval, and none against a hold."""
        running = before.trials.get(trial.subject)
        runs = running is not None and running.outcome is TrialOutcome.RUNNING and event.time < running.expires_at
        assert not runs, f"{trial} began while {running} ran"
        self._once(self._tried, trial.subject, event)
        hold = before.holds.get(trial.subject)
        if hold is not None and hold.until > event.time and self._world.policy is Policy.ADAPTIVE:
            assert trial.evidence != hold.evidence, f"{trial} began against {hold}"

    def _once(self, last: dict[K, float], subject: K, event: Event) -> None:
        now = self._world.true_time(event.time)
        passed = now - last.get(subject, 0.0)
        assert passed >= INTERVAL_SECONDS - ROUNDING_SECONDS, f"{subject}: {event.type} {passed} s after the last"
        last[subject] = now


def _begins_no_trial(entry: Entry, before: Facts) -> None:
    for row in entry.rows:
        if isinstance(row, Trial):
            known = before.trials.get(row.subject)
            assert known is not None, f"{row} began without a lift"
            assert known.started_at == row.started_at, f"{row} began without a lift"
