"""`shapes`: the answers of providers that are no reply, what they mean here, and what happens next."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.commands.terminal import show
from hermes_tui.core.advice import advice
from hermes_tui.core.errors import UsageError
from hermes_tui.core.failure import Scope
from hermes_tui.simulator.gallery import shapes, where_instead
from hermes_tui.simulator.shape import Next, Shape
from hermes_tui.view.cells import width
from hermes_tui.view.words import SAID_IN, duration

if TYPE_CHECKING:
    from hermes_tui.commands.understanding import Understood

SCHEMA_VERSION: Final = 1
"""Of the documents that --json prints."""

_INTRODUCTION: Final = """\
# What providers answer when they do not

Each shape below is an answer that is no reply, as its provider sends it: fields are real, values made up.
`hermes-tui shapes NAME` shows one whole. A scenario of your own makes a simulated provider answer so, all the time or
from a moment on, for one `account` or one `model` if they are named:

```toml
[[timeline]]
at = "0s"
actions = [{ do = "set_shape", provider = "openai", shape = "openai-out-of-credit" }]
```

What it is read as, about what, when it ends and what happens next is computed: by a real request that met the shape,
under a configuration that changes nothing. `~` stands before an end that is not certain. A letter tells how well the
shape is known: {grades}.

`TZ=UTC hermes-tui shapes --table` prints this page.
"""
_KNOWN_FROM: Final = {
    "A": "documented or often seen",
    "B": "seen two or three times",
    "C": "seen once",
    "G": "by general knowledge",
}
"""How well a shape is known, by its grade."""

_HEADS: Final = ("shape", "what it is", "status", "read as", "about the", "ends", "what happens next")


def show_shapes(name: str | None, *, as_json: bool) -> int:
    """Print the shape of that name whole, those of a provider of that name on one line each, or all; return 0.

    Raises UsageError for a name that neither has.
    """
    every = shapes()
    chosen = [shape for shape in every.values() if name is None or name.lower() in _names(shape)]
    if not chosen:
        raise UsageError(f'there is no shape "{name}"{where_instead(str(name))}')
    if as_json:
        sys.stdout.write(_document(_understood(chosen)))
    elif name in every:
        _show_whole(_understood(chosen)[0])
    else:
        show("".join(_lines(chosen)))
    return 0


def _lines(chosen: Sequence[Shape]) -> Iterator[str]:
    cells = max(width(shape.name) for shape in chosen)
    for provider, group in _by_provider(chosen):
        yield f"{provider}\n"
        for shape in group:
            yield f"  {shape.name.ljust(cells)}  {_status(shape):>3}  {shape.about}\n"


def print_page() -> int:
    """Print every shape with what becomes of it, as a page of Markdown; return 0."""
    grades = ", ".join(f"{grade} {words}" for grade, words in _KNOWN_FROM.items())
    sys.stdout.write(_INTRODUCTION.replace("{grades}", grades))
    met = {one.shape.name: one for one in _understood(shapes().values())}
    for provider, group in _by_provider(shapes().values()):
        sys.stdout.write(f"\n## {provider}\n\n")
        rows = [_HEADS, ("---",) * len(_HEADS), *(_row(met[shape.name]) for shape in group)]
        sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in rows)
    return 0


def _understood(chosen: Iterable[Shape]) -> "list[Understood]":
    from hermes_tui.commands.understanding import understand  # noqa: PLC0415 - the wire costs a tenth of a second

    return understand(chosen)


def _by_provider(chosen: Iterable[Shape]) -> Iterator[tuple[str, list[Shape]]]:
    return ((name, list(group)) for name, group in groupby(chosen, _title))


def _title(shape: Shape) -> str:
    return shape.known.title or shape.known.name.capitalize()


def _names(shape: Shape) -> tuple[str, ...]:
    """Return what a shape may be asked for by: its own name, and its provider's as it is configured and shown."""
    return (shape.name, shape.provider, _title(shape).lower())


def _status(shape: Shape) -> str:
    return str(shape.answer(now=0.0, model=shape.model).status or "-")


def _row(met: "Understood") -> tuple[str, ...]:
    shape, failure = met.shape, met.failure
    told = f"{shape.about} ({shape.grade})"
    read = (failure.kind.words, failure.scope.value, _end(met), _next(met))
    return (f"`{shape.name}`", told, _status(shape), *read)


def _end(met: "Understood") -> str:
    reset = met.failure.reset
    if reset is None or met.resets_in is None:
        return "not said"
    about = "~" if reset.approximate else ""
    return f"in {about}{duration(met.resets_in)}"


def _next(met: "Understood") -> str:
    """Return the step as a person reads it; what is about an account is about all of its credentials."""
    of_account = met.next is Next.ROTATE and met.failure.scope is Scope.ACCOUNT
    return "a credential of another account, then the next route" if of_account else met.next.words


def _show_whole(met: "Understood") -> None:
    """Print a shape with what becomes of it; the answer goes as it is, however long its lines."""
    shape, failure = met.shape, met.failure
    known = [_title(shape), shape.api_mode.value, _KNOWN_FROM[shape.grade]]
    answer = shape.answer(now=met.sent_at, model=shape.model)
    told = {
        "read as": f"{failure.kind.words}, which is about the {failure.scope.value}",
        "ends": f"{_end(met)}, by {SAID_IN[failure.reset.source]}" if failure.reset else _end(met),
        "message": failure.message,
        "we say": advice(failure.kind, shape.known, failure.scope),
        "next": _next(met),
    }
    show(f"{shape.name}: {shape.about}\n{' · '.join(known)}\n\n")
    sys.stdout.write(f"{answer}\n")
    show("".join(f"{name:<7}  {words}\n" for name, words in told.items()))


def _document(met: "Sequence[Understood]") -> str:
    document = {"schema_version": SCHEMA_VERSION, "shapes": [_as_table(one) for one in met]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _as_table(met: "Understood") -> dict[str, Any]:
    """Return a shape with its answer and its reading as JSON values; `resets_in` in seconds from the request."""
    shape, failure = met.shape, met.failure
    answer = shape.answer(now=met.sent_at, model=shape.model)
    return {
        "name": shape.name,
        "about": shape.about,
        "provider": shape.provider,
        "api_mode": shape.api_mode.value,
        "grade": shape.grade,
        "status": answer.status,
        "headers": answer.headers,
        "body": "".join(answer.parts),
        "ending": answer.ending.value,
        "reading": {
            "kind": failure.kind.value,
            "scope": failure.scope.value,
            "message": failure.message,
            "advice": advice(failure.kind, shape.known, failure.scope),
            "resets_in": met.resets_in,
            "approximate": failure.reset.approximate if failure.reset else None,
            "source": failure.reset.source if failure.reset else None,
            "next": met.next.value,
        },
    }
