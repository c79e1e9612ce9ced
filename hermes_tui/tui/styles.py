"""Where the style sheets are: inside the package in a wheel, else beside it in an editable install."""

from pathlib import Path, PurePath
from typing import Final

SHEETS: Final = ("lines.tcss", "main.tcss", "modals.tcss", "editor.tcss", "pictures.tcss", "welcome.tcss")


def styles_folder() -> Path:
    """Return the folder of the style sheets."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "styles"
    return inside if inside.is_dir() else package.parent / "styles"


def style_sheets() -> list[str | PurePath]:
    """Return the paths of all style sheets, in their order."""
    return [str(styles_folder() / name) for name in SHEETS]
