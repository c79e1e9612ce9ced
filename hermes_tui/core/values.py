"""Dataclasses whose methods are made when they are first used.

The standard decorator writes and compiles six methods for every class while its module is loaded: over a millisecond
a class, and a command uses a few of some two hundred classes. Here they are the same methods, made by the same
decorator, but only of classes that are used.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeVar

__all__ = ["dataclass"]

T = TypeVar("T")

_METHODS: Final = ("__init__", "__repr__", "__eq__", "__hash__")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: Literal[True], slots: Literal[True], kw_only: bool = False):  # noqa: ARG001
        """Make a dataclass as the standard decorator does; there are frozen ones with slots only."""
        return lambda plain: _made_later(plain, kw_only=kw_only)


def _made_later(plain: type[T], *, kw_only: bool) -> type[T]:
    own = [name for name in _METHODS if plain.__dict__.get(name) is None]
    fields = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made: type[T] = fields(plain)

    def make() -> None:
        whole = _whole(made)
        for name in own:
            setattr(made, name, getattr(whole, name))

    for name in own:
        setattr(made, name, _first_use(made, name, make))
    for name in ("__setattr__", "__delattr__"):
        setattr(made, name, _refuse)
    made.__getstate__, made.__setstate__ = _state, _take_state  # type: ignore[method-assign, attr-defined]
    return made


def _first_use(made: type, name: str, make: Callable[[], None]) -> Callable[..., Any]:
    def method(self: object, *args: object, **named: object) -> Any:
        make()
        return getattr(made, name)(self, *args, **named)

    return method


def _whole(made: type[Any]) -> type:
    """Return a class of the same name and fields, with the methods that the standard decorator makes."""
    fields = [(field.name, field.type, _again(field)) for field in dataclasses.fields(made)]
    after = {"__post_init__": made.__post_init__} if hasattr(made, "__post_init__") else {}
    return dataclasses.make_dataclass(made.__qualname__, fields, namespace=after, frozen=True)


def _again(field: "dataclasses.Field[Any]") -> Any:
    kept = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    return dataclasses.field(**{name: getattr(field, name) for name in kept})


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _take_state(self: Any, state: list[object]) -> None:
    """Fill a copy, which is made without its `__init__`."""
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _refuse(_self: object, name: str, *_: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
