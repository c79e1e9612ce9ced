"""What a decision is: events in the past tense, each with the rows that it makes true."""

from collections.abc import Iterable
from dataclasses import field
from typing import Generic, TypeVar

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import Credential, TokenKey
from hermes_tui.core.event import Event
from hermes_tui.core.session import Message, Session
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import CachedVerdict, Hold, Trial, VerdictKey

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class VerdictForgotten:
    """A row that takes a cached verdict away: user's wish, or the bound on their number."""

    key: VerdictKey


@dataclass(frozen=True, slots=True)
class TokenForgotten:
    """A row that takes the row of an old token away: the bound on their number."""

    token: TokenKey


@dataclass(frozen=True, slots=True)
class NameGivenUp:
    """A row that takes the row of a session's name before away, and gives its conversation to the name after."""

    before: str
    after: str


Row = (
    Credential
    | TokenForgotten
    | CachedVerdict
    | VerdictForgotten
    | Hold
    | Trial
    | Session
    | NameGivenUp
    | Message
    | Configuration
)


@dataclass(frozen=True, slots=True)
class Record:
    """One event and the new values of the rows that it changed; folding them gives the facts."""

    event: Event
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision(Generic[T]):
    """What is to become true, and the answer to whoever asked."""

    value: T
    records: tuple[Record, ...] = field(default=())


def nothing(value: T) -> Decision[T]:
    """Return the decision that changes nothing."""
    return Decision(value)


def events_of(records: Iterable[Record]) -> tuple[Event, ...]:
    """Return the events of `records`."""
    return tuple(record.event for record in records)
