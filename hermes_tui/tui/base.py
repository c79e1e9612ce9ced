"""What every application of ours begins with: our style sheets and themes, a driver that outlives its terminal, and
signals, which have it leave."""

import asyncio
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import App, ReturnType
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import DescendantFocus
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import Input

from hermes_tui.core.secret import without_any
from hermes_tui.core.text import plain
from hermes_tui.tui.ascii import AsciiFilter
from hermes_tui.tui.painting import pared
from hermes_tui.tui.sheet import Sheet
from hermes_tui.tui.styles import style_sheets
from hermes_tui.tui.themes import DARK, THEMES, Look
from hermes_tui.tui.timers import SureTimers
from hermes_tui.tui.widgets.lines import COMPONENTS

_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals by which somebody ends the program."""


class BaseApp(SureTimers, App[ReturnType], inherit_bindings=False):
    """An application that looks as `look` says; leaving it by ctrl+q is left to its screens, which may ask first."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    """What is drawn by lines has nothing that Textual could select; a text area selects by itself."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "help_quit", show=False)]

    def __init__(self, look: Look) -> None:
        self.look = look
        self._ascii = AsciiFilter()
        super().__init__(css_path=style_sheets(), ansi_color=True if look.native_colours else None)
        self.stylesheet = Sheet(variables=self.get_css_variables())
        self.on_leave: Callable[[], None] = lambda: None
        """Called when the app is about to leave, whatever has it leave; it may be called again."""
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

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Paint the cells that changed and no others."""
        super()._display(screen, pared(renderable))

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that outlives its terminal, where Textual takes its own for POSIX."""
        chosen = super().get_driver_class()
        if chosen.__name__ != "LinuxDriver":
            return chosen
        from hermes_tui.tui.driver import LastingDriver  # noqa: PLC0415 - it exists on POSIX only

        return LastingDriver

    async def on_event(self, event: events.Event) -> None:
        """Make plain what is pasted into a line, a tab a blank; a file's text keeps it, and draws it as pictures."""
        if isinstance(event, events.Paste) and isinstance(self.focused, Input):
            event.text = plain(event.text).replace("\t", " ")
        await super().on_event(event)

    async def run_async(self, **options: Any) -> ReturnType | None:
        """Run the app; whoever ends the program by a signal finds the terminal as it was."""
        with self._leaving_on_signals():
            return await super().run_async(**options)

    @contextmanager
    def _leaving_on_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def leave(*_: object) -> None:
            self.on_leave()  # at once: a loop that is busy comes to what is asked of it late
            loop.call_soon_threadsafe(self.leave)

        before = {number: signal.signal(number, leave) for number in _ENDING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def leave(self) -> None:
        """Leave, from wherever the app is."""
        self.exit()

    def release_terminal(self) -> None:
        """Give the terminal back in another thread than the app's, which may never come to it."""
        release = getattr(self._driver, "release", None)
        if release is not None:
            release()

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
