"""What an act will do, said before it is done: at once, after a question, or not now."""

from dataclasses import dataclass

from hermes_tui.core.text import PlainText


@dataclass(frozen=True, slots=True)
class Ready:
    """The act can be done at once; `effect` says what it will do."""

    effect: PlainText


@dataclass(frozen=True, slots=True)
class Confirm:
    """The act can be done, and asks first: the question names its object, `effect` says what is likely to happen."""

    question: PlainText
    effect: PlainText


@dataclass(frozen=True, slots=True)
class Refused:
    """The act cannot be done now; `reason` is a sentence. `until` is when that changes (epoch seconds)."""

    reason: PlainText
    until: float | None = None


Preview = Ready | Confirm | Refused
