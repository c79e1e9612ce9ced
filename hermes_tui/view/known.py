"""Everything that is known about each credential: its row, its bench, its state, and the newest verdict."""

from collections.abc import Collection
from typing import NamedTuple

from hermes_tui.core.configuration import Member, Pool, Settings
from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.credential import Credential
from hermes_tui.core.diagnosis import lies
from hermes_tui.core.facts import Facts
from hermes_tui.core.pool import Candidate, row_of
from hermes_tui.core.secret import shown
from hermes_tui.core.verdict import CachedVerdict, VerdictKey
from hermes_tui.view.words import State

Token = tuple[str, str, str]
"""Provider, account and fingerprint: what a verdict was asked with."""


class Known(NamedTuple):
    """One credential with everything that is known about it."""

    pool: Pool
    member: Member
    row: Credential
    bench: Cooldown | None
    state: State
    verdict: CachedVerdict | None
    contradicted: bool
    asking: bool = False

    @property
    def shown(self) -> State:
        """The state that a row shows: while a question is in flight, that."""
        return State.PROBING if self.asking else self.state

    @property
    def name(self) -> str:
        """The credential as rows and sentences name it."""
        return str(self.row.key)

    @property
    def named(self) -> str:
        """The name with four digits that tell its token from others; a key that nobody has asked for has none."""
        return self.name if self.member.on_demand else f"{self.name} {shown(self.row.fingerprint)}".rstrip()

    @property
    def model_benched(self) -> str | None:
        """The model that the bench is about alone, None where it is about the whole credential."""
        return next((model for model, bench in self.row.model_cooldowns if bench is self.bench), None)


def known_credentials(facts: Facts, now: float, asking: Collection[VerdictKey] = ()) -> tuple[Known, ...]:
    """Return every configured credential in the file's order; `asking` are the questions in flight."""
    configuration = facts.configuration
    if configuration is None:
        return ()
    verdicts = newest_verdicts(facts)
    asked = frozenset((key.provider, key.account, key.fingerprint) for key in asking)
    return tuple(
        _known(facts, now, configuration.settings, pool, member, verdicts)._replace(
            asking=(pool.provider, member.account, member.fingerprint) in asked
        )
        for pool in configuration.pools
        for member in pool.members
    )


def newest_verdicts(facts: Facts) -> dict[Token, CachedVerdict]:
    """Return the newest verdict of each token, whatever model it is about."""
    newest: dict[Token, CachedVerdict] = {}
    for verdict in facts.verdicts.values():
        token = (verdict.key.provider, verdict.key.account, verdict.key.fingerprint)
        known = newest.get(token)
        if known is None or known.asked_at < verdict.asked_at:
            newest[token] = verdict
    return newest


def _known(
    facts: Facts, now: float, settings: Settings, pool: Pool, member: Member, verdicts: dict[Token, CachedVerdict]
) -> Known:
    row = row_of(facts, pool, member)
    bench = row.longest(now)
    verdict = verdicts.get((pool.provider, member.account, member.fingerprint)) if pool.reopens_early else None
    contradicted = verdict is not None and lies(
        facts, Candidate(pool, member, verdict.key.model), verdict, settings, now
    )
    on_trial = any(
        trial.runs(now) and trial.label == member.label and trial.subject.provider == pool.provider
        for trial in facts.trials.values()
    )
    return Known(pool, member, row, bench, _state(row, member, bench, on_trial=on_trial), verdict, contradicted)


def _state(row: Credential, member: Member, bench: Cooldown | None, *, on_trial: bool) -> State:
    if member.fault:
        return State.NOT_SET
    if row.death is not None:
        return State.DEAD
    if on_trial:
        return State.ON_TRIAL
    if bench is not None:
        return State.COOLING
    if row.cooldown is not None or row.model_cooldowns:
        return State.DUE
    return State.OK
