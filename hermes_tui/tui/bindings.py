"""The keys of the table of actions, and those of the panels, as the dashboard's bindings."""

from textual.binding import Binding, BindingType

from hermes_tui.core.keymap import DEFAULT, PANEL_KEYS
from hermes_tui.view.actions import ACTIONS


def table_bindings() -> list[BindingType]:
    """Return the keys of the table. They act at once: a slow line delivers several, and the next may be meant for
    what the first opens.
    """
    acts = [
        Binding(
            ",".join(DEFAULT[action.id]),
            f"do('{action.id}')",
            action.label,
            show=False,
            id=action.id,
            tooltip=action.help,
            priority=True,
        )
        for action in ACTIONS
    ]
    panels = [
        Binding(key, f"panel({key})", f"Panel {key}", show=False, id=f"panel_{key}", priority=True)
        for key in PANEL_KEYS
    ]
    return [*acts, *panels]
