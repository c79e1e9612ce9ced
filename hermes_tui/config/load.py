"""Reading the configuration file: bytes once, every problem with its line, and never a guess in its place."""

import hashlib
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from hermes_tui.config import schema
from hermes_tui.config.explain import explain
from hermes_tui.config.key_commands import KeyCommands
from hermes_tui.config.lines import LineIndex, index_lines
from hermes_tui.config.problems import InvalidFileError, MissingFileError, Problem
from hermes_tui.config.resolve import Resolved, contradictions, resolve
from hermes_tui.config.secrets import ConfiguredKeys, Reference, Sources, file_behind
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.telling import UNLESS_CHOSEN, Telling

LARGEST: Final = 1024 * 1024
"""Bytes; a configuration above it is a mistake."""

_AT_LINE: Final = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
_AT_END: Final = re.compile(r"(.*) \(at end of document\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Screen:
    """How the screen looks, as the file says."""

    theme: str | None = None
    glyphs: str = "auto"
    motion: str = "auto"
    updates_per_second: int = 10
    hermes_homes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file as it was read: fills `core.ports.Configured`.

    `digest` is equal for equal bytes with equal keys behind them; `key_files` are where keys were read from.
    """

    configuration: Configuration
    keyring: ConfiguredKeys = field(compare=False)
    screen: Screen
    telling: Telling
    digest: str
    key_files: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's content that is TOML: its tables, and where they stand in its text."""

    document: dict[str, Any]
    lines: LineIndex


def load(path: Path, *, environ: Mapping[str, str], now: float, commands: KeyCommands | None = None) -> Loaded:
    """Read, check and resolve the file at `path`; `now` is epoch seconds, `commands` what commands said of its keys.

    Raises ConfigurationError: MissingFileError, InvalidFileError with all that is wrong, or plain where the file
    cannot be read. No error holds a value of the file, nor the error that it came from.
    """
    content = read(path)
    sources = Sources.of(environ, path.parent, now, commands)
    file, resolved = understand(path, parse(path, content), sources)
    keys = [member.fingerprint for pool in resolved.configuration.pools for member in pool.members]
    references = (value for _, value in schema.walk(file) if isinstance(value, Reference))
    return Loaded(
        resolved.configuration,
        resolved.keyring,
        _screen(file.screen),
        telling_of(file.tell),
        digest(b"\0".join((content, *map(str.encode, keys)))),
        frozenset(filter(None, (file_behind(asked, sources) for asked in references))),
    )


def _screen(table: schema.ScreenTable) -> Screen:
    homes = None if table.hermes_homes is None else tuple(table.hermes_homes)
    return Screen(table.theme, table.glyphs, table.motion, table.updates_per_second, homes)


def telling_of(table: schema.TellTable) -> Telling:
    """Return how the user is told, as the file says; where it names no means, what of `on` is told anyway."""
    if table.model_fields_set.isdisjoint(("bell", "desktop", "command")):
        return replace(UNLESS_CHOSEN, on=UNLESS_CHOSEN.on.intersection(table.on))
    return Telling(table.bell, table.desktop, tuple(table.command), frozenset(table.on), table.remind)


def digest(content: bytes) -> str:
    """Return what tells one content of the file from another."""
    return hashlib.sha256(content).hexdigest()


def read(path: Path) -> bytes:
    """Return the file's content, whatever it is. Raises ConfigurationError: MissingFileError, or plain."""
    try:
        if path.is_dir():
            raise ConfigurationError("this is a folder: name the file in it", path=path)
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigurationError("this is not a regular file: name one", path=path)
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise missing(path) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "not a usable path"
        advice = "check its permissions" if isinstance(error, PermissionError) else "name another with --config"
        raise ConfigurationError(f"cannot be read ({reason}): {advice}", path=path) from None
    return limited(path, content)


def missing(path: Path) -> ConfigurationError:
    """Return the error for a file that is not there."""
    if path.is_symlink():
        return ConfigurationError("is a link to a file that is not there: mend the link", path=path)
    advice = "`hermes-tui init` writes one, --config names another, `hermes-tui demo` needs none"
    return MissingFileError(f"there is no such file: {advice}", path=path)


def limited(path: Path, content: bytes) -> bytes:
    """Return the content of a file of usual size. Raises ConfigurationError for a larger one."""
    if len(content) > LARGEST:
        raise ConfigurationError("is larger than 1 MiB: this is no configuration, name another file", path=path)
    return content


def decode(path: Path, content: bytes) -> str:
    """Return the text of a file, without a byte order mark. Raises InvalidFileError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    raise InvalidFileError(path, [Problem("this is not UTF-8 text: save the file as UTF-8", line)])


def parse(path: Path, content: bytes) -> Parsed:
    """Return the tables of a content. Raises InvalidFileError where it is not TOML."""
    text = decode(path, content)
    if not text.strip():
        raise InvalidFileError(path, [Problem("the file is empty: write a [primary] table with provider and model")])
    try:
        return Parsed(tomllib.loads(text), index_lines(text))
    except RecursionError:
        problem = Problem("lists or tables are nested too deeply: write them flat")
    except ValueError as error:
        problem = _syntax(str(error), text)
    raise InvalidFileError(path, [problem])


def understand(path: Path, parsed: Parsed, sources: Sources) -> tuple[schema.File, Resolved]:
    """Return a file's tables checked, and what they mean. Raises InvalidFileError with all that is wrong."""
    file = _check(path, parsed.document, parsed.lines)
    return file, resolve(file, parsed.lines, path=path, sources=sources)


def _syntax(said: str, text: str) -> Problem:
    """Turn tomllib's words, `… (at line 3, column 5)` or `… (at end of document)`, into a problem."""
    if at := _AT_LINE.fullmatch(said):
        what, line, column = at.groups()
        return Problem(f"this is not TOML: {what} at column {column}: correct it here", int(line))
    if at := _AT_END.fullmatch(said):
        last = text.rstrip().count("\n") + 1
        return Problem(f"this is not TOML: {at[1]} at the end of the file: is a quote or bracket open?", last)
    return Problem("this is not TOML: a number has too many digits")


def _check(path: Path, document: dict[str, Any], lines: LineIndex) -> schema.File:
    try:
        file = schema.File.model_validate(document)
    except ValidationError as error:
        problems = explain(error, document, lines)
    else:
        problems = contradictions(file, lines)
        if not problems:
            return file
    raise InvalidFileError(path, problems)
