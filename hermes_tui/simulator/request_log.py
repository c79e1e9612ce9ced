"""The log of what was asked: every request with what it met, and no secret in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request: when (epoch seconds), to whom, with which key (its fingerprint), and what it met.

    `status` is the HTTP status that was answered, None where none was. `model` is None for questions that cost nothing.
    `met` is a mode, or the name of a shape.
    """

    at: float
    path: str
    provider: str | None
    account: str | None
    key: str
    model: str | None
    met: str | None
    status: int | None
