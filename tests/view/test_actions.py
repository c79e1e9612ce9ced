"""The table of actions."""

from hermes_tui.view.actions import ACTIONS, PANEL_KEYS, in_panel
from hermes_tui.view.help import help_body
from hermes_tui.view.line import text_of


def test_no_two_actions_share_a_key_or_an_identity() -> None:
    keys = [key for action in ACTIONS for key in action.keys] + list(PANEL_KEYS)
    assert len(keys) == len(set(keys))
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


def test_the_help_of_a_panel_explains_every_action_that_applies_there() -> None:
    for panel in range(1, 7):
        shown = "\n".join(text_of(row.line) for row in help_body(panel, 90).rows)
        for action in ACTIONS:
            assert (action.label in shown) or action not in in_panel(panel)


def test_the_help_fits_a_narrow_screen() -> None:
    assert all(len(text_of(row.line)) <= 46 for row in help_body(1, 46).rows)
