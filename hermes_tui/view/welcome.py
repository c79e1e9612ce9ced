"""What the dashboard says when it is opened for the first time: what this is, and the next step."""

from enum import StrEnum
from typing import Final

from hermes_tui.view.line import EMPTY, Line, Part, Style, wrapped

KEY_CELLS: Final = 4


class Step(StrEnum):
    """What can be done without a configuration; the value is the key."""

    DEMO = "d"
    INIT = "i"
    LEAVE = "q"


_WHAT: Final = (
    "hermes-tui runs agent sessions that outlive their provider's quota. It shows where each stands in its fallback "
    "chain and why, when that ends and how far that can be trusted, and puts the primary model back at a key."
)
_STEPS: Final = {
    Step.DEMO: "Watch the demo: from Friday to Monday on a simulated provider, in half a minute. No key is needed.",
    Step.INIT: "Write a commented configuration there, with the providers whose keys are set here, and open it.",
    Step.LEAVE: "Leave. `hermes-tui init` writes the file too.",
}
_PROMISE: Final = "Nothing is sent anywhere until you start a session or press p on a credential."


def welcome(path: str, cells: int) -> tuple[Line, ...]:
    """Return the page: `path` is where the configuration would be."""
    lines: list[Line] = [*wrapped(_WHAT, cells), EMPTY]
    lines += [*wrapped("There is no configuration yet:", cells, Style.STRONG), *wrapped(path, cells, Style.YOU), EMPTY]
    for step, words in _STEPS.items():
        first, *rest = wrapped(words, cells - KEY_CELLS)
        lines.append(
            (Part(f" {step.value}  ", Style.KEY, step.value), *(part._replace(act=step.value) for part in first))
        )
        lines += [(Part(" " * KEY_CELLS), *parts) for parts in rest]
    return (*lines, EMPTY, *wrapped(_PROMISE, cells, Style.MUTED))
