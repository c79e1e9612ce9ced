"""Which Hermes is installed, found where its command leads and never by importing it."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.values import NOTHING, Release

COMMAND: Final = "hermes"

_FIX: Final = b"def lift_reopened_cooldowns"
_FIXED_FILE: Final = Path("agent", "credential_pool.py")
_SOURCE_BYTES: Final = 2 << 20
_SCRIPT_BYTES: Final = 4 << 10
_STEPS: Final = 4
"""How often a script that starts another is followed."""

_PROGRAM: Final = re.compile(r"((?:/[^\s\"';|&$]*?)?/bin/(?:hermes[\w-]*|python[\d.]*))(?=[\s\"';]|$)")
_DIST_INFO: Final = re.compile(r"(?i)(hermes[_-]agent(?:[_-]iot)?)-([\w.!+]{1,64})\.dist-info")
_LIBRARIES: Final = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages")


@dataclass(frozen=True, slots=True)
class Installation:
    """What was found of Hermes on this machine; `reason` says what could not be told, and why.

    `python` is the interpreter that it is installed for.
    """

    release: Release | None
    reason: PlainText = NOTHING
    python: Path | None = None


def find_installation(path: str) -> Installation:
    """Return what the `hermes` command leads to, looked for in the folders of `path` (the value of `$PATH`).

    A few small files are read at most. Nothing is run and nothing is imported.
    """
    command = shutil.which(COMMAND, path=path)
    if command is None:
        return _untold("there is no `hermes` command on the PATH")
    seen: list[Path] = []
    for prefix in _prefixes(Path(command)):
        seen.append(prefix)
        try:
            found = next(filter(None, map(_in, _libraries(prefix))), None)
        except OSError as error:
            return _untold(f"{prefix} cannot be read ({reason_of(error)})")
        if found is not None:
            python = prefix / "bin" / "python"
            return replace(found, python=python if python.exists() else None)
    where = f"in {seen[-1]}" if seen else "beside it"
    return _untold(f"{command} starts Hermes, but no installed package of it was found {where}")


def _untold(reason: str) -> Installation:
    return Installation(None, one_line(reason))


def _prefixes(command: Path) -> Iterator[Path]:
    """Yield the folders of the environments that a command may run in: those it names, and the one it stands in."""
    waiting, known = [command], set[Path]()
    while waiting and len(known) < _STEPS:
        program = waiting.pop(0)
        if program in known:
            continue
        known.add(program)
        yield program.parent.parent
        real = Path(os.path.realpath(program))
        if program.name.startswith(COMMAND):
            yield real.parent.parent
            waiting += _named_in(real)


def _named_in(script: Path) -> list[Path]:
    """Return the programs that the head of a script names: its interpreter, or the one that it starts."""
    try:
        head = read_at_most(script, _SCRIPT_BYTES)[0]
    except OSError:
        return []
    return [Path(name) for name in _PROGRAM.findall(head.decode("utf-8", "replace")) if "\0" not in name]


def _libraries(prefix: Path) -> Iterator[Path]:
    for pattern in _LIBRARIES:
        yield from sorted(prefix.glob(pattern))


def _in(library: Path) -> Installation | None:
    """Return the Hermes that is installed in a library folder, the one put there last; None where there is none.

    Raises OSError where the folder cannot be read.
    """
    with os.scandir(library) as entries:
        found = [entry for entry in entries if _DIST_INFO.fullmatch(entry.name)]
    newest = max(found, key=lambda entry: entry.stat().st_mtime, default=None)
    if newest is None or (match := _DIST_INFO.fullmatch(newest.name)) is None:
        return None
    distribution, version = match[1].lower().replace("_", "-"), match[2]
    source = (_editable(Path(newest.path)) or library) / _FIXED_FILE
    try:
        reopens_early = _FIX in read_at_most(source, _SOURCE_BYTES)[0]
    except OSError as error:
        reason = one_line(f"{source} cannot be read ({reason_of(error)}): the early reopening could not be told.")
        return Installation(Release(distribution, version), reason)
    return Installation(Release(distribution, version, reopens_early))


def _editable(dist_info: Path) -> Path | None:
    """Return the checkout that an editable installation runs from, None for one that was copied."""
    try:
        origin = json.loads(read_at_most(dist_info / "direct_url.json", _SCRIPT_BYTES)[0])
        url = origin["url"]
        editable = origin["dir_info"]["editable"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # not there, as for most, or of another form
        return None
    if editable is not True or not isinstance(url, str) or not url.startswith("file:"):
        return None
    path = unquote(urlsplit(url).path)
    return Path(path) if path and "\0" not in path else None
