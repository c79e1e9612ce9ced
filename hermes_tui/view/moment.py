"""One moment as the panels see it: a snapshot, the time, and where every session stands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import Code, Diagnosis
from hermes_tui.core.facts import Facts
from hermes_tui.core.judging import Judged, judged
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.restoring import WayBack
from hermes_tui.core.session import Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.view.known import Known, known_credentials


class Judgement:
    """What is decided about a session at a time, when somebody first asks: what nobody looks at costs nothing."""

    __slots__ = ("_judge", "_judged")

    def __init__(self, facts: Facts, row: Session, now: float) -> None:
        self._judge: Callable[[], Judged] | None = partial(judged, facts, row, now)
        self._judged: Judged

    @property
    def is_made(self) -> bool:
        """Whether somebody has asked."""
        return self._judge is None

    def __call__(self) -> Judged:
        """Return what is decided."""
        if self._judge is not None:
            self._judged, self._judge = self._judge(), None
        return self._judged


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one session stands: its state, and what is decided about it."""

    state: SessionState
    judgement: Judgement

    @property
    def way(self) -> WayBack:
        """The session's way back."""
        return self.judgement()[0]

    @property
    def diagnosis(self) -> Diagnosis:
        """The diagnosis made from its way back."""
        return self.judgement()[1]

    @property
    def off_primary(self) -> bool:
        """Whether the session is anywhere but on a primary that works."""
        return self.state.row.on_fallback or self.diagnosis.code is not Code.ON_PRIMARY


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user's acts are about: a session, and a credential with the model to ask it about."""

    session: str | None = None
    credential: CredentialKey | None = None
    model: str | None = None


class Named(NamedTuple):
    """A session by the name of its source and its own."""

    source: str
    session: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A snapshot at `now` (epoch seconds), with all standings in its order, and what is known of each credential.

    Standings and credentials hold until `holds_until`; the same objects are taken over until then. `off` are the
    diagnoses of all sessions that are off their primary, as of the last count; `opened` is the session that is looked
    at, with what was said in it, where no snapshot holds that: an archived one, or one that another program runs.
    `fault` is why the engine stopped as this program saw it; `frozen_for` how many seconds ago the user froze the
    display here. `beside` are the moments of all sources on the screen, its own among them, where there are several;
    `reads` names what is being read now and will be one of them.
    """

    snapshot: Snapshot
    now: float
    standings: tuple[Standing, ...] = ()
    known: tuple[Known, ...] = ()
    holds_until: float = 0.0
    off: tuple[Code, ...] = ()
    selection: Selection = field(default_factory=Selection)
    fault: PlainText | None = None
    frozen_for: float | None = None
    reads: str = ""
    opened: Standing | None = None
    beside: tuple["Moment", ...] = ()

    @property
    def everywhere(self) -> tuple["Moment", ...]:
        """The moments of all sources on the screen, its own among them."""
        return self.beside or (self,)

    @property
    def source(self) -> str:
        """The name of its source."""
        return self.snapshot.source

    @property
    def facts(self) -> Facts:
        """The rows that everything is decided from."""
        return self.snapshot.facts

    @property
    def keymap(self) -> Keymap:
        """The keys in force."""
        return self.facts.keymap

    @property
    def standing(self) -> Standing | None:
        """The selected session's standing."""
        return self.standing_of(self.selection.session)

    def standing_of(self, name: str | None) -> Standing | None:
        """Return the standing of the session named `name`."""
        if self.opened is not None and self.opened.state.name == name:
            return self.opened
        return next((standing for standing in self.standings if standing.state.name == name), None)

    def selecting(self, selection: Selection) -> "Moment":
        """Return the moment with another selection."""
        return self if selection == self.selection else replace(self, selection=selection)


def of_source(moment: Moment) -> str:
    """Return whose something is, behind a title: ` of hermes`, where there are several sources."""
    return f" of {moment.source}" if moment.beside else ""


def standing_of(snapshot: Snapshot, state: SessionState, now: float) -> Standing:
    """Return where a session stands at `now`."""
    return Standing(state, Judgement(snapshot.facts, state.row, now))


def moment_of(
    snapshot: Snapshot, now: float, before: Moment | None = None, *, counts_at_most: int | None = None
) -> Moment:
    """Return the moment of `snapshot` at `now`; what still holds is taken over from the moment `before`.

    Where more than `counts_at_most` sessions would have to be judged to count them, the last count stays.
    """
    return _counted(_uncounted(snapshot, now, before), counts_at_most)


def _uncounted(snapshot: Snapshot, now: float, before: Moment | None) -> Moment:
    facts = snapshot.facts
    asking = snapshot.asking
    if before is None or not before.now <= now < before.holds_until:
        standings = tuple(standing_of(snapshot, state, now) for state in snapshot.sessions)
        off = before.off if before else ()
        return Moment(snapshot, now, standings, known_credentials(facts, now, asking), next_boundary(facts, now), off)
    if before.snapshot is snapshot:
        return replace(before, now=now)
    stands = facts.differ_in_sessions_alone(before.facts)
    carried = {standing.state.name: standing for standing in before.standings} if stands else {}
    standings = tuple(_carried(carried.get(state.name), snapshot, state, now) for state in snapshot.sessions)
    same_known = stands and before.snapshot.asking == asking
    known = before.known if same_known else known_credentials(facts, now, asking)
    holds_until = before.holds_until if facts is before.facts else next_boundary(facts, now)
    return Moment(snapshot, now, standings, known, holds_until, before.off)


def _carried(before: Standing | None, snapshot: Snapshot, state: SessionState, now: float) -> Standing:
    """Return a standing whose judgement still holds, with what has streamed since."""
    if before is None or before.state.row is not state.row:
        return standing_of(snapshot, state, now)
    return before if before.state is state else replace(before, state=state)


def _counted(moment: Moment, at_most: int | None) -> Moment:
    if at_most is not None and sum(not standing.judgement.is_made for standing in moment.standings) > at_most:
        return moment
    off = tuple(standing.diagnosis.code for standing in moment.standings if standing.off_primary)
    return moment if off == moment.off else replace(moment, off=off)


def next_boundary(facts: Facts, now: float) -> float:
    """Return the next time at which a decision may change without a new snapshot: between two, only countdowns move."""
    return min((at for at in _times(facts) if at is not None and at > now), default=float("inf"))


def _times(facts: Facts) -> Iterator[float | None]:
    interval = facts.configuration.settings.probe_interval_seconds if facts.configuration else 0.0
    for session in facts.sessions.values():
        yield session.home_at
        yield session.cooldown.until if session.cooldown else None
        yield session.checked_at + interval if session.checked_at is not None else None
        yield from (hold.until for hold in session.holds)
    for credential in facts.credentials.values():
        yield credential.cooldown.until if credential.cooldown else None
        yield from (cooldown.until for _, cooldown in credential.model_cooldowns)
    for verdict in facts.verdicts.values():
        yield from (verdict.asked_at, verdict.expires_at)
    yield from (hold.until for hold in facts.holds.values())
    for trial in facts.trials.values():
        yield from (trial.expires_at, trial.next_at)


def selection_for(snapshot: Snapshot, session: str | None, credential: CredentialKey | None) -> Selection:
    """Return the selection of a session and a credential, with the model that the credential is asked about."""
    if credential is None:
        return Selection(session)
    state = snapshot.session(session) if session is not None else None
    configuration = snapshot.facts.configuration
    routes = [state.row.requested, *(link.route for link in state.row.chain)] if state else []
    if configuration is not None:
        routes += [configuration.primary.route, *(link.route for link in configuration.chain)]
    model = next((route.model for route in routes if route.pool == credential.pool), None)
    return Selection(session, credential, model)


def blamed_credential(state: SessionState) -> CredentialKey | None:
    """Return the credential that the session's story is about: the one that failed when it left its primary."""
    left = state.row.departure
    if not state.row.on_fallback or left is None or left.credential is None:
        return None
    return CredentialKey(state.row.requested.pool, left.credential)


def kept_credential(moment: Moment, key: CredentialKey | None) -> CredentialKey | None:
    """Return `key` while the configuration has that credential, else its first one."""
    configuration = moment.facts.configuration
    pools = configuration.pools if configuration else ()
    keys = [CredentialKey(pool.name, member.label) for pool in pools for member in pool.members]
    return key if key in keys else next(iter(keys), None)
