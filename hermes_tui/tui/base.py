"""What every application of ours begins with: our style sheets and themes, and a driver that outlives its terminal."""

import traceback
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import App, ReturnType
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import DescendantFocus
from textual.filter import LineFilter

from hermes_tui.core.secret import without_any
from hermes_tui.tui.ascii import AsciiFilter
from hermes_tui.tui.styles import style_sheets
from hermes_tui.tui.themes import DARK, THEMES, Look
from hermes_tui.tui.widgets.lines import COMPONENTS


class BaseApp(App[ReturnType], inherit_bindings=False):
    """An application that looks as `look` says; leaving it by ctrl+q is left to its screens, which may ask first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "help_quit", show=False)]

    def __init__(self, look: Look) -> None:
        self.look = look
        self._ascii = AsciiFilter()
        super().__init__(css_path=style_sheets(), ansi_color=True if look.native_colours else None)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = look.theme
        if not look.motion:
            self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our tokens for themes that do not define them."""
        return dict(next(theme for theme in THEMES if theme.name == DARK).variables)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's own filters, and the one that leaves no more than ASCII where that is asked for."""
        filters = super().get_line_filters()
        return (*filters, self._ascii) if self.look.ascii else filters

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that outlives its terminal, where Textual takes its own for POSIX."""
        chosen = super().get_driver_class()
        if chosen.__name__ != "LinuxDriver":
            return chosen
        from hermes_tui.tui.driver import LastingDriver  # noqa: PLC0415 - it exists on POSIX only

        return LastingDriver

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Hold the cursor of a field still: nothing blinks here."""
        if hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    def on_mount(self) -> None:
        """Take borders of ASCII where they are asked for."""
        self.set_class(self.look.ascii, "-ascii")

    def _fatal_error(self) -> None:
        """Leave with the traceback as text: Textual's own prints the values of variables, which may hold keys."""
        self.panic(Text(without_any(traceback.format_exc())))
