"""What pydantic found wrong, as problems with line and key: no sentence holds a value of the file."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hermes_tui.config.lines import LineIndex
from hermes_tui.config.problems import Problem, Where, spelled
from hermes_tui.core.nearest import did_you_mean, nearest

_A_TABLE: Final = "must be a table"
_WORDS: Final = {
    "string_type": "must be text in quotes",
    "int_type": "must be a whole number without quotes",
    "float_type": "must be a number without quotes",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": _A_TABLE,
    "model_type": _A_TABLE,
    "model_attributes_type": _A_TABLE,
}
_BOUNDS: Final = {
    "greater_than": ("gt", "must be greater than"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than": ("lt", "must be less than"),
    "less_than_equal": ("le", "must be at most"),
}


def explain(error: ValidationError, document: Mapping[str, Any], lines: LineIndex) -> list[Problem]:
    """Return every finding of pydantic as a sentence that says what to write instead."""
    return [_problem(found, document, lines) for found in error.errors(include_url=False)]


def _problem(found: ErrorDetails, document: Mapping[str, Any], lines: LineIndex) -> Problem:
    where: Where = found["loc"]
    words = _missing(where, document) if found["type"] == "missing" else _wrong(found)
    return Problem(f'"{spelled(where)}" {words}', lines.line(where), spelled(where))


def _wrong(found: ErrorDetails) -> str:
    kind, context = found["type"], found.get("ctx", {})
    if kind in _WORDS:
        return _WORDS[kind]
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"{words} {context[bound]:g}"
    if kind in ("enum", "literal_error"):
        expected = str(context["expected"])
        known = [name.strip(" '") for name in expected.replace(" or ", ",").split(",")]
        written = found["input"]
        hint = did_you_mean(written, known) if isinstance(written, str) else ""
        return f"must be {expected}{hint}"
    if kind == "value_error":
        return str(context["error"])
    return f"cannot be used: {found['msg']}"


def _missing(where: Where, document: Mapping[str, Any]) -> str:
    """Say that a key is missing, and which one of its neighbours may be it, mistyped."""
    *outer, name = where
    table: Any = document
    for part in outer:
        table = table[part]
    written = nearest(str(name), table)
    if written is not None:
        return f'is missing; is "{spelled((written,))}" meant to be it?'
    if where == ("primary",):
        return "is missing: write a [primary] table with provider and model"
    return f"is missing: write {name} = … here"
