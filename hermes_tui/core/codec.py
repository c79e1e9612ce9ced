"""The codec: frozen values to what JSON can hold, and back by their type hints.

Unknown fields are ignored and missing ones take their defaults, so that neighbouring versions read each other; a
None that is the default is not written.
Whatever does not have the shape of its type raises StateError, which names the field.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hermes_tui.core import event as events
from hermes_tui.core.acts import OnSession
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import Credential
from hermes_tui.core.decision import NameGivenUp, Row, TokenForgotten, VerdictForgotten
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import Event, snake_case
from hermes_tui.core.session import Message, Session
from hermes_tui.core.verdict import CachedVerdict, Hold, Trial

T = TypeVar("T")
Encoder = Callable[[Any], object]
Decoder = Callable[[object], Any]

ROWS: Final[dict[str, type[Row]]] = {
    "session": Session,
    "name_given_up": NameGivenUp,
    "credential": Credential,
    "token_forgotten": TokenForgotten,
    "verdict": CachedVerdict,
    "verdict_forgotten": VerdictForgotten,
    "hold": Hold,
    "trial": Trial,
    "message": Message,
    "configuration": Configuration,
}
"""Every kind of row by the name it has on disk."""

EVENTS: Final[dict[str, type[Event]]] = {
    snake_case(name): found
    for name, found in vars(events).items()
    if isinstance(found, type) and issubclass(found, Event) and found is not Event
}
"""Every event by its type in JSON."""

COMMANDS: Final[dict[str, type[OnSession]]] = {snake_case(kind.__name__): kind for kind in get_args(OnSession)}
"""Every act on a session by its name, as one process hands it to another."""

_ROW_NAMES: Final = {row: name for name, row in ROWS.items()}


def encode(value: object) -> object:
    """Return `value` as dicts, lists, tuples, text, numbers and None, which `json.dumps` takes as they stand."""
    if type(value) is tuple:
        return [encode(item) for item in value]
    kind: Any = type(value)
    encoder = _encoder(kind)
    return encoder(value) if encoder else value


def decode(hint: type[T], data: object) -> T:
    """Return the value of type `hint` that `encode` made `data` from; raises StateError where the shape is wrong."""
    decoder: Decoder = _decoder(cast("Any", hint))
    return cast("T", decoder(data))


def encode_event(event: Event) -> dict[str, object]:
    """Return `event` as one object with its `type` first: a line of `run --json`, an entry of the journal."""
    shared = {"type": event.type, "time": event.time, "session": event.session}
    return shared | cast("dict[str, object]", encode(event))


def decode_event(data: object) -> Event | None:
    """Return the event in `data`, or None where its type is unknown here: a newer version wrote it."""
    if not isinstance(data, dict):
        raise _mismatch("an event", data)
    kind = EVENTS.get(str(data.get("type")))
    return decode(kind, data) if kind else None


def row_name(row: Row) -> str:
    """Return the name of the kind of `row`, as on disk."""
    return _ROW_NAMES[type(row)]


def decode_row(name: str, data: object) -> Row | None:
    """Return the row of the kind `name` in `data`, or None where the kind is unknown here."""
    kind = ROWS.get(name)
    return decode(kind, data) if kind else None


def encode_command(command: OnSession) -> dict[str, object]:
    """Return an act on a session as one object with its name under `act`."""
    return {"act": snake_case(type(command).__name__)} | cast("dict[str, object]", encode(command))


def decode_command(data: object) -> OnSession | None:
    """Return the act on a session in `data`, None where it is unknown here: another version sent it."""
    if not isinstance(data, dict):
        raise _mismatch("an act", data)
    kind = COMMANDS.get(str(data.get("act")))
    return decode(kind, data) if kind else None


# Encoding: per type a function, or None where the value already is what JSON holds.


@cache
def _encoder(hint: Any) -> Encoder | None:
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_encoder(hint)
    inner = [encoder for encoder in map(_encoder, _inner_hints(hint)) if encoder]
    if not inner:
        return None
    (encoder,) = inner if get_origin(hint) is not tuple else (_tuple_encoder(hint),)
    return encoder


def _inner_hints(hint: Any) -> tuple[Any, ...]:
    return tuple(inner for inner in get_args(hint) if inner not in (Ellipsis, NoneType))


def _tuple_encoder(hint: Any) -> Encoder:
    encoders = [_encoder(inner) or _as_it_is for inner in _inner_hints(hint)]
    if Ellipsis in get_args(hint):
        encode_item = encoders[0]
        return lambda values: [encode_item(value) for value in values]
    return lambda values: [encoder(value) for encoder, value in zip(encoders, values, strict=True)]


def _as_it_is(value: object) -> object:
    return value


def _dataclass_encoder(kind: type) -> Encoder:
    names = tuple(_hints(kind))
    read = _reader(names)
    optional = tuple(field.name for field in fields(kind) if field.default is None)
    nested = tuple((name, encoder) for name, hint in _hints(kind).items() if (encoder := _encoder(hint)))

    def encode_fields(value: object) -> dict[str, object]:
        data = dict(zip(names, read(value)))  # noqa: B905 - equal by construction, and on the way of every commit
        for name in optional:
            if data[name] is None:
                del data[name]
        for name, encoder in nested:
            if (inner := data.get(name)) is not None:
                data[name] = encoder(inner)
        return data

    return encode_fields


def _reader(names: tuple[str, ...]) -> Callable[[object], Iterable[object]]:
    if len(names) == 1:
        (name,) = names
        return lambda value: (getattr(value, name),)
    return attrgetter(*names)


def _hints(kind: type) -> dict[str, Any]:
    """Return the fields of a dataclass with their resolved types, in order."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


# Decoding: per type a function that checks the shape and builds the value.


@cache
def _decoder(hint: Any) -> Decoder:
    if isinstance(hint, NewType):
        return _decoder(hint.__supertype__)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _optional_decoder(hint)
    if origin is tuple:
        return _tuple_decoder(get_args(hint))
    if is_dataclass(hint):
        return _dataclass_decoder(cast("type", hint))
    if issubclass(hint, StrEnum):
        return _enum_decoder(hint)
    if issubclass(hint, tuple):
        return _named_tuple_decoder(hint)
    return _PLAIN[hint]


def _optional_decoder(hint: Any) -> Decoder:
    inner = _inner_hints(hint)
    if len(inner) != 1 or NoneType not in get_args(hint):
        raise TypeError(f"{hint}: the codec knows unions with None only")
    decode_inner = _decoder(inner[0])
    return lambda data: None if data is None else decode_inner(data)


def _tuple_decoder(hints: tuple[Any, ...]) -> Decoder:
    if hints[-1] is Ellipsis:
        decode_item = _decoder(hints[0])
        return lambda data: tuple([decode_item(item) for item in _list(data)])
    decoders = [_decoder(hint) for hint in hints]
    return lambda data: tuple(
        [decoder(item) for decoder, item in zip(decoders, _list(data, len(decoders)), strict=True)]
    )


def _named_tuple_decoder(kind: type[tuple[Any, ...]]) -> Decoder:
    decode_items = _tuple_decoder(tuple(get_type_hints(kind).values()))
    return lambda data: kind(*decode_items(data))


def _list(data: object, length: int | None = None) -> list[object] | tuple[object, ...]:
    if not isinstance(data, list | tuple):
        raise _mismatch("a list", data)
    if length is not None and len(data) != length:
        raise StateError(f"expected {length} items, found {len(data)}")
    return data


def _dataclass_decoder(kind: type) -> Decoder:
    required = {field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING}
    decoders = tuple((name, _decoder(hint), name in required) for name, hint in _hints(kind).items())

    def decode_fields(data: object) -> object:
        if not isinstance(data, dict):
            raise _mismatch(kind.__name__, data)
        values: dict[str, object] = {}
        for name, decoder, needed in decoders:
            if name in data:
                try:
                    values[name] = decoder(data[name])
                except StateError as error:
                    raise StateError(f"{kind.__name__}.{name}: {error}") from error
            elif needed:
                raise StateError(f"{kind.__name__}.{name} is missing")
        return kind(**values)

    return decode_fields


def _enum_decoder(kind: type[StrEnum]) -> Decoder:
    members: dict[object, StrEnum] = {member.value: member for member in kind}

    def decode_member(data: object) -> StrEnum:
        if not isinstance(data, str) or data not in members:
            raise _mismatch(f"one of {', '.join(kind)}", data)
        return members[data]

    return decode_member


def _text(data: object) -> str:
    if not isinstance(data, str):
        raise _mismatch("text", data)
    return data


def _whole(data: object) -> int:
    if not isinstance(data, int) or isinstance(data, bool):
        raise _mismatch("a whole number", data)
    return data


def _number(data: object) -> float:
    if not isinstance(data, float | int) or isinstance(data, bool):
        raise _mismatch("a number", data)
    return float(data)


def _truth(data: object) -> bool:
    if not isinstance(data, bool):
        raise _mismatch("true or false", data)
    return data


_PLAIN: Final[dict[Any, Decoder]] = {str: _text, int: _whole, float: _number, bool: _truth}


def _mismatch(expected: str, found: object) -> StateError:
    return StateError(f"expected {expected}, found {repr(found)[:60]}")
