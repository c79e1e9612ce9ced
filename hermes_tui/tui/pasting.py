"""What is pasted is text: an escape code in it, which Textual's parser takes for keys, is made visible instead."""

from typing import Final

_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_ESCAPE: Final = "\x1b"
_PICTURE: Final = "\u241b"


class PasteGuard:
    """Goes over what a terminal sends, piece by piece; a mark of a paste may be cut between two."""

    def __init__(self) -> None:
        self._is_inside = False
        self._seen = ""
        self._held = ""

    def guarded(self, text: str) -> str:
        """Return the next piece with the escape codes inside a paste as pictures; what may be its end is held back."""
        told = ""
        while text:
            piece, text = self._inside(text) if self._is_inside else self._outside(text)
            told += piece
        return told

    def _outside(self, text: str) -> tuple[str, str]:
        """Return what stands before a paste, its begin with it, and the rest."""
        before = len(self._seen)
        seen = self._seen + text
        at = seen.find(_BEGIN)
        if at < 0:
            self._seen = seen[1 - len(_BEGIN) :]
            return text, ""
        self._is_inside, self._seen = True, ""
        end = at + len(_BEGIN) - before
        return text[:end], text[end:]

    def _inside(self, text: str) -> tuple[str, str]:
        """Return what belongs to the paste, its end with it, and the rest."""
        pasted, end, rest = (self._held + text).partition(_END)
        self._held = ""
        if end:
            self._is_inside = False
        else:
            held = next((cut for cut in range(len(_END) - 1, 0, -1) if pasted.endswith(_END[:cut])), 0)
            pasted, self._held = pasted[: len(pasted) - held], pasted[len(pasted) - held :]
        return pasted.replace(_ESCAPE, _PICTURE) + end, rest
