"""The text of a configuration: coloured by its language, with line numbers; what is hidden in it shows, never acts."""

from typing import Final, cast

from rich.style import Style as RichStyle
from rich.text import Text
from textual.color import Color
from textual.document._document import Document
from textual.theme import Theme
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme

from hermes_tui.core.text import HIDDEN, plain
from hermes_tui.view.cells import even

SYNTAX: Final = {
    "property": ("key", ""),
    "yaml.field": ("key", ""),
    "toml.type": ("key", "bold"),
    "type": ("key", "bold"),
    "string": ("you", ""),
    "number": ("probing", ""),
    "boolean": ("probing", ""),
    "constant.builtin": ("probing", ""),
    "toml.datetime": ("probing", ""),
    "comment": ("muted", "italic"),
    "operator": ("muted", ""),
    "punctuation.bracket": ("muted", ""),
    "punctuation.delimiter": ("muted", ""),
    "toml.error": ("dead", "underline"),
    "error": ("dead", "underline"),
}
"""What each piece of syntax looks like: a token of our themes, and a text style."""


class CodeArea(TextArea):
    """A text area for TOML or YAML. Escape codes and invisible marks are drawn as pictures; the text keeps them."""

    def __init__(self, language: str, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(language=language, soft_wrap=False, show_line_numbers=True, tab_behavior="focus", id=id)

    def on_mount(self) -> None:
        """Take the colours of the app's theme, now and whenever it changes."""
        self._colour(self.app.current_theme)
        self.app.theme_changed_signal.subscribe(self, self._colour)

    def _colour(self, theme: Theme) -> None:
        tokens = theme.variables
        styles = {
            name: RichStyle.parse(style) + RichStyle(color=Color.parse(tokens[f"hermes-{token}"]).rich_color)
            for name, (token, style) in SYNTAX.items()
        }
        self.register_theme(TextAreaTheme(theme.name, syntax_styles=styles))
        self.theme = theme.name

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn: as long as it is, with nothing in it that could steer the terminal."""
        return Text(even(plain(self.document.get_line(line_index)), HIDDEN), end="", no_wrap=True)

    def adopt(self, text: str) -> None:
        """Become `text` by one edit of what differs, which can be undone."""
        before = self.text
        start = next(
            (at for at, (old, new) in enumerate(zip(before, text, strict=False)) if old != new),
            min(len(before), len(text)),
        )
        longest = min(len(before), len(text)) - start
        same = next((at for at in range(longest) if before[-1 - at] != text[-1 - at]), longest)
        if before == text:
            return
        document = cast("Document", self.document)
        self.history.checkpoint()
        self.replace(
            text[start : len(text) - same],
            document.get_location_from_index(start),
            document.get_location_from_index(len(before) - same),
            maintain_selection_offset=False,
        )
        self.history.checkpoint()

    @property
    def line(self) -> int:
        """The line of the cursor, from 1."""
        return self.cursor_location[0] + 1

    def look_at(self, line: int) -> None:
        """Put the cursor at the begin of a line, counted from 1, unless it is on that line already."""
        row = min(line, self.document.line_count) - 1
        if self.cursor_location[0] != row:
            self.move_cursor((row, 0), center=True)
