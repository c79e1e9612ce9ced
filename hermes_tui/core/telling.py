"""What is worth telling a person who does not look at the screen: six occasions, and which events are one."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final, NamedTuple

from hermes_tui.core.event import (
    CredentialBenched,
    Event,
    FallbackActivated,
    LyingProbeDiagnosed,
    PrimaryVerified,
    QuestionAsked,
    TurnFailed,
    VerdictContradicted,
)
from hermes_tui.core.values import dataclass


class Occasion(StrEnum):
    """A kind of happening, by its name in the configuration and in HERMES_TUI_EVENT."""

    FALLBACK = "fallback"
    RESTORED = "restored"
    EXHAUSTED = "exhausted"
    DEAD = "dead"
    LYING_PROBE = "lying_probe"
    ASKS = "asks"


REMINDER: Final = "reminder"
"""What HERMES_TUI_EVENT names where nothing happened: a session is still off its primary."""


class Wanted(NamedTuple):
    """What one means is to tell: which occasions, and how many seconds lie between reminders (None: none)."""

    on: Collection[Occasion] = ()
    remind_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Telling:
    """The `[tell]` table: by what means the user is told, and of what; `command` is empty where none is run."""

    bell: bool = False
    desktop: bool = False
    command: tuple[str, ...] = ()
    on: frozenset[Occasion] = frozenset(Occasion)
    remind_seconds: float | None = None

    @property
    def by_terminal(self) -> Wanted:
        """What the dashboard's terminal is to tell."""
        return self._if(self.bell or self.desktop)

    @property
    def by_command(self) -> Wanted:
        """What the user's command is to tell."""
        return self._if(bool(self.command))

    def _if(self, used: bool) -> Wanted:
        return Wanted(self.on, self.remind_seconds) if used else Wanted()


UNLESS_CHOSEN: Final = Telling(bell=True, on=frozenset({Occasion.ASKS}))
"""How the user is told where nobody has chosen: a session that waits for him rings, for without him it goes nowhere."""


def occasion_of(event: Event) -> Occasion | None:
    """Return what occasion `event` is, None where nobody need be told.

    A fallback that the user took by hand is no news, a restore counts once a reply has verified it (M33), a failed
    turn where no route was left (M8).
    """
    match event:
        case FallbackActivated(by_user=False):
            return Occasion.FALLBACK
        case PrimaryVerified():
            return Occasion.RESTORED
        case TurnFailed(exhausted=True):
            return Occasion.EXHAUSTED
        case CredentialBenched(until=None):
            return Occasion.DEAD
        case VerdictContradicted() | LyingProbeDiagnosed():
            return Occasion.LYING_PROBE
        case QuestionAsked():
            return Occasion.ASKS
        case _:
            return None
