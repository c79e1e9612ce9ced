"""The variables that Hermes would see: those of its home's `.env` go before those of the process."""

import re
from collections.abc import Mapping
from typing import Final

from hermes_tui.hermes.bounded import read_at_most
from hermes_tui.hermes.values import Home

FILE_NAME: Final = ".env"

_LARGEST: Final = 256 * 1024
_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*", re.ASCII)
_REFERENCE: Final = re.compile(r"\$\{\s*(?:env:)?\s*([^}]+?)\s*\}")


def of_home(home: Home) -> dict[str, str]:
    """Return the variables of a home's `.env`, keys among them; one that cannot be read has none."""
    try:
        text = read_at_most(home.path / FILE_NAME, _LARGEST)[0].decode("utf-8-sig", "replace")
    except OSError:
        return {}
    found = (_LINE.fullmatch(line) for line in text.splitlines())
    return {line[1]: _unquoted(line[2]) for line in found if line is not None}


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] in "\"'" and value[0] == value[-1]:
        return value[1:-1]
    return re.split(r"\s#", value, maxsplit=1)[0].strip()


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """Return text of the file with its variables put in; a reference to one that is not set stays, as in Hermes."""
    return _REFERENCE.sub(lambda found: variables.get(found[1], found[0]), text)
