"""The table of actions."""

from hermes_tui.core.keymap import DEFAULT, NO_CHANGE, Keymap
from hermes_tui.view.actions import ACTIONS, in_panel
from hermes_tui.view.help import help_body
from hermes_tui.view.line import text_of


def test_every_action_has_an_identity_of_its_own_and_keys() -> None:
    assert sorted(action.id for action in ACTIONS) == sorted(DEFAULT)


def test_the_help_of_a_panel_explains_every_action_that_applies_there() -> None:
    for panel in range(1, 7):
        shown = "\n".join(text_of(row.line) for row in help_body(panel, 90, NO_CHANGE).rows)
        for action in ACTIONS:
            assert (action.label in shown) or action not in in_panel(panel)


def test_the_help_fits_a_narrow_screen() -> None:
    assert all(len(text_of(row.line)) <= 46 for row in help_body(1, 46, NO_CHANGE).rows)


def test_the_help_shows_the_keys_in_force_and_keeps_its_columns_below_long_ones() -> None:
    keymap = Keymap((("probe", ("ctrl+y",)), ("quit", ("ctrl+shift+f12", "exclamation_mark"))))
    shown = [text_of(row.line) for row in help_body(1, 90, keymap).rows]
    assert [text.split("  ")[1] for text in shown if " Probe  " in text] == ["ctrl+y"]
    at = shown.index("  ctrl+shift+f12 !")
    assert shown[at + 1].startswith(" " * 12 + "Quit ")
