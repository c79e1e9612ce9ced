"""Where Hermes itself asks about the quota of a Codex login: a token goes there, and nowhere else."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import RefusedError
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.links import CODEX
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.values import Login

CANONICAL: Final = "https://chatgpt.com/backend-api/codex"
VARIABLE: Final = "HERMES_CODEX_BASE_URL"

_ENVIRONMENT: Final = ".env"
_LARGEST: Final = 1 << 20
_ASSIGNED: Final = re.compile(
    rf"""^[ \t]*(?:export[ \t]+)?{VARIABLE}[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]*))""", re.MULTILINE
)
_UNTOLD: Final = re.compile(r"\$\{|<redacted>|[\s\x00-\x1f]")
"""What an address holds that is not told in full: a variable, or a key that was taken out."""


def endpoint_of(login: Login, reading: Reading, environ: Mapping[str, str]) -> str:
    """Return the base URL at which Hermes asks about `login`.

    From 0.22 on `HERMES_CODEX_BASE_URL` goes before all (the home's `.env`, then `environ`), then the primary's address
    in config.yaml for a row that names no gateway of its own, then that of the row. Before, the row alone decides.
    Raises RefusedError where that cannot be told: a token is never sent on a guess.
    """
    own = login.base_url.rstrip("/")
    address = own or CANONICAL
    if reading.release is None or reading.release.reopens_early is not False:
        primary = reading.configuration.primary if reading.configuration is not None else None
        configured = primary.base_url if primary is not None and primary.provider == CODEX else ""
        address = _of_environment(reading.home.path / _ENVIRONMENT, environ) or (
            configured or CANONICAL if own in ("", CANONICAL) else own
        )
    if _UNTOLD.search(address):
        raise RefusedError("the address at which Hermes asks holds a variable or a key: only Hermes can ask there")
    return address


def _of_environment(path: Path, environ: Mapping[str, str]) -> str:
    """Return what the variable holds for Hermes, which reads the file over its environment; nothing else is kept."""
    try:
        text = read_at_most(path, _LARGEST)[0].decode("utf-8-sig", "replace")
    except FileNotFoundError:
        text = ""
    except OSError as error:
        why = f"{path} cannot be read ({reason_of(error)}), so that it is unknown where Hermes asks"
        raise RefusedError(why) from None
    written = [first or second or third for first, second, third in _ASSIGNED.findall(text)]
    return (written[-1] if written else environ.get(VARIABLE, "")).strip().rstrip("/")
