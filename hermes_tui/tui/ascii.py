"""A terminal that knows no more than ASCII gets no more, whoever drew it: our panels, a toast, the library."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from hermes_tui.view.words import to_ascii


class AsciiFilter(LineFilter):
    """Turns every glyph into its twin of the same width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's
        """Return the segments in ASCII."""
        return [Segment(to_ascii(text), style, control) for text, style, control in segments]
