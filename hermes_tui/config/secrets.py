"""Keys as the file refers to them, and the keyring that holds what the references led to."""

import re
import shlex
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from hermes_tui.config.borrowed import CODEX, HERMES, NotBorrowedError, Owner, exposed
from hermes_tui.config.key_commands import KeyCommands
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
_FORMS: Final = 'write "${NAME}", "env:NAME", "file:PATH", "command:ARGV", "codex:" or "hermes:LABEL"'


class Kind(StrEnum):
    """Where a key comes from."""

    VARIABLE = "variable"
    FILE = "file"
    COMMAND = "command"
    CODEX = "codex"
    HERMES = "hermes"
    LITERAL = "literal"


_OWNERS: Final = {Kind.CODEX: CODEX, Kind.HERMES: HERMES}


@dataclass(frozen=True, slots=True)
class Reference:
    """How the file names a key: the variable's name, the file's path, a command, or the key itself (never printed).

    That of a login of another program is `FOLDER` for Codex, `FOLDER#LABEL` or `LABEL` for Hermes; all may be empty.
    """

    kind: Kind
    target: str = field(repr=False)

    @property
    def mark(self) -> str:
        """Four digits that are the same for the same reference, also after its key was replaced."""
        return shown(self.stand_in)

    @property
    def stand_in(self) -> str:
        """What stands for the fingerprint of the key while that is not known."""
        return fingerprint(f"{self.kind}:{self.target}")

    @property
    def is_borrowed(self) -> bool:
        """Whether the key is a login of another program."""
        return self.kind in _OWNERS

    @property
    def login(self) -> "BorrowedLogin":
        """The login of another program that it names; only for one that is borrowed."""
        owner = _OWNERS[self.kind]
        named, _, label = (self.target, "", "") if owner is CODEX else self.target.rpartition("#")
        return BorrowedLogin(owner, named, label)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where references lead: the environment, the file's folder, the time (epoch seconds), what commands said."""

    environ: Mapping[str, str]
    folder: Path
    now: float
    commands: KeyCommands

    @classmethod
    def of(cls, environ: Mapping[str, str], folder: Path, now: float, commands: KeyCommands | None = None) -> "Sources":
        """Return the sources of a file in `folder`; without `commands` none has been asked."""
        return cls(environ, folder, now, commands or KeyCommands(environ, folder))


class BorrowedLogin(NamedTuple):
    """A login of another program: whose, in which folder if one is named, and which where there are several."""

    owner: Owner
    folder: str
    label: str

    def file(self, sources: Sources) -> Path:
        """Return the file that holds it. Raises NotBorrowedError."""
        return self.owner.file(self.folder, sources.environ, sources.folder)

    def token(self, sources: Sources) -> str:
        """Return its token, read now. Raises NotBorrowedError."""
        return self.owner.borrow(self.file(sources), self.label, sources.now)


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
        return _command(rest.strip())
    if colon and scheme in (Kind.CODEX, Kind.HERMES) and "\0" not in rest:
        return Reference(Kind(scheme), rest.strip())
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


def _command(text: str) -> Reference:
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words or not words[0] or "\0" in text:
        raise ValueError('must name a program after "command:", with closed quotes, as in "command:pass show openai"')
    return Reference(Kind.COMMAND, text)


class _Found(NamedTuple):
    """What stands where a reference leads, and how it is called when it is no key."""

    value: str
    name: str


def fetch(asked: Reference, sources: Sources) -> Secret | str | None:
    """Return the key that a reference leads to, or in words why there is none; never another key instead.

    None is a command that has not been asked: that takes time, and is done when the key is needed.
    """
    found = _found(asked, sources)
    if not isinstance(found, _Found):
        return found
    for slip, remedy in _SLIPS:
        if slip.fullmatch(found.value):
            return f"{found.name} {remedy}"
    if not _HEADER_SAFE.fullmatch(found.value):
        return f"{found.name} is no key: it must be one line of ASCII characters without spaces"
    return Secret(found.value)


def _found(asked: Reference, sources: Sources) -> _Found | str | None:
    match asked.kind:
        case Kind.VARIABLE:
            value = sources.environ.get(asked.target, "").strip()
            return _Found(value, asked.target) if value else f"{asked.target} is not set"
        case Kind.FILE:
            read, name = _content(asked.target, sources.folder), f"file:{asked.target}"
            if isinstance(read, str):
                return read
            value = read.decode(errors="replace").strip("\r\n")
            return _Found(value, name) if value else f"{name} is empty"
        case Kind.COMMAND:
            answer, name = sources.commands.answer(asked.target), f"command:{shlex.split(asked.target)[0]}"
            if answer is None:
                return None
            return _Found(answer.reveal(), name) if isinstance(answer, Secret) else f"{name} {answer}"
        case Kind.CODEX | Kind.HERMES:
            name = f"{asked.kind}:{asked.target}"
            try:
                return _Found(asked.login.token(sources), name)
            except NotBorrowedError as error:
                return f"{name.rstrip(':')}: {error}"
        case Kind.LITERAL:
            return _Found(asked.target, "the key")


def file_behind(asked: Reference, sources: Sources) -> Path | None:
    """Return the file that a key is read from, None where it comes from elsewhere or from no home directory."""
    try:
        if asked.is_borrowed:
            return asked.login.file(sources)
        return sources.folder / Path(asked.target).expanduser() if asked.kind is Kind.FILE else None
    except (RuntimeError, NotBorrowedError):
        return None


def exposure(asked: Reference, sources: Sources) -> str | None:
    """Say that others can read the logins which a reference leads to, None where they cannot."""
    path = file_behind(asked, sources) if asked.is_borrowed else None
    return exposed(path) if path is not None else None


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
    """The keyring of one loaded file: fills `core.ports.Keyring`. `commanded` are its keys that `commands` print."""

    def __init__(
        self,
        secrets: Mapping[CredentialKey, Secret],
        commanded: Mapping[CredentialKey, str] | None = None,
        commands: KeyCommands | None = None,
    ) -> None:
        self._secrets = dict(secrets)
        self._commanded = dict(commanded or {})
        self._commands = commands
        self._redactor = Redactor(self._secrets.values())

    def __repr__(self) -> str:
        return f"<keyring of {len(self._secrets)}>"

    def secret(self, key: CredentialKey) -> Secret | None:
        """Return the secret of a credential, None where the provider needs none."""
        return self._secrets.get(key)

    def redact(self, text: str) -> PlainText:
        """Return foreign text with every known secret taken out, plain."""
        return plain(self._redactor.clean(text))

    async def ask(self, pool: str, *, again: bool = False) -> None:
        """Run the commands that print the keys of a pool and were not asked yet, with `again` all of them.

        What they bring is found by whoever reads the file the next time.
        """
        if self._commands is not None:
            commands = [command for key, command in self._commanded.items() if key.pool == pool]
            await self._commands.ask(commands, again=again)

    def forget(self) -> None:
        """Let commands be asked again when their keys are next needed."""
        if self._commands is not None:
            self._commands.forget()
