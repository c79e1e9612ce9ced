"""Keys as the file refers to them, and the keyring that holds what the references led to."""

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.secret import Redactor, Secret, fingerprint, shown
from hermes_tui.core.text import PlainText, plain

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER_SAFE: Final = re.compile(r"[!-~]+")
_SLIPS: Final = (
    (re.compile(r"""(["']).*\1"""), "stands in quotes: take them away"),
    (re.compile(r"(?i:bearer)\s.*"), 'begins with "Bearer": give the key alone'),
    (
        re.compile(r"\$(?:\{\w+\}|[A-Z_][A-Z0-9_]*)"),
        "names a variable that nothing was put in for: give the key itself",
    ),
    (
        re.compile(
            r"(?i)<.*>|(?:[a-z]{2,6}[-_])*(?:your(?:[-_].*|\w*(?:key|token).*)|([x.*…])\1{2,}|change[-_]?me|(?:replace|insert|paste)[-_].*)"
        ),
        "is the placeholder of an example: put your key in its place",
    ),
)
"""What stands in the place of a key by mistake, and what to do about it."""

_LONGEST: Final = 64 * 1024
_FORMS: Final = 'write "${NAME}", "env:NAME" or "file:PATH"'


class Kind(StrEnum):
    """Where a key comes from."""

    VARIABLE = "variable"
    FILE = "file"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class Reference:
    """How the file names a key: the variable's name, the file's path, or the key itself (never printed)."""

    kind: Kind
    target: str = field(repr=False)

    @property
    def mark(self) -> str:
        """Four digits that are the same for the same reference, also after its key was replaced."""
        return shown(fingerprint(f"{self.kind}:{self.target}"))


def reference(value: object) -> Reference:
    """Return what `api_key` refers to; ValueError says how to write it, without showing what was written."""
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise ValueError(f"must name a key: {_FORMS}")
    scheme, colon, rest = text.partition(":")
    if text.startswith("${") and text.endswith("}"):
        return _variable(text[2:-1])
    if colon and scheme == "env":
        return _variable(rest)
    if colon and scheme == "file":
        if not rest.strip() or "\0" in rest:
            raise ValueError('must name a file after "file:", relative to the folder of this file')
        return Reference(Kind.FILE, rest.strip())
    if colon and scheme == "command":
        raise ValueError(f'cannot use "command:" yet: {_FORMS}')
    if "${" in text or text.startswith("$"):
        raise ValueError(f"must be a whole reference, with nothing before or after it: {_FORMS}")
    return Reference(Kind.LITERAL, text)


def variable(value: object) -> Reference:
    """Return what a field that takes the name of a variable refers to; ValueError says how to write it."""
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value.strip()):
        raise ValueError("must name the environment variable that holds the key, and never the key itself")
    return Reference(Kind.VARIABLE, value.strip())


def _variable(name: str) -> Reference:
    if not _VARIABLE.fullmatch(name):
        raise ValueError('must name one environment variable: letters, digits and "_", as in "${GROQ_API_KEY}"')
    return Reference(Kind.VARIABLE, name)


def fetch(asked: Reference, *, environ: Mapping[str, str], folder: Path) -> Secret | str:
    """Return the key that a reference leads to, or in words why there is none; never another key instead."""
    match asked.kind:
        case Kind.VARIABLE:
            value, name = environ.get(asked.target, "").strip(), asked.target
            if not value:
                return f"{name} is not set"
        case Kind.FILE:
            read = _content(asked.target, folder)
            if isinstance(read, str):
                return read
            value, name = read.decode(errors="replace").strip("\r\n"), f"file:{asked.target}"
            if not value:
                return f"{name} is empty"
        case Kind.LITERAL:
            value, name = asked.target, "the key"
    for slip, remedy in _SLIPS:
        if slip.fullmatch(value):
            return f"{name} {remedy}"
    if not _HEADER_SAFE.fullmatch(value):
        return f"{name} is no key: it must be one line of ASCII characters without spaces"
    return Secret(value)


def file_behind(asked: Reference, folder: Path) -> Path | None:
    """Return the file that a key is read from, None where it comes from elsewhere or from no home directory."""
    if asked.kind is not Kind.FILE:
        return None
    try:
        return folder / Path(asked.target).expanduser()
    except RuntimeError:
        return None


def _content(target: str, folder: Path) -> bytes | str:
    """Return a key file's bytes, or in words why they cannot be had."""
    try:
        path = folder / Path(target).expanduser()
        if not stat.S_ISREG(path.stat().st_mode):
            return f"file:{target} is not a regular file"
        with path.open("rb") as stream:
            content = stream.read(_LONGEST + 1)
    except RuntimeError:
        return f"file:{target} cannot be found: there is no such home directory"
    except OSError as error:
        return f"file:{target} cannot be read: {error.strerror or 'input or output error'}"
    return content if len(content) <= _LONGEST else f"file:{target} is too large for a key"


class ConfiguredKeys:
    """The keyring of one loaded file: fills `core.ports.Keyring`."""

    def __init__(self, secrets: Mapping[CredentialKey, Secret]) -> None:
        self._secrets = dict(secrets)
        self._redactor = Redactor(self._secrets.values())

    def __repr__(self) -> str:
        return f"<keyring of {len(self._secrets)}>"

    def secret(self, key: CredentialKey) -> Secret | None:
        """Return the secret of a credential, None where the provider needs none."""
        return self._secrets.get(key)

    def redact(self, text: str) -> PlainText:
        """Return foreign text with every known secret taken out, plain."""
        return plain(self._redactor.clean(text))
