"""Remarks: what is worth saying about a route before it is needed, how much it matters, and who says it."""

from enum import IntEnum, StrEnum

from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class Gravity(IntEnum):
    """How much a remark matters: good to know, the route may fail, the route cannot serve."""

    NOTE = 0
    DOUBT = 1
    FAULT = 2


class Witness(StrEnum):
    """Who a remark comes from: the file, the recorded state, or the provider's server."""

    CONFIGURATION = "configuration"
    STATE = "state"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say about a route, or about one `credential` of it (its label); never holds a key.

    `until` is the end of the cooldown that it is about (epoch seconds), None where it is about none; `approximate`
    tells that this is not certain.
    """

    gravity: Gravity
    by: Witness
    what: PlainText
    credential: str | None = None
    until: float | None = None
    approximate: bool = False
