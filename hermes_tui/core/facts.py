"""Facts: every row that decisions are made from, and the fold that makes them from a journal."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import Credential, CredentialKey
from hermes_tui.core.decision import Row, VerdictForgotten
from hermes_tui.core.session import Message, Session
from hermes_tui.core.verdict import CachedVerdict, Hold, Subject, Trial, VerdictKey


@dataclass(slots=True)
class Facts:
    """The rows by their identity. Values are immutable; only `put` replaces them."""

    configuration: Configuration | None = None
    credentials: dict[CredentialKey, Credential] = field(default_factory=dict)
    verdicts: dict[VerdictKey, CachedVerdict] = field(default_factory=dict)
    holds: dict[Subject, Hold] = field(default_factory=dict)
    trials: dict[Subject, Trial] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)

    def put(self, row: Row) -> None:
        """Make `row` the current value of what it is about; messages are kept by the ledger, not here."""
        match row:
            case Session():
                self.sessions[row.name] = row
            case Credential():
                self.credentials[row.key] = row
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

    def under(self, configuration: Configuration) -> "Facts":
        """Return the same rows seen under another configuration: each process decides by its own file."""
        return Facts(configuration, self.credentials, self.verdicts, self.holds, self.trials, self.sessions)

    def copy(self) -> "Facts":
        """Return facts that later changes to these do not reach."""
        return Facts(
            self.configuration,
            dict(self.credentials),
            dict(self.verdicts),
            dict(self.holds),
            dict(self.trials),
            dict(self.sessions),
        )


def fold(rows: Iterable[Row], start: Facts | None = None) -> Facts:
    """Return the facts after `rows`, in their order: what replay and a restart see."""
    facts = start or Facts()
    for row in rows:
        facts.put(row)
    return facts
