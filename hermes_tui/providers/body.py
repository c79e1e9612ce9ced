"""Error bodies: what any provider's error says, taken out of its envelope, whatever that looks like."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.secret import Redactor, Secret, without_half
from hermes_tui.core.text import MESSAGE_LIMIT, PlainText, one_line
from hermes_tui.providers.envelopes import CODE_KEYS, MESSAGE_KEYS, folded, objects

Redact = Callable[[str], PlainText]
"""Takes known secrets out of foreign text and makes it plain."""

BODY_LIMIT: Final = 64 * 1024
"""Bytes of an error body that are read."""

_EXCERPT: Final = 4000
_PAGE_LIMIT: Final = 16 * 1024
_SPOKEN: Final = 2 * MESSAGE_LIMIT
_HTML: Final = re.compile(r"\s*(?:<!doctype html|<html|<head|<body|<\?xml|<center>|<h1>)", re.IGNORECASE)
_PAGE: Final = re.compile(r"<(?:!doctype\s|html|head|body)\b", re.IGNORECASE)
_TITLE: Final = re.compile(r"<(title|h1)[^<>]{0,100}>([^<]{1,200})<", re.IGNORECASE)
_STATUS_IN_TEXT: Final = re.compile(
    r"(?:^|\b(?:error(?: code)?|status(?: code)?|http(?:/[0-9.]{1,3})?)[:=]?\s{0,2})([45][0-9]{2})(?=[\s:,;\])]|$)",
    re.IGNORECASE,
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BREAK: Final = re.compile(r"[^A-Za-z0-9]+")
_CLASS: Final = re.compile(r"\b[A-Z][A-Za-z]{3,60}(?:Error|Exception)\b")
_LONE: Final = re.compile(r"[A-Za-z][\w.\-]{2,60}")
_NUMBERED: Final = re.compile(r"[\[(]([0-9]{4})[\])]")
_QUOTED: Final = re.compile(
    r"""
    (?<!\w)
    (?:
        "(?:\\.?|[^"\\]|"(?=\w))*+(?:"|\Z)
      | '(?:\\.?|[^'\\]|'(?=\w))*+(?:'|\Z)
      | “[^”]*+(?:”|\Z)
      | `[^`\s]*+\s[^`]*+(?:`|\Z)
    )
    """,
    re.DOTALL | re.VERBOSE,
)
"""A quotation; an apostrophe is no end of one, and one word between backticks is a name of the API's."""
_DUMP: Final = re.compile(r"\[?\{\s*[\"'@].*", re.DOTALL)
_TECHNICAL: Final = re.compile(
    r"(?:(?:[\w.]*(?:Error|Exception)(?: code)?(?! from\b)|Status|HTTP|API(?= error\b))\b[:\s]*"
    r"(?:[45][0-9]{2}\b)?[\s:\-]*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error body, read.

    `codes` are its structured codes and types as `as_code` returns them, outermost first, `names` the same as they
    were written; `messages` its sentences, raw; `nodes` the objects that may hold times; `page` is an HTML page that
    stands in the place of an answer.
    """

    codes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    nodes: tuple[Mapping[str, object], ...] = ()
    page: str | None = None
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Everything that it says: codes as words, messages, a page's title; lower case, clipped."""
        return self._all(self.messages)

    @property
    def unquoted(self) -> str:
        """The same without what its messages quote: the words of others, such as the request's."""
        return self._all(map(_unquoted, self.messages))

    def _all(self, messages: Iterable[str]) -> str:
        words = [code.replace("_", " ") for code in self.codes]
        return " | ".join((*words, *messages, self.title)).lower()[:_EXCERPT]

    @property
    def title(self) -> str:
        """The title of the page, empty where there is none."""
        found = _TITLE.search(self.page or "")
        return html.unescape(found[2]).strip() if found else ""

    @property
    def status(self) -> int | None:
        """The HTTP status that the body itself names, if it does."""
        for code in self.codes:
            if len(code) == 3 and code.isdecimal() and "400" <= code <= "599":
                return int(code)
        found = _STATUS_IN_TEXT.search("\n".join(self.messages)[:_EXCERPT])
        return int(found[1]) if found else None

    def message(self, redact: Redact) -> PlainText:
        """Return what a person may read of it: redacted, plain, one line, no markup; empty where it says nothing."""
        sentences = list(dict.fromkeys(filter(None, map(_readable, self.messages))))
        if self.page is not None:
            sentences.append(f"an HTML page instead of an answer ({self.title or 'without a title'})")
        named = [name for name in self.names if not name.isdecimal()]
        return said(": ".join(sentences[:2]) or ", ".join(named[:2]), redact)


def knowing(redact: Redact, sent: Secret | None) -> Redact:
    """Return `redact` that also takes out the secret a request went out with: the keyring may hold another by now."""
    if sent is None:
        return redact
    own = Redactor((sent,))
    return lambda text: redact(without_half(own.clean(text), sent))


def said(text: str, redact: Redact) -> PlainText:
    """Return outside text redacted, plain and clipped to one line.

    Long text is cut at a space before redaction, so that no half of a secret is left at the cut.
    """
    return one_line(redact(_cut_at_space(text, _SPOKEN) or (text and "(a long text)")))


def _cut_at_space(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rpartition(" ")[0]


def as_code(text: str) -> str:
    """Return an error code in the one spelling that rules know: `Throttling.RateQuota` as `throttling_rate_quota`.

    Namespaces before `#` and an address behind the code (Amazon's) are left out.
    """
    name = text.rpartition("#")[2].partition(":http")[0][:200]
    return _BREAK.sub("_", _HUMP.sub("_", name)).strip("_").lower()


def read_body(text: str) -> ErrorBody:
    """Return what an error body says. Never raises; a body without structure is one message."""
    if _HTML.match(text):
        return ErrorBody(page=text[:_PAGE_LIMIT])
    nodes = objects(text)
    names: list[str] = []
    spoken: list[str] = []
    page = None
    for node in nodes:
        for key, value in node.items():
            name = folded(key)
            if name in CODE_KEYS and isinstance(value, str | int) and not isinstance(value, bool):
                names.append(str(value))
            elif name in MESSAGE_KEYS and isinstance(value, str):
                markup = _PAGE.search(value)
                page = value[markup.start() :][:_PAGE_LIMIT] if markup and page is None else page
                spoken.append((value[: markup.start()] if markup else value).strip())
    names += [name for sentence in spoken for name in _codes_in(sentence)]
    return ErrorBody(_unique(map(as_code, names)), _unique(spoken), nodes, page, _unique(names))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))


def _codes_in(sentence: str) -> Iterator[str]:
    """Yield the codes that a sentence holds: an exception's class, a number in brackets, a lone word."""
    head = sentence[:_EXCERPT]
    if _LONE.fullmatch(head):
        yield head
    own = _unquoted(head)
    yield from _CLASS.findall(own)
    yield from _NUMBERED.findall(own)


def _unquoted(sentence: str) -> str:
    return _QUOTED.sub("''", sentence[:_EXCERPT])


def _readable(sentence: str) -> str:
    """Return a provider's sentence without what only programs read: dumped objects, names of exceptions."""
    words = _DUMP.sub("", _cut_at_space(sentence, _EXCERPT)).strip(" \n-:")
    return _TECHNICAL.sub("", words, count=1).strip() if _TECHNICAL.match(words) else words
