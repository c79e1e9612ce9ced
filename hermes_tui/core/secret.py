"""Secrets that cannot print themselves, and the removal of known secrets from foreign text."""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NoReturn

from hermes_tui.core.text import PlainText, plain

Shapes = tuple[tuple[str, re.Pattern[str]], ...]

SHORTEST: Final = 8
"""A value below this length is not searched for in foreign text: it would match ordinary words."""


class Secret:
    """A key or token whose every printed form is four digits of its fingerprint."""

    __slots__ = ("_value", "fingerprint")

    def __init__(self, value: str) -> None:
        self._value = value
        self.fingerprint: str = fingerprint(value)
        _HELD[value] = self

    def reveal(self) -> str:
        """Return the value itself, for the one header that needs it."""
        return self._value

    def __repr__(self) -> str:
        return f"<secret {shown(self.fingerprint)}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is never pickled")


_HELD: Final[dict[str, Secret]] = {}
"""Every secret that this process has held, old ones too: a crash may tell any of them."""


def without_any(text: str) -> PlainText:
    """Return text that nobody composed (a traceback) without any secret that this process has held."""
    return plain(_of_all(_SHAPES, len(_HELD)).clean(text))


def without_keys(text: str) -> PlainText:
    """Return a user's own text (what is said in a session, a command to decide on) without the secrets held and keys.

    Addresses, ids and hashes stay: they are what it is about. What servers say, and logs, go through a `Redactor`.
    """
    return plain(_of_all(_KEYS_ALONE, len(_HELD)).clean(text))


def tells_any(text: str) -> bool:
    """Tell whether `text` holds a secret that this process has held: for what must not be changed, only left out."""
    return any(value in text for value in _HELD if len(value) >= SHORTEST)


def without_half(text: str, secret: Secret) -> str:
    """Return `text` without the beginning of `secret` that it ends with, where it was cut off in the middle of it."""
    value = secret.reveal()
    half = text.rfind(value[:SHORTEST], max(len(text) - len(value), 0)) if len(value) > SHORTEST else -1
    return f"{text[:half]}{secret}" if half >= 0 and value.startswith(text[half:]) else text


def fingerprint(value: str) -> str:
    """Return twelve hexadecimal digits that tell secrets apart without revealing them."""
    return hashlib.sha256(value.encode(errors="surrogatepass")).hexdigest()[:12]


def shown(whole: str) -> str:
    """Return the four digits of a fingerprint that people see."""
    return whole[:4]


def _drawn_by_lot(signs: str) -> str:
    """Return a pattern for the place before what holds a digit, or a capital inside a word, as no plain name does.

    `signs` may stand between its letters.
    """
    return rf"(?=[A-Za-z{signs}]{{0,64}}(?:[0-9]|[a-z][A-Z]))"


KEY_SHAPES: Final = (
    re.compile(  # JWT, with what it is joined to
        r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,})[A-Za-z0-9_-]*?"
        r"\bey[A-Z][A-Za-z0-9_-]{7,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?"
    ),
    re.compile(rf"\b(?:sk|pk|rk|gsk|xai|AIza|ghp|gho|hf|nvapi|or)[-_]{_drawn_by_lot('_-')}[A-Za-z0-9_\-]{{12,}}"),
    re.compile(r"\bAIza[A-Za-z0-9_\-]{20,}"),
    re.compile(rf"(?i:(?<=bearer )){_drawn_by_lot('._~+/-')}[A-Za-z0-9._~+/\-]{{8,}}=*"),
    re.compile(r"(?<=[?&])(?i:api[-_]?key|key|token|access_token|sig|signature)=[^&\s\"']+"),
    re.compile(r"(?<=://)[^/@:\s\"']+:[^/@\s\"']+(?=@)"),  # user and password of an address
)
"""How keys and tokens usually look. Each is searched in linear time: a begin that fails is not begun again inside."""

_KEYS_ALONE: Final = tuple(zip(("ey", "", "aiza", "bearer ", "=", "@"), KEY_SHAPES, strict=True))
"""What is searched for, each behind the lower-case mark without which it cannot be there: long replies pass here."""

_SHAPES: Final = (
    *_KEYS_ALONE,
    ("@", re.compile(r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9._%+\-]+@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63})+")),
    ("", re.compile(rf"\b(?:user|org|acct|team|proj|ak|u)[-_]{_drawn_by_lot('')}[A-Za-z0-9]{{8,}}\b")),
    # a project's or an account's number
    ("", re.compile(r"[0-9](?:(?i:(?<=project .)|(?<=account .))|(?<=projects/.)|(?<=:.))[0-9]{8,11}(?=[\s:.,)/]|$)")),
    ("", re.compile(r"\b[0-9a-f]{64}\b")),  # a key's hash
    ("", re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")),
)
"""The same, with e-mail addresses and the ids of accounts."""

_CODES: Final = re.compile(r"(\x1b\[[0-9;:?]*[ -/]*[@-~])")
"""Terminal codes, colours above all."""


class Redactor:
    """Removes secrets from text: the known ones by exact match first, then the usual `shapes` of keys and ids."""

    def __init__(self, secrets: Iterable[Secret] = (), shapes: Shapes = _SHAPES) -> None:
        self._shapes = shapes
        values = {secret.reveal(): secret for secret in secrets if len(secret.reveal()) >= SHORTEST}
        longest_first = sorted(values, key=len, reverse=True)
        self._known = [(value, f"<secret {shown(values[value].fingerprint)}>") for value in longest_first]

    def clean(self, text: str) -> str:
        """Return `text` with known secrets and what has one of the shapes taken out."""
        if "\x1b" in text:  # the end of a colour's code is a letter: what follows it would be the middle of a word
            return "".join(map(self._clean, _CODES.split(text)))
        return self._clean(text)

    def _clean(self, text: str) -> str:
        for value, label in self._known:
            text = text.replace(value, label)
        folded = text.lower()
        for mark, shape in self._shapes:
            if mark in folded:
                text = shape.sub("<redacted>", text)
        return text


@lru_cache(maxsize=4)
def _of_all(shapes: Shapes, _number: int) -> Redactor:
    """Return what removes all secrets that this process has held so far: so many, and none is ever let go."""
    return Redactor(_HELD.values(), shapes)
