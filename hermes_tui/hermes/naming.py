"""Names of conversations: the title where there is one that no other has, else with the end of its id, or all of it."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from hermes_tui.core.text import one_line
from hermes_tui.hermes.values import Conversation

LONGEST: Final = 60
_OF_ID: Final = 6


def names(conversations: Iterable[Conversation]) -> dict[str, str]:
    """Return a name for each conversation, by its id; no two are the same."""
    told: dict[str, str] = {one.id: one_line(one.title, LONGEST) or one_line(one.id, LONGEST) for one in conversations}
    short = _apart(told, {id_: f"{name} {id_[-_OF_ID:]}" for id_, name in told.items()})
    return _apart(short, {id_: f"{name} {id_}" for id_, name in told.items()})


def _apart(named: dict[str, str], longer: dict[str, str]) -> dict[str, str]:
    """Return the names, the `longer` ones where several have the same."""
    often = Counter(named.values())
    return {id_: name if often[name] == 1 else longer[id_] for id_, name in named.items()}
