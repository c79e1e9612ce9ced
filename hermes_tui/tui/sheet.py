"""The style sheets, parsed once: Textual asks for it again at every start, with nothing changed."""

from textual.css.stylesheet import Stylesheet


class Sheet(Stylesheet):
    """Parses again only where a variable or a source is another than before."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the theme's variables."""
        if variables != self._variables:
            super().set_variables(variables)
            self._require_parse = True

    def reparse(self) -> None:
        """Parse what has changed."""
        if self._require_parse:
            super().reparse()
