"""Envelopes: the objects of an error body, whatever wraps them: arrays, objects, quoted JSON, an exception's text."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

_EXCERPT: Final = 4000
_STRUCTURE: Final = 16 * 1024
_DEEPEST: Final = 12
_MOST_NODES: Final = 100
_MOST_PARTS: Final = 20

_ENVELOPES: Final = frozenset([
    "error", "errors", "detail", "details", "data", "metadata", "headers", "response", "baseresp", "innererror",
    "violations", "quotadimensions", "statusdetails", "incompletedetails", "message", "cause", "xgroq",
])  # fmt: skip
"""The keys that are followed. A request echoed in a body stands under others and is never read as the error."""

CODE_KEYS: Final = frozenset([
    "code", "type", "status", "errortype", "errorcode", "errcode", "reason", "quotaid", "statuscode", "rawstatuscode",
])  # fmt: skip
MESSAGE_KEYS: Final = frozenset([
    "message", "errormessage", "errmsg", "error", "errordescription", "detail", "msg", "statusmsg", "raw", "title",
])  # fmt: skip
"""Keys of codes and of sentences, all as `folded` returns them."""

_PAIR: Final = re.compile(
    r"[\"'](\w{1,30})[\"']\s{0,3}:\s{0,3}(?:\"((?:[^\"\\]|\\.){0,1000})(?:\"|$)|'((?:[^'\\]|\\.){0,1000})(?:'|$)"
    r"|(-?[0-9]{1,15})\b)"
)
_STREAMED: Final = re.compile(r"(?:^|\n)\s*(?:event:[^\n]*|data:|id:[^\n]*|:[^\n]*)")


def objects(text: str) -> tuple[Mapping[str, object], ...]:
    """Return the objects of an error body, outermost first; text around or instead of one is an object of its own."""
    return tuple(islice(_nodes(text, 0), _MOST_NODES))


def folded(key: str) -> str:
    """Return a key without what spellings differ in."""
    return key.lower().replace("_", "").replace("-", "")


def _nodes(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        words, inner = _unpacked(value)
        yield {"message": words}
        yield from _nodes(inner, depth + 1)
    elif isinstance(value, list):
        for part in value[:_MOST_PARTS]:
            yield from _nodes(part, depth + 1)
    elif isinstance(value, dict):
        yield from _object_nodes(value, depth)


def _object_nodes(value: Mapping[object, object], depth: int) -> Iterator[Mapping[str, object]]:
    node: dict[str, object] = {}
    followed: list[object] = []
    for key, part in islice(value.items(), _MOST_NODES):
        if not isinstance(key, str):
            continue
        node[key] = part
        name = folded(key)
        if isinstance(part, str) and name in MESSAGE_KEYS:
            node[key], inner = _unpacked(part)
            followed.append(inner)
        elif isinstance(part, dict | list) and name in _ENVELOPES:
            followed.append(part)
    yield node
    for inner in followed:
        yield from _nodes(inner, depth + 1)


def _unpacked(text: str) -> tuple[str, object]:
    """Return the words of `text`, and the JSON or printed Python object in it (None where there is none)."""
    whole = _json(text) if text.lstrip()[:1] in ("{", "[", '"') else None
    if isinstance(whole, dict | list | str):
        return "", whole
    start = text.find("{")
    if start < 0:
        return text, None
    if text[start - 1 : start] == "[":
        start -= 1
    inner = _object_at(text[start : start + _STRUCTURE])
    return (text, None) if inner is None else (_STREAMED.sub(" ", text[:start]).strip(" -:\n"), inner)


def _json(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _object_at(text: str) -> object:
    """Return the object that `text` begins with, whatever follows it; of one that is cut off, its readable pairs."""
    try:
        value: object = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        value = _printed(text)
    return value if isinstance(value, dict | list) else _pairs(text[:_EXCERPT])


def _printed(text: str) -> object:
    end = text.rfind("]" if text.startswith("[") else "}")
    try:
        value: object = ast.literal_eval(text[: end + 1])
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return value


def _pairs(text: str) -> Mapping[str, object] | None:
    pairs: dict[str, object] = {}
    for key, quoted, printed, number in _PAIR.findall(text):
        if folded(key) in CODE_KEYS | MESSAGE_KEYS:
            pairs.setdefault(key, quoted or printed or number)
    return pairs or None
