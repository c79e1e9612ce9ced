"""The log of what was asked: every request with what it met, and no secret in it."""

from dataclasses import dataclass

from hermes_tui.simulator.mode import Mode, UsageMode


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request: when (epoch seconds), to whom, with which key (its fingerprint), and what it met.

    `status` is the HTTP status that was answered, None where none was. `model` is None for usage questions.
    """

    at: float
    path: str
    provider: str | None
    account: str | None
    key: str
    model: str | None
    met: Mode | UsageMode | None
    status: int | None
