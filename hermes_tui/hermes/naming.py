"""Names for conversations: the title where there is one that no other has, else with the end of the id."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from hermes_tui.core.text import one_line
from hermes_tui.hermes.values import Conversation

LONGEST: Final = 60
_OF_ID: Final = 6


def names(conversations: Iterable[Conversation]) -> dict[str, str]:
    """Return a name for each conversation, by its id; no two are the same."""
    told = {one.id: one_line(one.title, LONGEST) or one_line(one.id, LONGEST) for one in conversations}
    often = Counter(told.values())
    return {id_: name if often[name] == 1 else f"{name} {id_[-_OF_ID:]}" for id_, name in told.items()}
