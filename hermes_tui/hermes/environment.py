"""Which variables a home has, by name: what stands in its `.env`, and what this process was given. No value is kept."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.hermes.bounded import read_at_most

FILE_NAME: Final = ".env"

_LARGEST: Final = 256 << 10
_SET: Final = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*["']?[^\s"'#]""", re.MULTILINE
)


def variables_of(folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the providers whose key a home has in a variable, each with its name; what cannot be read has none."""
    try:
        content, _ = read_at_most(folder / FILE_NAME, _LARGEST)
    except OSError:
        content = b""
    names = {*_SET.findall(content.decode(errors="replace")), *(name for name, value in environ.items() if value)}
    found = {
        known.name: next(filter(names.__contains__, known.key_variables), "") for known in KNOWN_PROVIDERS.values()
    }
    return {provider: name for provider, name in found.items() if name}
