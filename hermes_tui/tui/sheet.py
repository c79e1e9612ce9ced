"""The style sheets, parsed once: Textual does it twice at every start, and asks for it again with nothing changed."""

from textual.css.stylesheet import Stylesheet


class Sheet(Stylesheet):
    """Parses again only where a variable or a source is another than before."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the theme's variables."""
        if variables != self._variables:
            super().set_variables(variables)
            self._require_parse = True

    def reparse(self) -> None:
        """Parse what has changed, and keep it: what another sheet parses is parsed again for the next widget."""
        if self._require_parse:
            self.parse()
