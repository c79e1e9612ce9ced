"""Facts: every row that decisions are made from, and the fold that makes them from a journal."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_tui.core.bench import Bench
from hermes_tui.core.configuration import Configuration, Pool, Settings
from hermes_tui.core.credential import Credential, TokenKey
from hermes_tui.core.decision import NameGivenUp, Row, TokenForgotten, VerdictForgotten
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.session import Message, Session
from hermes_tui.core.verdict import CachedVerdict, Hold, Subject, Trial, VerdictKey

if TYPE_CHECKING:
    from hermes_tui.core.diagnosis import Diagnosis
    from hermes_tui.core.restoring import WayBack

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class Facts:
    """The rows by their identity. Values are immutable; only `put` replaces them.

    `judge` decides about sessions that another program runs, by its rules; None for this program's own mechanism.
    """

    configuration: Configuration | None = None
    credentials: dict[TokenKey, Credential] = field(default_factory=dict)
    verdicts: dict[VerdictKey, CachedVerdict] = field(default_factory=dict)
    holds: dict[Subject, Hold] = field(default_factory=dict)
    trials: dict[Subject, Trial] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    judge: "Callable[[Facts, Session, float], tuple[WayBack, Diagnosis]] | None" = None
    _benches: dict[tuple[str, str], Bench] = field(default_factory=dict, init=False, repr=False, compare=False)
    _answers: dict[object, tuple[Pool, float, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def settings(self) -> Settings:
        """The settings in force, the defaults where no configuration is known."""
        return self.configuration.settings if self.configuration else Settings()

    @property
    def keymap(self) -> Keymap:
        """The keys in force, the default ones where no configuration is known."""
        return self.configuration.keymap if self.configuration else NO_CHANGE

    def put(self, row: Row) -> None:
        """Make `row` the current value of what it is about; messages are kept by the ledger, not here."""
        self._answers.clear()
        match row:
            case Session():
                self.sessions[row.name] = row
            case NameGivenUp():
                self.sessions.pop(row.before, None)
            case Credential():
                self.credentials[row.token] = row
                self._tell_benches(row.token, row)
            case TokenForgotten():
                self.credentials.pop(row.token, None)
                self._tell_benches(row.token, None)
            case CachedVerdict():
                self.verdicts[row.key] = row
            case VerdictForgotten():
                self.verdicts.pop(row.key, None)
            case Hold():
                self.holds[row.subject] = row
            case Trial():
                self.trials[row.subject] = row
            case Configuration():
                self.configuration = row
            case Message():
                pass

    def _tell_benches(self, token: TokenKey, row: Credential | None) -> None:
        for bench in self._benches.values():
            bench.put(token, row)

    def bench(self, pool: Pool, model: str) -> Bench:
        """Return who of `pool` may serve `model`; kept up to date by `put`."""
        known = self._benches.get((pool.name, model))
        if known is None or known.pool is not pool:
            known = self._benches[pool.name, model] = Bench(pool, model, self.credentials)
        return known

    def once(self, question: "Question[T]", pool: Pool, model: str, now: float) -> T:
        """Return the answer to `question`, asked once until a row, the pool or the moment is another."""
        known = self._answers.get((question, pool.name, model))
        if known is None or known[0] is not pool or known[1] != now:
            known = self._answers[question, pool.name, model] = (pool, now, question(self, pool, model, now))
        answer: T = known[2]
        return answer

    def under(self, configuration: Configuration) -> "Facts":
        """Return the same rows seen under another configuration: each process decides by its own file."""
        seen = Facts(configuration, self.credentials, self.verdicts, self.holds, self.trials, self.sessions, self.judge)
        seen._benches = self._benches
        if self.configuration is configuration:
            seen._answers = self._answers
        return seen

    def copy(self, before: "Facts | None" = None) -> "Facts":
        """Return facts that later changes to these do not reach; a table that has not changed is that of `before`."""
        before = before or Facts()

        def kept(mine: dict[K, V], its: dict[K, V]) -> dict[K, V]:
            return its if mine == its else dict(mine)

        return Facts(
            self.configuration,
            kept(self.credentials, before.credentials),
            kept(self.verdicts, before.verdicts),
            kept(self.holds, before.holds),
            kept(self.trials, before.trials),
            kept(self.sessions, before.sessions),
            self.judge,
        )

    def differ_in_sessions_alone(self, before: "Facts") -> bool:
        """Tell whether all but sessions is as in `before`: what was decided of a session still rests on the same rows.

        Both are copies of the same facts.
        """
        return (
            self.configuration is before.configuration
            and self.judge == before.judge
            and self.credentials is before.credentials
            and self.verdicts is before.verdicts
            and self.holds is before.holds
            and self.trials is before.trials
        )


Question = Callable[[Facts, Pool, str, float], T]


def shared(question: Question[T]) -> Question[T]:
    """Let all sessions that ask the same about a pool and a model at one moment share the answer."""

    @wraps(question)
    def answered(facts: Facts, pool: Pool, model: str, now: float) -> T:
        return facts.once(question, pool, model, now)

    return answered


def fold(rows: Iterable[Row], start: Facts | None = None) -> Facts:
    """Return the facts after `rows`, in their order: what replay and a restart see."""
    facts = start or Facts()
    for row in rows:
        facts.put(row)
    return facts
