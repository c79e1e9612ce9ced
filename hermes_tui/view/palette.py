"""The command palette's rows: the actions that match what is typed, each with its key and why it can't be used."""

from collections.abc import Callable
from typing import Final

from hermes_tui.core.keymap import Keymap
from hermes_tui.view.actions import ACTIONS, Action, Group
from hermes_tui.view.cells import width
from hermes_tui.view.line import Body, Line, Part, Row, Style, cut_line, filled, line

OFFERED: Final = tuple(
    action for action in ACTIONS if action.group is not Group.MOVE and action.id not in ("palette", "back")
)
_LABEL_CELLS: Final = max(width(action.label) for action in OFFERED) + 2


def matching(sought: str) -> tuple[Action, ...]:
    """Return the actions in whose name every word of `sought` occurs; those that begin with it come first."""
    words = sought.casefold().split()
    found = [action for action in OFFERED if all(word in action.label.casefold() for word in words)]
    return tuple(sorted(found, key=lambda action: not action.label.casefold().startswith(tuple(words[:1]))))


def palette_body(sought: str, keymap: Keymap, why_not: Callable[[Action], str], cells: int) -> Body:
    """Return the rows, keyed by the actions' identities, in `cells` columns; `why_not` is empty where one can act."""
    actions = matching(sought)
    if not actions:
        return Body((Row(line(f'No command matches "{sought}".', Style.MUTED)),), "")
    keys = max(width(keymap.word(action.id)) for action in OFFERED) + 2
    return Body(tuple(Row(_offer(action, keymap, why_not(action), keys, cells), action.id) for action in actions), "")


def _offer(action: Action, keymap: Keymap, why_not: str, keys: int, cells: int) -> Line:
    """Return an action's row, which is pressed anywhere on it."""
    parts = (
        Part(action.label.ljust(_LABEL_CELLS), Style.MUTED if why_not else Style.PLAIN, action.id),
        Part(keymap.word(action.id).ljust(keys), Style.KEY, action.id),
        Part(why_not, Style.MUTED, action.id),
    )
    return filled(cut_line(parts, cells), cells)
