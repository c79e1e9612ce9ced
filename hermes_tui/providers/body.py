"""Error bodies: what any provider's error says, taken out of its envelope, whatever that looks like."""

import ast
import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.secret import Redactor, Secret
from hermes_tui.core.text import PlainText, one_line

Redact = Callable[[str], PlainText]
"""Takes known secrets out of foreign text and makes it plain."""

BODY_LIMIT: Final = 64 * 1024
"""Bytes of an error body that are read."""

_EXCERPT: Final = 4000
_DEEPEST: Final = 6
_MOST_NODES: Final = 100

_ENVELOPES: Final = frozenset(
    [
        "error",
        "errors",
        "detail",
        "details",
        "data",
        "metadata",
        "headers",
        "response",
        "base_resp",
        "innererror",
        "inner_error",
        "raw",
        "violations",
        "quotadimensions",
        "status_details",
        "incomplete_details",
    ]
)
"""The keys that are followed. A request echoed in a body stands under others and is never read as the error."""

_CODE_KEYS: Final = frozenset(
    [
        "code",
        "type",
        "status",
        "error_type",
        "error_code",
        "reason",
        "quotaid",
        "__type",
        "status_code",
        "statuscode",
        "raw_status_code",
    ]
)
_MESSAGE_KEYS: Final = frozenset(
    ["message", "error_message", "error", "error_description", "detail", "msg", "status_msg", "raw"]
)
_HTML: Final = re.compile(r"\s*(?:<!doctype html|<html|<head|<body|<\?xml|<center>|<h1>)", re.IGNORECASE)
_TITLE: Final = re.compile(r"<(title|h1)[^<>]{0,100}>([^<]{1,200})<", re.IGNORECASE)
_STATUS_IN_TEXT: Final = re.compile(r"\berror code: ([45][0-9]{2})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error body, read.

    `codes` are its structured codes and types in lower case, outermost first; `messages` its sentences, raw;
    `nodes` the objects that may hold times; `title` is set for an HTML page only.
    """

    codes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    nodes: tuple[Mapping[str, object], ...] = ()
    title: str | None = None

    @property
    def text(self) -> str:
        """Everything that phrases are looked for in: messages and codes, in lower case, clipped."""
        return " ".join((*self.messages, *self.codes)).lower()[:_EXCERPT]

    @property
    def status(self) -> int | None:
        """The HTTP status that the body itself names, if it does."""
        for code in self.codes:
            if len(code) == 3 and code.isdecimal() and "400" <= code <= "599":
                return int(code)
        found = _STATUS_IN_TEXT.search(" ".join(self.messages)[:_EXCERPT])
        return int(found[1]) if found else None

    def message(self, redact: Redact) -> PlainText:
        """Return what a person may read of it: redacted, plain, one line; empty where it says nothing."""
        if self.title is not None:
            return said(f"an HTML page instead of an answer ({self.title or 'without a title'})", redact)
        return said(": ".join(self.messages[:2]) or ", ".join(self.codes[:2]), redact)


def knowing(redact: Redact, sent: Secret | None) -> Redact:
    """Return `redact` that also takes out the secret a request went out with: the keyring may hold another by now."""
    if sent is None:
        return redact
    return lambda text: redact(Redactor((sent,)).clean(text))


def said(text: str, redact: Redact) -> PlainText:
    """Return outside text redacted, plain and clipped to one line.

    Long text is cut at a space before redaction, so that no half of a secret is left at the cut.
    """
    if len(text) > _EXCERPT:
        text = text[:_EXCERPT].rpartition(" ")[0] or "(a long text)"
    return one_line(redact(text))


def read_body(text: str) -> ErrorBody:
    """Return what an error body says. Never raises; a body without structure is one message."""
    if _HTML.match(text):
        found = _TITLE.search(text)
        return ErrorBody(title=html.unescape(found[2]).strip() if found else "")
    value = _structured(text)
    if value is None:
        return ErrorBody(messages=(text.strip(),) if text.strip() else ())
    nodes = tuple(_nodes(value, 0))[:_MOST_NODES]
    messages = [value] if isinstance(value, str) else []
    codes: list[str] = []
    for node in nodes:
        for key, found_value in node.items():
            name = key.lower()
            if name in _CODE_KEYS and isinstance(found_value, str | int) and not isinstance(found_value, bool):
                codes.append(str(found_value).lower()[:200])
            elif name in _MESSAGE_KEYS and isinstance(found_value, str) and found_value.strip():
                messages.append(found_value.strip())
    spoken = dict.fromkeys(message for message in messages if not message.startswith(("{", "[")))
    return ErrorBody(tuple(dict.fromkeys(codes)), tuple(spoken), nodes)


def _structured(text: str) -> object:
    """Return the JSON in `text`, or a printed Python dict inside an exception's text, else None."""
    value = _json(text)
    if value is not None:
        return value
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end or end - start > 8 * 1024:
        return None
    inner = _json(text[start : end + 1])
    if inner is None:
        try:
            inner = ast.literal_eval(text[start : end + 1])
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
    if not isinstance(inner, dict):
        return None
    prefix = text[:start].strip(" -:\n")
    return [{"message": prefix}, inner] if prefix else inner


def _json(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _nodes(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for part in value[:20]:
            yield from _nodes(part, depth + 1)
    elif isinstance(value, dict):
        node = {key: part for key, part in value.items() if isinstance(key, str)}
        yield node
        for key, part in node.items():
            if key.lower() in _ENVELOPES:
                inner = _json(part) if isinstance(part, str) and part.lstrip().startswith("{") else part
                yield from _nodes(inner, depth + 1)
