"""What is worth telling a person who does not look at the screen: five occasions, and which events are one."""

from enum import StrEnum

from hermes_tui.core.event import (
    CredentialBenched,
    Event,
    FallbackActivated,
    PrimaryVerified,
    TurnFailed,
    VerdictContradicted,
)


class Occasion(StrEnum):
    """A kind of happening, by its name in the configuration and in HERMES_TUI_EVENT."""

    FALLBACK = "fallback"
    RESTORED = "restored"
    EXHAUSTED = "exhausted"
    DEAD = "dead"
    LYING_PROBE = "lying_probe"


def occasion_of(event: Event) -> Occasion | None:
    """Return what occasion `event` is, None where nobody need be told.

    A restore counts once a reply has verified it (M33), a failed turn where no route was left (M8).
    """
    match event:
        case FallbackActivated():
            return Occasion.FALLBACK
        case PrimaryVerified():
            return Occasion.RESTORED
        case TurnFailed(exhausted=True):
            return Occasion.EXHAUSTED
        case CredentialBenched(until=None):
            return Occasion.DEAD
        case VerdictContradicted():
            return Occasion.LYING_PROBE
        case _:
            return None
