"""The keys of a screen over the dashboard, for the mouse too."""

from hermes_tui.tui.widgets.bar import Bar
from hermes_tui.tui.widgets.lines import Lines


class KeysBar(Bar):
    """A bar whose acts are keys: a click on one presses it."""

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Press the key as the terminal does: what a screen or a widget sends ends at its parent."""
        event.stop()
        self.app.call_later(self.app.simulate_key, event.act)
